import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { machinePrincipal } from '../../../src/daemon/local-socket/machine.ts';
import { socketName } from '../../../src/daemon/local-socket/socket-place.ts';
import { localWords } from '../../../src/daemon/local-socket/words.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { askSocket, requestLine } from '../../support/ask-socket.ts';
import { type DaemonSetting, daemonSetting } from '../../support/daemon-setting.ts';
import { call } from '../../support/scripted-model.ts';

/** A program that has a chat open, and carries out what it is told. */
interface Client {
  readonly socket: Socket;
  /** What it was told to show, in its order. */
  readonly orders: readonly JsonObject[];
  /** Asks, and resolves with the answer. */
  ask(request: string, params?: object): Promise<JsonObject>;
  leave(): Promise<void>;
}

async function opened(setting: DaemonSetting, params: object = {}): Promise<Client> {
  const socket = connect(socketOf(setting));
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const orders: JsonObject[] = [];
  const answers = new Map<number, JsonObject>();
  let [unread, count] = ['', 0];
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = `${unread}${chunk}`.split('\n');
    unread = lines.pop() ?? '';
    for (const read of lines.map(parseJson).filter(isJsonObject)) {
      if (typeof read.id === 'number') answers.set(read.id, read);
      else orders.push(read);
      if (typeof read.call === 'number') socket.write(requestLine('done', { call: read.call }, { id: 0 }));
    }
  });
  const ask = async (request: string, given: object = {}): Promise<JsonObject> => {
    count += 1;
    const id = count;
    socket.write(requestLine(request, given, { id }));
    await expect.poll(() => answers.has(id)).toBe(true);
    return answers.get(id) ?? {};
  };
  expect(await ask('chat', params)).toMatchObject({ ok: true });
  return {
    socket,
    orders,
    ask,
    async leave() {
      const closed = once(socket, 'close');
      socket.destroy();
      await closed;
    },
  };
}

function socketOf({ folder }: DaemonSetting): string {
  return join(folder, 'data', socketName);
}

async function channelsOf(setting: DaemonSetting): Promise<readonly unknown[]> {
  const [answer] = await askSocket(socketOf(setting), requestLine('status'));
  const result = isJsonObject(answer) && isJsonObject(answer.result) ? answer.result : {};
  return Array.isArray(result.channels) ? result.channels.map((one) => isJsonObject(one) && one.name) : [];
}

function isCard({ message }: JsonObject): boolean {
  return isJsonObject(message) && message.kind === 'card';
}

function shown({ orders }: Client): readonly unknown[] {
  return orders.flatMap((order) => {
    const { message, parts } = order;
    const messages = [message, ...(Array.isArray(parts) ? parts : [])];
    return messages.flatMap((one) => (isJsonObject(one) ? [one.markdown] : []));
  });
}

test('the channel of these chats is there while one is open', async () => {
  const setting = await daemonSetting();
  expect(await channelsOf(setting)).toEqual(['test']);
  const [one, other] = [await opened(setting), await opened(setting, { name: 'other' })];
  expect(await channelsOf(setting)).toEqual(['test', 'machine']);
  await one.leave();
  expect(await channelsOf(setting)).toEqual(['test', 'machine']);
  await other.leave();
  await expect.poll(() => channelsOf(setting)).toEqual(['test']);
});

test('what is sent again after a break has the same key, and is one message', async () => {
  const setting = await daemonSetting();
  setting.model.next('hello yourself');
  const said = { key: 'k1', text: 'hello', sentAt: 5 };
  const first = await opened(setting);
  expect(await first.ask('said', said)).toMatchObject({ ok: true, result: { language: 'en' } });
  await first.leave();
  const second = await opened(setting);
  expect(await second.ask('said', said)).toMatchObject({ ok: true });
  expect(await second.ask('idle')).toMatchObject({ result: { waiting: 0 } });
  expect(setting.rows('SELECT conversation_id, text FROM inbox')).toEqual([
    { conversation_id: machinePrincipal, text: 'hello' },
  ]);
  expect([...shown(first), ...shown(second)]).toContain('hello yourself');
});

test('who it was is not for the client to say', async () => {
  const setting = await daemonSetting();
  setting.model.next('done');
  const client = await opened(setting);
  const conversation = { channel: 'test', chatId: 'ada', kind: 'direct' };
  await client.ask('said', { key: 'k1', text: 'hello', sentAt: 5, sender: { id: 'ada' }, conversation });
  await client.ask('idle');
  expect(setting.rows('SELECT conversation_id, principal FROM inbox')).toEqual([
    { conversation_id: machinePrincipal, principal: machinePrincipal },
  ]);
});

