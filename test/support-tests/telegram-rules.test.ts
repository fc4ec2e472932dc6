import { Api, InputFile } from 'grammy';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TelegramServer } from '../support/telegram-server.ts';
import { refusal } from './refusal.ts';

const chat = 5;
const group = -1_001_234_567_890;
let time: number;
let telegram: TelegramServer;
let api: Api;

beforeEach(async () => {
  time = Date.UTC(2026, 0, 1);
  telegram = await TelegramServer.start({ now: () => time });
  api = new Api(telegram.token, { apiRoot: telegram.root });
  telegram.addChat(chat);
});

afterEach(() => telegram.close());

const button = (data: string, text = 'Press') => ({ inline_keyboard: [[{ text, callback_data: data }]] });

test('another token is unauthorized, a malformed one is not found', async () => {
  const stranger = (token: string) => new Api(token, { apiRoot: telegram.root });
  expect(await refusal(stranger(`1:${'x'.repeat(35)}`).getMe())).toBe('401 Unauthorized');
  expect(await refusal(stranger('1:short').getMe())).toBe('404 Not Found');
  expect((await api.getMe()).username).toBe('keyturn_test_bot');
});

test('a method that it does not have is not found', async () => {
  expect(await refusal(api.getChat(chat))).toBe('404 Not Found: method not found');
});

test('parameters are read from the query string, from a form, and whatever the case of the method', async () => {
  const url = `${telegram.root}/bot${telegram.token}/SENDMESSAGE`;
  await fetch(`${url}?chat_id=${chat}&text=one`);
  await fetch(url, { method: 'POST', body: new URLSearchParams({ chat_id: String(chat), text: 'two' }) });
  const markup = JSON.stringify(button('d'));
  await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ chat_id: '5', text: 'three', reply_markup: markup }),
  });
  const form = new FormData();
  form.set('chat_id', String(chat));
  form.set('text', 'fóur');
  await fetch(url, { method: 'POST', body: form });
  expect(telegram.chat(chat).map(({ text }) => text)).toEqual(['one', 'two', 'three', 'fóur']);
  expect(telegram.chat(chat)[2]?.buttons).toEqual([{ label: 'Press', data: 'd' }]);
});

test('a text has 1 to 4096 UTF-16 units after the spaces around it are gone', async () => {
  expect(await refusal(api.sendMessage(chat, ''))).toBe('400 Bad Request: message text is empty');
  expect(await refusal(api.sendMessage(chat, ' \n '))).toBe('400 Bad Request: message text is empty');
  expect(await refusal(api.sendMessage(chat, 'x'.repeat(4097)))).toBe('400 Bad Request: message is too long');
  expect(await refusal(api.sendMessage(chat, '👉'.repeat(2049)))).toBe('400 Bad Request: message is too long');
  await api.sendMessage(chat, ` ${'👉'.repeat(2048)} `);
  expect(telegram.chat(chat)).toHaveLength(1);
});

test('a text that ends in half a character is refused', async () => {
  expect(await refusal(api.sendMessage(chat, '👉'.slice(0, 1)))).toBe('400 Bad Request: text must be encoded in UTF-8');
});

test('callback data has 1 to 64 bytes', async () => {
  const send = (data: string) => api.sendMessage(chat, 'x', { reply_markup: button(data) });
  expect(await refusal(send(''))).toBe('400 Bad Request: BUTTON_DATA_INVALID');
  expect(await refusal(send('é'.repeat(33)))).toBe('400 Bad Request: BUTTON_DATA_INVALID');
  await send('é'.repeat(32));
});

