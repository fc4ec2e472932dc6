import { Api, GrammyError, InputFile } from 'grammy';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pngOf } from '../../packages/fakes/src/telegram/methods.ts';
import { TelegramServer } from '../../packages/fakes/src/telegram-server.ts';
import { waitUntil } from '../support/wait-for.ts';

/** What the fake Telegram refuses, as Telegram does: what sends too much is seen in a test. By the real client. */

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
  telegram.say(chat, 'of a person', { messageId: 1 });
  telegram.say(group, 'in a topic', { messageId: 1, threadId: 7, isTopic: true });
  telegram.say(group, 'a reply in a plain supergroup', { threadId: 8 });
});

afterEach(() => telegram.close());

/** The number and the words with which it says no, without those that it begins each with. */
async function refusal(request: Promise<unknown>): Promise<string> {
  const error = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) return 'nothing';
  if (!(error instanceof GrammyError)) throw error;
  return `${error.error_code} ${error.description.replace(/^Bad Request: /, '')}`;
}

const button = (callback_data: string, text = 'Press') => ({ inline_keyboard: [[{ text, callback_data }]] });
const long = (length: number): string => 'x'.repeat(length);
const bold = (offset: number, length: number) => ({ type: 'bold' as const, offset, length });
const url = `https://a.com/${long(920)}`;
const links = Array.from({ length: 11 }, (_, offset) => ({ type: 'text_link' as const, offset, length: 1, url }));
const file = (content: Uint8Array | string) => new InputFile(Buffer.from(content), 'a');
const wrong = '400 a parameter is wrong';

/** A message to the chat of a person. */
function sends(text: string, rest?: Parameters<Api['sendMessage']>[2]): () => Promise<unknown> {
  return () => api.sendMessage(chat, text, rest);
}

function commands(command: string, description: string): () => Promise<unknown> {
  return () => api.setMyCommands([{ command, description }]);
}

