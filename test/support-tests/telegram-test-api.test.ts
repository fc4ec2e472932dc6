import { Api } from 'grammy';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TelegramTestApi } from '../support/telegram-test-api.ts';

const chat = 5;
let peer: TelegramTestApi;
let api: Api;

beforeEach(async () => {
  peer = await TelegramTestApi.start();
  api = new Api(peer.token, { apiRoot: peer.root });
});

afterEach(() => peer.close());

test('a person and the bot talk, and the person presses a button', async () => {
  await peer.say(chat, 'hello');
  await peer.say(chat, '/help me');
  expect((await api.getUpdates()).map(({ message }) => [message?.chat.id, message?.text, message?.entities])).toEqual([
    [chat, 'hello', undefined],
    [chat, '/help me', [{ type: 'bot_command', offset: 0, length: 5 }]],
  ]);

  const waiting = peer.waitForMessage(chat, ({ buttons }) => buttons.length > 0);
  const reply_markup = { inline_keyboard: [[{ text: 'Approve', callback_data: 'ap:1' }]] };
  await api.sendMessage(chat, 'May I?', { reply_markup });
  const card = await waiting;
  await peer.press(chat, card.id, 'Approve');
  const [update] = await api.getUpdates();
  expect(update?.callback_query).toMatchObject({ data: 'ap:1', from: { id: chat }, message: { message_id: card.id } });

  await api.answerCallbackQuery(update?.callback_query?.id ?? '');
  const edited = peer.waitForMessage(chat, ({ text }) => text === 'Approved.');
  await api.editMessageText(chat, card.id, 'Approved.');
  expect((await edited).id).toBe(card.id);
  expect(peer.messages(6)).toEqual([]);
});

test('its quirks: no long poll, and methods that fail without a description', async () => {
  expect(await api.getUpdates({ timeout: 30 })).toEqual([]);
  const response = await fetch(`${peer.root}/bot${peer.token}/sendChatAction`, { method: 'POST' });
  expect([response.status, Object.keys(Object(await response.json()))]).toEqual([500, ['message']]);
});

test('a wait in vain shows what the bot has said', async () => {
  await api.sendMessage(chat, 'something else');
  await expect(peer.waitForMessage(chat, () => false, { timeoutMs: 20 })).rejects.toThrow('something else');
  await expect(peer.press(chat, 1, 'none')).rejects.toThrow('There is no button "none"');
});
