import { Api, GrammyError } from 'grammy';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TelegramServer } from '../support/telegram-server.ts';

const chat = 5;
const group = -1_001_234_567_890;
let time: number;
let telegram: TelegramServer;
let api: Api;

beforeEach(async () => {
  time = Date.UTC(2026, 0, 1);
  telegram = await TelegramServer.start({ now: () => time });
  api = new Api(telegram.token, { apiRoot: telegram.root });
});

afterEach(() => telegram.close());

test('a poll waits for an update and ends as soon as there is one', async () => {
  const poll = api.getUpdates({ timeout: 30 });
  await telegram.waitFor(() => telegram.polls === 1);
  const update = telegram.say(chat, 'hello');
  expect(await poll).toEqual([update]);
  expect(telegram.confirmedOffset).toBe(0);
});

test('a poll in which nothing comes ends with nothing', async () => {
  const begun = performance.now();
  expect(await api.getUpdates({ timeout: 1 })).toEqual([]);
  expect(performance.now() - begun).toBeGreaterThan(900);
});

test('an update comes again until the offset confirms it', async () => {
  const updates = [telegram.say(chat, 'one'), telegram.say(chat, 'two')];
  expect(await api.getUpdates()).toEqual(updates);
  expect(await api.getUpdates({ limit: 1 })).toEqual(updates.slice(0, 1));
  const offset = (updates[0]?.update_id ?? 0) + 1;
  expect(await api.getUpdates({ offset })).toEqual(updates.slice(1));
  expect(telegram.confirmedOffset).toBe(offset);
  expect(await api.getUpdates()).toEqual(updates.slice(1));
  expect(telegram.pendingCount).toBe(1);
});

test('an offset far beyond the last update counts as none', async () => {
  const update = telegram.say(chat, 'one');
  expect(await api.getUpdates({ offset: update.update_id + 1_000 })).toEqual([update]);
});

test('a newer poll ends the older one with a conflict', async () => {
  const older = api.getUpdates({ timeout: 30 }).catch((error: unknown) => error);
  await telegram.waitFor(() => telegram.polls === 1);
  const newer = api.getUpdates({ timeout: 30 });
  const error = await older;
  expect(error instanceof GrammyError && error.description).toBe(
    'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  );
  telegram.say(chat, 'hello');
  expect(await newer).toHaveLength(1);
});

test('a poll whose client went away is no conflict and takes no update', async () => {
  const controller = new AbortController();
  const url = `${telegram.root}/bot${telegram.token}/getUpdates?timeout=30`;
  const gone = fetch(url, { signal: controller.signal }).catch(() => 'gone');
  await telegram.waitFor(() => telegram.polls === 1);
  controller.abort();
  expect(await gone).toBe('gone');
  await telegram.waitFor(() => telegram.callsOf('getUpdates')[0]?.status === 200);
  telegram.redeliver(telegram.say(chat, 'hello'));
  expect(await api.getUpdates({ timeout: 30 })).toHaveLength(2);
});

test('nobody can poll while a webhook is set', async () => {
  telegram.setWebhook('https://example.org/hook');
  await expect(api.getUpdates()).rejects.toThrow("409: Conflict: can't use getUpdates method while webhook is active");
  expect((await api.getWebhookInfo()).url).toBe('https://example.org/hook');
  telegram.say(chat, 'hello');
  await api.deleteWebhook();
  expect(await api.getUpdates()).toHaveLength(1);
  await api.deleteWebhook({ drop_pending_updates: true });
  expect((await api.getWebhookInfo()).pending_update_count).toBe(0);
});

test('messages are kept for 24 h, presses for 150 s', async () => {
  telegram.addChat(chat);
  const reply_markup = { inline_keyboard: [[{ text: 'Press', callback_data: 'd' }]] };
  const { message_id: id } = await api.sendMessage(chat, 'x', { reply_markup });
  const press = telegram.press(chat, id, 'd');
  const said = telegram.say(chat, 'hello');
  time += 149_000;
  expect(await api.getUpdates()).toEqual([press.update, said]);
  time += 1_000;
  expect(await api.getUpdates()).toEqual([said]);
  time += 24 * 3_600_000;
  expect(await api.getUpdates()).toEqual([]);
});

test('an update can be delivered again after it was confirmed', async () => {
  const update = telegram.say(chat, 'hello');
  const offset = update.update_id + 1;
  expect(await api.getUpdates({ offset })).toEqual([]);
  telegram.redeliver(update);
  expect(await api.getUpdates({ offset })).toEqual([update]);
  expect(await api.getUpdates({ offset })).toEqual([]);
});

test('only the kinds of update that the bot allows are delivered', async () => {
  await api.getUpdates({ allowed_updates: ['callback_query'] });
  telegram.say(chat, 'hello');
  expect(await api.getUpdates()).toEqual([]);
  await api.getUpdates({ allowed_updates: ['message'] });
  telegram.say(chat, 'hello again');
  expect(await api.getUpdates()).toHaveLength(1);
});

test('what a person says has the entities that Telegram finds', async () => {
  const { message } = telegram.say(group, '/ask@keyturn_test_bot hi @Bob and a@b.org', { from: 77, title: 'Team' });
  expect(message).toMatchObject({
    chat: { id: group, type: 'supergroup', title: 'Team' },
    from: { id: 77, is_bot: false },
    entities: [
      { type: 'bot_command', offset: 0, length: 21 },
      { type: 'mention', offset: 25, length: 4 },
    ],
  });
  expect(telegram.say(chat, 'no command /here').message?.entities).toBeUndefined();
});

test('a reply shows what it replies to, an edit is an update of its own', async () => {
  telegram.addChat(chat);
  const { message_id: id } = await api.sendMessage(chat, 'question');
  const { message } = telegram.say(chat, 'answer', { replyTo: id });
  expect(message?.reply_to_message).toMatchObject({ message_id: id, text: 'question', from: { is_bot: true } });
  const edited = telegram.edit(chat, message?.message_id ?? 0, 'other answer');
  expect(edited.edited_message).toMatchObject({ text: 'other answer', edit_date: time / 1000 });
});

test('an anonymous admin speaks in the name of the chat', () => {
  const { message } = telegram.say(group, 'hello', { anonymous: true });
  expect(message).toMatchObject({ sender_chat: { id: group }, from: { username: 'GroupAnonymousBot', is_bot: true } });
});

test('a wait for a message ends with the edit that brings it', async () => {
  telegram.addChat(chat);
  const { message_id: id } = await api.sendMessage(chat, 'thinking');
  const waiting = telegram.waitForMessage(chat, /^done/);
  await api.editMessageText(chat, id, 'done');
  expect(await waiting).toMatchObject({ id, edits: 1 });
});

test('a wait in vain shows the chat and the last calls', async () => {
  telegram.addChat(chat);
  await api.sendMessage(chat, 'something else');
  await expect(telegram.waitForMessage(chat, 'hello', 30)).rejects.toThrow(
    /hello in the chat 5.*\n.*Chat 5:\n.*"something else"\nLast calls:\n.*sendMessage .* → 200/,
  );
});
