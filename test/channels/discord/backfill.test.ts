import { expect, test } from 'vitest';
import { Backfill } from '../../../channels/discord/backfill.ts';
import type { Conversation, InboundMessage } from '../../../src/contract.ts';
import { type IntakeSetting, intakeSetting } from './intake-setting.ts';

const hour = 60 * 60_000;

/** A setting whose gateway is silent: what is heard was looked for. */
async function deafSetting(): Promise<IntakeSetting> {
  const setting = await intakeSetting();
  setting.stopListening();
  return setting;
}

function look(
  { runtime, host, intake }: IntakeSetting,
  conversations: readonly Conversation[],
  { since = host.clock.now() - hour, allowed = '*' } = {},
): Promise<boolean> {
  host.knownConversations = conversations;
  const settings = { ...runtime.settings, allow_from: [allowed] };
  return new Backfill({ ...runtime, settings }, intake.takeMessage).look(since);
}

function direct(chatId: string): Conversation {
  return { channel: 'discord', chatId, kind: 'direct' };
}

function messages(setting: IntakeSetting): readonly InboundMessage[] {
  return setting.host.received.filter((event) => event.type === 'message');
}

test('what was written in direct chats, channels and threads is heard as if it came now, in its order', async () => {
  const { setting, server, host, chat } = await deafSetting();
  const { guild, channel } = setting.addChannel();
  const thread = server.people.startThread(channel, 'plans');
  const conversation = { channel: 'discord', tenant: guild.id, chatId: channel, kind: 'group' } as const;
  for (const [where, name] of [
    [chat, 'chat'],
    [channel, 'channel'],
    [thread, 'thread'],
  ] as const)
    for (const number of [1, 2, 3]) server.say(where, `${name} ${number}`);
  await setting.answer(chat, { content: 'my own' });
  await look(setting, [direct(chat), conversation, { ...conversation, threadId: thread }]);
  for (const name of ['chat', 'channel', 'thread'])
    expect(host.words.filter((text) => text.startsWith(name))).toEqual([`${name} 1`, `${name} 2`, `${name} 3`]);
  expect(host.received).toHaveLength(9);
  const [inChat] = messages(setting).filter(({ text }) => text === 'chat 1');
  const [inThread] = messages(setting).filter(({ text }) => text === 'thread 1');
  expect(inChat).toMatchObject({ conversation: direct(chat), addressed: true, sender: { id: '1001' } });
  expect(inThread).toMatchObject({ conversation: { ...conversation, threadId: thread }, isThreadReply: true });
});

test('a message has the same key whether it was looked for or came', async () => {
  const { setting, chat } = await intakeSetting();
  const { key } = await setting.hears(chat, 'hello');
  await look(setting, [direct(chat)]);
  expect(messages(setting).map((message) => message.key)).toEqual([key, key]);
});

test('what is older than the absence is not looked for', async () => {
  const { setting, server, host, chat } = await deafSetting();
  server.say(chat, 'old');
  await look(setting, [direct(chat)], { since: host.clock.now() + hour });
  expect(host.received).toEqual([]);
});

test('threads that were begun meanwhile below channels that are known are looked into', async () => {
  const { setting, server, host } = await deafSetting();
  const { guild, channel } = setting.addChannel();
  const other = server.scenery.addChannel(guild.id, { name: 'unknown' });
  server.say(server.people.startThread(channel, 'plans'), 'in the new thread');
  server.say(server.people.startThread(other, 'more plans'), 'in a thread elsewhere');
  await look(setting, [{ channel: 'discord', tenant: guild.id, chatId: channel, kind: 'group' }]);
  expect(host.words).toEqual(['in the new thread']);
  expect(messages(setting)[0]?.conversation).toMatchObject({ chatId: channel, title: 'plans' });
});

test('who has which role is asked for where somebody is let in by one, and once for each person', async () => {
  const { setting, server } = await deafSetting();
  const { guild, channel } = setting.addChannel();
  const role = server.scenery.addRole(guild.id, 'cooks', ['1002']);
  const conversation = { channel: 'discord', tenant: guild.id, chatId: channel, kind: 'group' } as const;
  for (const text of ['one', 'two']) server.say(channel, text, { from: '1002' });
  await look(setting, [conversation]);
  expect(server.callsOf('GET /guilds/:guild/members/:user')).toHaveLength(0);
  await look(setting, [conversation], { allowed: 'role:5' });
  expect(server.callsOf('GET /guilds/:guild/members/:user')).toHaveLength(1);
  expect(messages(setting).map(({ sender }) => sender.roles)).toEqual([
    undefined,
    undefined,
    [`role:${role}`],
    [`role:${role}`],
  ]);
});

