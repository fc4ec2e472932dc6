import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../../packages/fakes/src/telegram/http-door.ts';
import { pngOf } from '../../../packages/fakes/src/telegram/methods.ts';
import { newFile } from '../../support/new-folder.ts';
import { requestFaults } from '../kit/request-faults.ts';
import { AdapterSetting, ada, reply, to, withFile } from './adapter-setting.ts';

let setting: AdapterSetting;

beforeEach(async () => {
  setting = await AdapterSetting.start({ reactions: true });
});

afterEach(() => setting.close());

async function file(name: string, mediaType: string, bytes: Buffer) {
  return withFile({ name, mediaType, path: await newFile(bytes) });
}

type Requests = Readonly<Record<string, (chatId: string) => Promise<unknown> | undefined>>;

/** Done twice, these are seen twice. By the method of the Bot API. */
async function sendings(): Promise<Requests> {
  const { adapter } = setting;
  const note = await file('note.txt', 'text/plain', Buffer.from('hello'));
  const picture = await file('view.png', 'image/png', pngOf(640, 480));
  return {
    sendMessage: (chatId) => adapter.send({ ...to, chatId }, reply('hello')),
    sendDocument: (chatId) => adapter.send({ ...to, chatId }, note),
    sendPhoto: (chatId) => adapter.send({ ...to, chatId }, picture),
  };
}

/** Done twice, these change nothing. */
async function changes(): Promise<Requests> {
  const { adapter, server } = setting;
  const ref = await adapter.send(to, reply('one'));
  server.say(ada, 'hello', { messageId: 7 });
  return {
    editMessageText: (chatId) => adapter.edit?.({ ...to, chatId }, ref, reply('two')),
    sendChatAction: (chatId) => adapter.showTyping?.({ ...to, chatId }),
    setMessageReaction: (chatId) => adapter.mark?.({ ...to, chatId }, '7', 'done'),
    deleteMessage: (chatId) => adapter.remove?.({ ...to, chatId }, ref),
  };
}

/** That each of the requests fails so, and is not tried again. */
async function expectAll(requests: Requests, fault: Fault, expected: object): Promise<void> {
  const { server } = setting;
  for (const [method, request] of Object.entries(requests)) {
    const before = server.callsOf(method).length;
    server.fault({ method, ...fault });
    expect(await setting.faultOf(request(to.chatId)), method).toMatchObject(expected);
    expect(server.callsOf(method), method).toHaveLength(before + 1);
  }
}

describe('a request fails, and is not tried again,', () => {
  test.each([
    [
      { kind: '429', retryAfter: 7 },
      { type: 'rate-limited', retryAfter: 7_000 },
    ],
    [{ kind: 'status', status: 500 }, { type: 'transient' }],
    [{ kind: 'html' }, { type: 'transient' }],
    [{ kind: 'status', status: 401, description: 'Unauthorized' }, { type: 'auth' }],
    [{ kind: 'status', status: 404, description: 'Not Found' }, { type: 'auth' }],
    [{ kind: 'status', status: 413, description: 'Request Entity Too Large' }, { type: 'permanent' }],
    [{ kind: 'status', status: 403, description: 'Forbidden: bot was blocked by the user' }, { type: 'permanent' }],
    [{ kind: 'status', status: 400, description: 'Bad Request: chat not found' }, { type: 'permanent' }],
  ] as const)('with %j, as %j', async (fault, expected) => {
    await expectAll({ ...(await sendings()), ...(await changes()) }, fault, expected);
  });

  test.each([
    { kind: 'drop-before' },
    { kind: 'drop-after' },
    { kind: 'status', status: 200, body: '{"ok":true,"resu' },
    { kind: 'status', status: 200, body: '{"ok":true,' },
    { kind: 'status', status: 200, body: '' },
    { kind: 'status', status: 200, body: 'null' },
  ] as const)('with %j, as ambiguous where it would be seen twice, and else as transient', async (fault) => {
    const harmless = await changes();
    await expectAll(await sendings(), fault, { type: 'ambiguous' });
    await expectAll(harmless, fault, { type: 'transient' });
  });

  test('as ambiguous where the answer does not name the message', async () => {
    const fault = { kind: 'status', status: 200, body: '{"ok":true,"result":{}}' } as const;
    await expectAll(await sendings(), fault, { type: 'ambiguous' });
  });

  test('as moved where the group has another id now', async () => {
    setting.server.say(-500, 'hi', { messageId: 7 });
    setting.server.people.migrate(-500, -100_500);
    const message = expect.stringContaining('-100500');
    const { sendChatAction: _, setMessageReaction: __, ...others } = await changes();
    for (const [method, request] of Object.entries({ ...(await sendings()), ...others }))
      expect(await setting.faultOf(request('-500')), method).toEqual({ type: 'moved', chatId: '-100500', message });
  });
});

requestFaults({
  at: (api_root) => {
    const adapter = setting.another({ api_root, request_timeout_secs: 1 });
    return {
      send: () => adapter.send(to, reply('hello')),
      change: () => Promise.resolve(adapter.edit?.(to, { id: '1' }, reply('hello'))),
    };
  },
  secrets: ['hello'],
  answers: [],
});
