import { expect, test } from 'vitest';
import { intakeSetting } from './intake-setting.ts';

test('a changed message is an edit of it, without the mention', async () => {
  const { setting, server } = await intakeSetting();
  const { channel } = setting.addChannel();
  const { id } = server.say(channel, 'hello');
  const { edited_timestamp } = server.edit(channel, id, `<@${server.bot.id}> hello again`);
  const event = await setting.host.hears('hello again');
  expect(event).toMatchObject({
    type: 'edit',
    key: `${id}:e:${edited_timestamp}`,
    messageKey: id,
    conversation: { chatId: channel },
    sender: { id: '1001', isPerson: true, roles: [] },
  });
});

test('what changes without a person changing the text is no edit', async () => {
  const { setting, server, chat } = await intakeSetting();
  const message = server.say(chat, 'http://127.0.0.1/');
  const bot = { id: '2001', username: 'other', discriminator: '0', global_name: null, avatar: null, bot: true };
  await setting.message(message.id);
  expect(await setting.take('MESSAGE_UPDATE', { ...message, embeds: [{ title: 'A page' }] })).toEqual([]);
  const edited = { ...message, edited_timestamp: '2026-01-01T00:00:00Z' };
  expect(await setting.take('MESSAGE_UPDATE', { ...edited, author: bot })).toEqual([]);
  expect(await setting.take('MESSAGE_UPDATE', { ...edited, author: server.bot })).toEqual([]);
  expect(await setting.take('MESSAGE_UPDATE', { ...edited, type: 6 })).toEqual([]);
  expect(await setting.take('MESSAGE_UPDATE', edited)).toHaveLength(1);
});

test('a message that is taken back is told of, no matter who wrote it and when', async () => {
  const { setting, server, host } = await intakeSetting();
  const { channel } = setting.addChannel();
  const { key } = await setting.hears(channel, 'oh no');
  server.people.delete(channel, key);
  await host.receives(2);
  expect(host.received[1]).toEqual({ type: 'deletion', key: `${key}:d`, messageKey: key });
  // As after a restart: this process has never heard of it.
  const [event] = await setting.take('MESSAGE_DELETE', { id: '99', channel_id: channel });
  expect(event).toEqual({ type: 'deletion', key: '99:d', messageKey: '99' });
});

test('a message that is taken back before it is stored is stored first', async () => {
  const { setting, server, host } = await intakeSetting();
  const stored = Promise.withResolvers<object>();
  host.store = () => stored.promise;
  const chat = server.direct('1001');
  const { id } = server.say(chat, 'oh no');
  server.people.delete(chat, id);
  await setting.dispatches('MESSAGE_DELETE');
  expect(host.received).toHaveLength(1);
  stored.resolve({});
  await host.receives(2);
  expect(host.received[1]).toMatchObject({ type: 'deletion', messageKey: id });
});

test('many messages that are taken back at once are told of one by one', async () => {
  const { setting, chat } = await intakeSetting();
  const ids: string[] = [];
  for (const text of ['one', 'two']) ids.push((await setting.hears(chat, text)).key);
  const events = await setting.take('MESSAGE_DELETE_BULK', { ids: [...ids, null], channel_id: chat });
  expect(events.map((event) => event.type === 'deletion' && event.messageKey)).toEqual(ids);
});