test('a button has a text and something to do', async () => {
  const raw = (markup: unknown) =>
    fetch(`${telegram.root}/bot${telegram.token}/sendMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ chat_id: chat, text: 'x', reply_markup: markup }),
    });
  expect((await raw({ inline_keyboard: [[{ text: 'x' }]] })).status).toBe(400);
  expect((await raw(button('d', ' '))).status).toBe(400);
  await api.sendMessage(chat, 'x', { reply_markup: { inline_keyboard: [[]] } });
  expect(telegram.chat(chat)[0]?.buttons).toEqual([]);
});

test('entities stay within the text and do not split a character', async () => {
  const send = (offset: number, length: number) =>
    api.sendMessage(chat, 'a👉b', { entities: [{ type: 'bold', offset, length }] });
  const because = '400 Bad Request: entity';
  expect(await refusal(send(5, 1))).toBe(`${because} begins after the end of the text at UTF-16 offset 5`);
  expect(await refusal(send(3, 2))).toBe(
    `${because} beginning at UTF-16 offset 3 ends after the end of the text at UTF-16 offset 5`,
  );
  expect(await refusal(send(2, 1))).toBe(`${because} begins in a middle of a UTF-16 symbol at byte offset 5`);
  expect(await refusal(send(0, 2))).toBe(
    `${because} beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 5`,
  );
  expect(await refusal(send(-1, 2))).toBe('400 Bad Request: receive an entity with incorrect offset -1');
  await send(1, 2);
  expect(telegram.chat(chat)[0]?.entities).toEqual([{ type: 'bold', offset: 1, length: 2 }]);
});

test('entities move with the text when the spaces before it go', async () => {
  const entities = [
    { type: 'bold', offset: 0, length: 4 },
    { type: 'code', offset: 5, length: 2 },
  ] as const;
  await api.sendMessage(chat, '  ab c  ', { entities: [...entities] });
  expect(telegram.chat(chat)[0]).toMatchObject({
    text: 'ab c',
    entities: [
      { type: 'bold', offset: 0, length: 2 },
      { type: 'code', offset: 3, length: 1 },
    ],
  });
});

test('only the first 100 entities count, and nobody says so', async () => {
  const entities = Array.from({ length: 120 }, (_, offset) => ({ type: 'bold' as const, offset, length: 1 }));
  await api.sendMessage(chat, 'x'.repeat(120), { entities });
  expect(telegram.chat(chat)[0]?.entities).toHaveLength(100);
});

test('a parse mode is noted', async () => {
  await api.sendMessage(chat, '*x*', { parse_mode: 'MarkdownV2' });
  expect(telegram.chat(chat)[0]).toMatchObject({ text: '*x*', parseMode: 'MarkdownV2' });
});

test('an unknown chat, thread or message to reply to is not found', async () => {
  telegram.addChat(group);
  expect(await refusal(api.sendMessage(99, 'x'))).toBe('400 Bad Request: chat not found');
  expect(await refusal(api.sendChatAction(99, 'typing'))).toBe('400 Bad Request: chat not found');
  const inThread = api.sendMessage(group, 'x', { message_thread_id: 7 });
  expect(await refusal(inThread)).toBe('400 Bad Request: message thread not found');
  const reply = (rest: object) => api.sendMessage(chat, 'x', { reply_parameters: { message_id: 50, ...rest } });
  expect(await refusal(reply({}))).toBe('400 Bad Request: message to be replied not found');
  await reply({ allow_sending_without_reply: true });
});

test('a thread can be written to only if it is a topic', async () => {
  telegram.say(group, 'in a topic', { threadId: 7, isTopic: true });
  telegram.say(group, 'a reply in a plain supergroup', { threadId: 8 });
  await api.sendMessage(group, 'x', { message_thread_id: 7 });
  expect(telegram.chat(group).at(-1)).toMatchObject({ from: 'bot', threadId: 7 });
  const inReply = api.sendMessage(group, 'x', { message_thread_id: 8 });
  expect(await refusal(inReply)).toBe('400 Bad Request: message thread not found');
});

test('an edit changes text and buttons, and is refused if it changes nothing', async () => {
  const { message_id: id } = await api.sendMessage(chat, 'one', { reply_markup: button('d') });
  const same = api.editMessageText(chat, id, 'one ', { reply_markup: button('d') });
  expect(await refusal(same)).toBe(
    '400 Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
  );
  await api.editMessageText(chat, id, 'one');
  expect(telegram.chat(chat)[0]).toMatchObject({ text: 'one', buttons: [], edits: 1 });
  await api.editMessageReplyMarkup(chat, id, { reply_markup: button('e') });
  expect(telegram.chat(chat)[0]).toMatchObject({ text: 'one', buttons: [{ label: 'Press', data: 'e' }], edits: 2 });
  expect(await refusal(api.editMessageReplyMarkup(chat, id, { reply_markup: button('e') }))).toMatch('is not modified');
});

test('only its own messages that are there can be edited', async () => {
  telegram.say(chat, 'mine');
  expect(await refusal(api.editMessageText(chat, 1, 'x'))).toBe("400 Bad Request: message can't be edited");
  expect(await refusal(api.editMessageText(chat, 2, 'x'))).toBe('400 Bad Request: message to edit not found');
  await api.deleteMessage(chat, 1);
  expect(await refusal(api.deleteMessage(chat, 1))).toBe('400 Bad Request: message to delete not found');
});

test('message ids are unique in their chat only', async () => {
  telegram.addChat(6);
  const [one, other] = [await api.sendMessage(chat, 'x'), await api.sendMessage(6, 'x')];
  expect(one.message_id).toBe(other.message_id);
});

test('a press is answered within 150 s, in at most 200 characters', async () => {
  const { message_id: id } = await api.sendMessage(chat, 'x', { reply_markup: button('d') });
  const tooOld = '400 Bad Request: query is too old and response timeout expired or query ID is invalid';
  expect(await refusal(api.answerCallbackQuery('1'))).toBe(tooOld);
  const press = telegram.press(chat, id, 'Press');
  expect(await refusal(api.answerCallbackQuery(press.id, { text: 'x'.repeat(201) }))).toMatch('400');
  await api.answerCallbackQuery(press.id, { text: 'done', show_alert: true });
  expect(await press.answered).toEqual({ text: 'done', showAlert: true });
  time += 150_000;
  expect(await refusal(api.answerCallbackQuery(press.id))).toBe(tooOld);
});

test('a button that is not there can be pressed only by force', async () => {
  const { message_id: id } = await api.sendMessage(chat, 'x', { reply_markup: button('d') });
  expect(() => telegram.press(chat, id, 'other')).toThrow('There is no button "other"');
  expect(telegram.press(chat, id, 'other', { forged: true, from: 77 }).update.callback_query).toMatchObject({
    data: 'other',
    from: { id: 77 },
    message: { message_id: id, text: 'x', reply_markup: button('d') },
  });
});

test('commands are checked and kept', async () => {
  const set = (command: string, description = 'x') => api.setMyCommands([{ command, description }]);
  expect(await refusal(set('New'))).toBe('400 Bad Request: BOT_COMMAND_INVALID');
  expect(await refusal(set('new', ''))).toBe('400 Bad Request: BOT_COMMAND_DESCRIPTION_INVALID');
  await set('new');
  expect(await api.getMyCommands()).toEqual([{ command: 'new', description: 'x' }]);
});

test('a reaction is one of the known emoji', async () => {
  telegram.say(chat, 'hello');
  await api.setMessageReaction(chat, 1, [{ type: 'emoji', emoji: '👀' }]);
  expect(telegram.chat(chat)[0]?.reactions).toEqual(['👀']);
  const raw = api.raw.setMessageReaction({ chat_id: chat, message_id: 9, reaction: [] });
  expect(await refusal(raw)).toBe('400 Bad Request: message to react not found');
});

test('a file is sent with its name and caption, and fetched by its id', async () => {
  const bytes = Buffer.from([0, 13, 10, 45, 45, 255]);
  const message = await api.sendDocument(chat, new InputFile(bytes, 'ä b.bin'), { caption: 'here' });
  expect(telegram.chat(chat)[0]).toMatchObject({ text: 'here', file: { name: 'ä b.bin', bytes } });
  const { file_path } = await api.getFile(message.document.file_id);
  const response = await fetch(`${telegram.root}/file/bot${telegram.token}/${file_path}`);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
  expect(await refusal(api.getFile('none'))).toMatch('wrong file_id');
  expect(await refusal(api.sendDocument(chat, new InputFile(bytes), { caption: 'x'.repeat(1025) }))).toMatch(
    'too long',
  );
  expect(await refusal(api.editMessageText(chat, message.message_id, 'x'))).toMatch('there is no text in the message');
});