test.each<readonly [string, () => Promise<unknown>, string]>([
  ['an empty text', sends(' \n '), '400 message text is empty'],
  ['a long text', sends('👉'.repeat(2049)), '400 message is too long'],
  ['as long a text as there can be', sends(` ${'👉'.repeat(2048)} `), 'nothing'],
  ['half a character', sends('👉'.slice(0, 1)), '400 text must be encoded in UTF-8'],
  ['an entity behind the text', sends('a👉b', { entities: [bold(3, 2)] }), '400 entity at'],
  ['an entity of half a character', sends('a👉b', { entities: [bold(0, 2)] }), '400 entity at'],
  ['much formatting', sends(long(20), { entities: links }), '400 ENTITIES_TOO_LONG'],
  ['no data in a button', sends('x', { reply_markup: button('') }), wrong],
  ['much data in a button', sends('x', { reply_markup: button('é'.repeat(33)) }), wrong],
  ['a button without words', sends('x', { reply_markup: button('d', ' ') }), wrong],
  ['an unknown chat', () => api.sendMessage(99, 'x'), '400 chat not found'],
  [
    'a thread that is no topic',
    () => api.sendMessage(group, 'x', { message_thread_id: 8 }),
    '400 message thread not found',
  ],
  ['a topic', () => api.sendMessage(group, 'x', { message_thread_id: 7 }), 'nothing'],
  ['an answer to nothing', sends('x', { reply_parameters: { message_id: 50 } }), '400 message to be replied not found'],
  ['a change of what a person said', () => api.editMessageText(chat, 1, 'x'), "400 message can't be edited"],
  ['a change of nothing', () => api.editMessageText(chat, 2, 'x'), '400 message to edit not found'],
  ['a deletion of nothing', () => api.deleteMessage(chat, 2), '400 message to delete not found'],
  ['a deletion of what a person said in a group', () => api.deleteMessage(group, 1), "400 message can't be deleted"],
  [
    'a reaction that bots have not',
    // grammY's types know only those that bots have.
    () =>
      api.raw.setMessageReaction({
        chat_id: chat,
        message_id: 1,
        reaction: JSON.parse('[{"type":"emoji","emoji":"🧂"}]'),
      }),
    '400 REACTION_INVALID',
  ],
  ['an empty file', () => api.sendDocument(chat, file('')), '400 file must be non-empty'],
  ['a large file', () => api.sendDocument(chat, file(long(50 * 2 ** 20 + 1))), '413 Request Entity Too Large'],
  [
    'a long caption',
    () => api.sendDocument(chat, file('x'), { caption: long(1025) }),
    '400 message caption is too long',
  ],
  ['a photo that is none', () => api.sendPhoto(chat, file('x')), '400 IMAGE_PROCESS_FAILED'],
  ['a long photo', () => api.sendPhoto(chat, file(pngOf(100, 2001))), '400 PHOTO_INVALID_DIMENSIONS'],
  ['a photo that is not too long', () => api.sendPhoto(chat, file(pngOf(100, 2000))), 'nothing'],
  ['a draft in a group', () => api.sendMessageDraft(group, 1, 'x'), '400 drafts can be sent to private chats only'],
  ['a draft without a number', () => api.sendMessageDraft(chat, 0, 'x'), '400 draft_id must be non-zero'],
  ['a command with capitals', commands('New', 'x'), '400 BOT_COMMAND_INVALID'],
  ['a command without words', commands('new', ''), '400 BOT_COMMAND_DESCRIPTION_INVALID'],
  ['a file that is not there', () => api.getFile('none'), '400 wrong file_id or the file is temporarily unavailable'],
  ['an unknown method', () => api.getChat(chat), '404 Not Found: method not found'],
  ['another token', () => new Api(`1:${long(35)}`, { apiRoot: telegram.root }).getMe(), '401 Unauthorized'],
  ['no token', () => new Api('1:short', { apiRoot: telegram.root }).getMe(), '404 Not Found'],
])('of %s', async (_what, request, expected) => {
  expect((await refusal(request())).slice(0, expected.length)).toBe(expected);
});

test('a text is counted and formatted without the spaces around it, and with 100 entities at most', async () => {
  await api.sendMessage(chat, '  ab c  ', { entities: [bold(0, 4), bold(5, 2)] });
  expect(telegram.chat(chat).at(-1)).toMatchObject({ text: 'ab c', entities: [bold(0, 2), bold(3, 1)] });
  await api.sendMessage(chat, long(120), { entities: [...Array(120).keys()].map((offset) => bold(offset, 1)) });
  expect(telegram.chat(chat).at(-1)?.entities).toHaveLength(100);
});

test('an edit that changes nothing is refused, and a message of 48 hours is not deleted', async () => {
  const { message_id: id } = await api.sendMessage(chat, 'one', { reply_markup: button('d') });
  const edit = (rest: object) => refusal(api.editMessageText(chat, id, 'one ', rest));
  expect(await edit({ reply_markup: button('d') })).toContain('message is not modified');
  expect(await edit({})).toBe('nothing');
  expect(telegram.chat(chat).at(-1)).toMatchObject({ text: 'one', buttons: [], edits: 1 });
  time += 48 * 3_600_000 + 1;
  expect(await refusal(api.deleteMessage(chat, id))).toBe("400 message can't be deleted for everyone");
});

test('a press is answered within 150 s, in at most 200 characters', async () => {
  const { message_id: id } = await api.sendMessage(chat, 'x', { reply_markup: button('d') });
  const press = telegram.press(chat, id, 'Press');
  expect(await refusal(api.answerCallbackQuery(press.id, { text: long(201) }))).toBe('400 MESSAGE_TOO_LONG');
  expect(await refusal(api.answerCallbackQuery(press.id, { text: 'done', show_alert: true }))).toBe('nothing');
  expect(await press.answered).toEqual({ text: 'done', showAlert: true });
  time += 150_000;
  expect(await refusal(api.answerCallbackQuery(press.id))).toContain('query is too old');
});