test('a run goes on when its chat is closed, with the rights of an owner; who opens the chat later sees the card, and answers', async () => {
  const setting = await daemonSetting();
  setting.model.next([call('write_file', { path: 'notes.txt', content: 'x' })], 'written');
  const first = await opened(setting);
  await first.ask('said', { key: 'k1', text: 'write it', sentAt: 5 });
  await first.leave();
  await expect.poll(() => setting.rows(`SELECT id FROM approvals WHERE state = 'pending'`)).toHaveLength(1);
  const [one, other] = [await opened(setting), await opened(setting)];
  // What failed because the first chat was closed is tried again a little later.
  const soon = (isThere: () => boolean) => expect.poll(() => setting.clock.advance(1_000) ?? isThere()).toBe(true);
  for (const { orders } of [one, other]) await soon(() => orders.some(isCard));
  const { message } = one.orders.find(isCard) ?? {};
  const buttons = isJsonObject(message) && Array.isArray(message.buttons) ? message.buttons.flat() : [];
  const [approve] = buttons.filter(isJsonObject);
  const id = isJsonObject(message) ? message.id : '';
  await one.ask('pressed', { key: 'p1', action: approve?.actionId, message: id });
  await other.ask('pressed', { key: 'p2', action: approve?.actionId, message: id });
  await one.ask('idle');
  expect(setting.rows(`SELECT state, decided_by FROM approvals`)).toEqual([
    { state: 'approved', decided_by: machinePrincipal },
  ]);
  expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'success' }]);
  for (const client of [one, other]) await soon(() => shown(client).includes('written'));
});

test('a card of a closed chat waits there over a restart, and nobody is told that it has nobody', async () => {
  const setting = await daemonSetting();
  setting.model.next([call('write_file', { path: 'notes.txt', content: 'x' })], 'written');
  const first = await opened(setting);
  await first.ask('said', { key: 'k1', text: 'write it', sentAt: 5 });
  await expect.poll(() => first.orders.some(isCard)).toBe(true);
  await first.leave();
  await setting.stop();
  await setting.start();
  const again = await opened(setting);
  await expect.poll(() => again.orders.some(isCard)).toBe(true);
  const kinds = setting.rows(`SELECT DISTINCT kind FROM outbox WHERE conversation_id = '${machinePrincipal}'`);
  expect(kinds).toEqual([{ kind: 'card' }]);
});

test.each([
  [{ name: '../x' }, localWords.en.wrongChatName],
  [{ name: 7 }, localWords.en.wrongChatName],
])('%j opens no chat', async (params, reason) => {
  const setting = await daemonSetting();
  expect(await askSocket(socketOf(setting), requestLine('chat', params))).toMatchObject([
    { ok: false, code: 'refused', reason },
  ]);
});

test('so many chats that commands still have room, and no more', async () => {
  const setting = await daemonSetting();
  const clients: Client[] = [];
  for (let count = 0; count < 24; count += 1) clients.push(await opened(setting, { name: `c${count}` }));
  expect(await askSocket(socketOf(setting), requestLine('chat'))).toMatchObject([
    { ok: false, code: 'refused', reason: localWords.en.tooManyStreams },
  ]);
  expect(await channelsOf(setting)).toEqual(['test', 'machine']);
  await clients[0]?.leave();
  await expect.poll(() => askSocket(socketOf(setting), requestLine('chat'))).toMatchObject([{ ok: true }]);
});

test('of lines that do not end, no more are kept than memory allows; the other chats go on', async () => {
  const setting = await daemonSetting();
  const clients = [await opened(setting), await opened(setting), await opened(setting)];
  const closed = clients.map(({ socket }) => once(socket, 'close'));
  for (const { socket } of clients) socket.write('x'.repeat(7 * 2 ** 20));
  await Promise.race(closed);
  const [left] = clients.filter(({ socket }) => !socket.destroyed);
  left?.socket.write('\n');
  expect(await left?.ask('idle')).toMatchObject({ ok: true, result: { waiting: 0 } });
});

test('a request of a chat that there is not is refused, and the chat goes on', async () => {
  const setting = await daemonSetting();
  const client = await opened(setting);
  expect(await client.ask('constructor')).toMatchObject({ ok: false, code: 'unknown-request' });
  expect(await client.ask('said', { key: 'k1' })).toMatchObject({ ok: false, code: 'wrong-params' });
  for (const sentAt of [1e300, 1.5, 'now'])
    expect(await client.ask('said', { key: 'k1', text: 'hello', sentAt })).toMatchObject({ code: 'wrong-params' });
  expect(await client.ask('idle')).toMatchObject({ ok: true, result: { waiting: 0 } });
});