test('where nothing may be looked at, the others are looked at', async () => {
  const { setting, server, host } = await deafSetting();
  const { guild, channel } = setting.addChannel();
  const conversation = { channel: 'discord', tenant: guild.id, chatId: channel, kind: 'group' } as const;
  const chat = server.direct('1001');
  server.say(channel, 'hidden');
  server.say(chat, 'hello');
  server.scenery.deny(channel, 'VIEW_CHANNEL');
  await look(setting, [conversation, direct('5'), direct(chat)]);
  expect(host.words).toEqual(['hello']);
  expect(host.logged.filter((line) => line.includes('meanwhile could'))).toHaveLength(2);
});

test('a backfill waits as long as Discord asks, and tries again what breaks', async () => {
  const { setting, server, host, chat } = await deafSetting();
  server.say(chat, 'hello');
  const route = 'GET /channels/:channel/messages';
  server.fault({ route, kind: '429', retryAfter: 7, times: 1 });
  server.fault({ route, kind: 'drop-before', times: 1 });
  const looking = look(setting, [direct(chat)]);
  await server.waitFor(() => server.callsOf(route).length === 1);
  host.clock.advance(6_000);
  expect(server.callsOf(route)).toHaveLength(1);
  await setting.passes(() => host.received.length === 1);
  await looking;
  expect(server.callsOf(route)).toHaveLength(3);
});

test('a backfill outlasts minutes in which Discord answers nothing but errors', async () => {
  const { setting, server, host, chat } = await deafSetting();
  server.say(chat, 'hello');
  server.fault({ route: 'GET /channels/:channel/messages', kind: 'status', status: 503, times: 12 });
  const looking = look(setting, [direct(chat)]);
  await setting.passes(() => {
    host.clock.advance(20_000);
    return host.received.length === 1;
  });
  await looking;
});

test('a server that does not say which threads it has holds up nothing else', async () => {
  const { setting, server, host } = await deafSetting();
  const { guild, channel } = setting.addChannel();
  server.say(channel, 'hello');
  const hanging = server.fault({ route: 'GET /guilds/:guild/threads/active', kind: 'hang' });
  const looking = look(setting, [{ channel: 'discord', tenant: guild.id, chatId: channel, kind: 'group' }]);
  await host.hears('hello');
  hanging.release();
  await looking;
});

test('a backfill ends with the session', async () => {
  const { setting, server, over } = await deafSetting();
  server.fault({ route: '*', kind: '429', retryAfter: 60 });
  const looking = look(setting, [direct(server.direct('1001')), direct(server.direct('1002'))]);
  await server.waitFor(() => server.callsOf('*').length >= 1);
  over.abort();
  await looking;
});

test('a channel full of messages is said to hold more, and each request is bounded', async () => {
  const { setting, server, host, chat } = await deafSetting();
  for (let number = 1; number <= 1_005; number += 1) server.say(chat, `number ${number}`);
  await look(setting, [direct(chat)]);
  expect(host.words).toEqual(Array.from({ length: 1_000 }, (_, index) => `number ${index + 1}`));
  expect(host.logged.join('\n')).toMatch('more was missed here');
});

test('an answer of any shape is no harm', async () => {
  const { setting, server, host, chat } = await deafSetting();
  const sound = server.say(chat, 'hello');
  const odd = [null, 7, {}, { id: 'x' }, { ...sound, id: null }, { ...sound, author: null }, sound];
  server.fault({ route: 'GET /channels/:channel/messages', kind: 'status', status: 200, body: JSON.stringify(odd) });
  server.fault({
    route: 'GET /guilds/:guild/threads/active',
    kind: 'status',
    status: 200,
    body: '{"threads":[null,{}]}',
  });
  const group = { channel: 'discord', tenant: '9', chatId: '10', kind: 'group' } as const;
  await look(setting, [direct(chat), group]);
  expect(host.words).toEqual(['hello']);
});