test('a draft goes after 30 s, and when the bot sends a message', async () => {
  await api.sendMessageDraft(chat, 1, 'one');
  await api.sendMessage(chat, 'two');
  expect(telegram.draft(chat)).toBeUndefined();
  await api.sendMessageDraft(chat, 2, 'three', { can_stop: true });
  expect(telegram.draft(chat)).toMatchObject({ id: 2, text: 'three', canStop: true });
  time += 30_000;
  expect(telegram.draft(chat)).toBeUndefined();
});

test('a file is named by what stands before the first semicolon, without spaces and quotes around it', async () => {
  for (const name of ['a;b.txt', '"a;b".txt', ' "a b" ', 'a "b" c', 'ä b.bin'])
    await api.sendDocument(chat, new InputFile(Buffer.from('x'), name));
  const names = telegram.chat(chat).flatMap(({ file }) => file?.name ?? []);
  expect(names).toEqual(['a', '"a', 'a b', 'a "b" c', 'ä b.bin']);
});

test('updates: a newer poll ends the older one, and nobody can poll while a webhook is set', async () => {
  const older = refusal(api.getUpdates({ offset: 999_999_999, timeout: 30, allowed_updates: ['message'] }));
  expect(await older).toBe('nothing');
  const held = refusal(api.getUpdates({ offset: 100_000_004, timeout: 30 }));
  await telegram.waitFor(() => telegram.polls === 2);
  const newer = api.getUpdates({ timeout: 30 });
  expect(await held).toContain('409 Conflict: terminated by other getUpdates request');
  // One that need not wait ends no other.
  expect(await api.getUpdates()).toEqual([]);
  const said = telegram.say(chat, 'hello');
  expect(await newer).toEqual([said]);
  telegram.setWebhook('https://example.org/hook');
  expect(await refusal(api.getUpdates())).toContain("409 Conflict: can't use getUpdates method while webhook");
});

test('updates: what a poll asks for may stand in its address', async () => {
  const held = refusal(api.getUpdates({ offset: 100_000_004, timeout: 30 }));
  await waitUntil(() => telegram.isPolled);
  const byAddress = fetch(`${telegram.root}/bot${telegram.token}/getUpdates?timeout=30&limit=1`);
  expect(await held).toContain('409');
  telegram.say(chat, 'hello');
  telegram.say(chat, 'hello again');
  expect(await (await byAddress).json()).toMatchObject({ result: [{ message: { text: 'hello' } }] });
});

test('updates: of the conflicts of three seconds only the first is told at once', async () => {
  const polls: Promise<unknown>[] = [];
  const told: number[] = [];
  for (const poll of [0, 1, 2]) {
    polls.push(refusal(api.getUpdates({ offset: 100_000_004, timeout: 30 })).then(() => told.push(poll)));
    await telegram.waitFor(() => telegram.polls === poll + 1);
  }
  await polls[0];
  expect(told).toEqual([0]);
  // The last one gets what comes, while the second waits for its refusal.
  telegram.say(chat, 'hello');
  await Promise.all(polls);
  expect(told).toEqual([0, 2, 1]);
});

test('updates: messages are kept for 24 h, presses for 150 s, and only of kinds that the bot allows', async () => {
  const { message_id: id } = await api.sendMessage(chat, 'x', { reply_markup: button('d') });
  await api.getUpdates({ offset: 100_000_004 });
  const press = telegram.press(chat, id, 'd');
  const said = telegram.say(chat, 'hello');
  time += 149_000;
  expect(await api.getUpdates()).toEqual([press.update, said]);
  time += 1_000;
  expect(await api.getUpdates()).toEqual([said]);
  time += 24 * 3_600_000;
  expect(await api.getUpdates({ allowed_updates: ['callback_query'] })).toEqual([]);
  telegram.say(chat, 'hello again');
  expect(await api.getUpdates()).toEqual([]);
});
