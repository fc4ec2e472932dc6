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
