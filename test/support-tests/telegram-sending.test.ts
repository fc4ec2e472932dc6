import { Api, InputFile } from 'grammy';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jpegOf, pngOf, webpOf } from '../support/telegram/pictures.ts';
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

describe('a file', () => {
  const send = (bytes: Buffer, name = 'a.bin') => api.sendDocument(chat, new InputFile(bytes, name));

  test('has something in it, and at most 50 MiB', async () => {
    expect(await refusal(send(Buffer.alloc(0)))).toBe('400 Bad Request: file must be non-empty');
    expect(await refusal(send(Buffer.alloc(50 * 2 ** 20 + 1)))).toBe('413 Request Entity Too Large');
    expect(await refusal(api.sendDocument(chat, 'attach://none'))).toMatch('there is no document');
  });

  test('is named by what stands before the first semicolon, without spaces and quotes around it', async () => {
    for (const name of ['a;b.txt', '"a;b".txt', ' "a b" ', 'a "b" c']) await send(Buffer.from('x'), name);
    expect(telegram.chat(chat).map(({ file }) => file?.name)).toEqual(['a', '"a', 'a b', 'a "b" c']);
  });
});

describe('a photo', () => {
  const send = (bytes: Buffer) => api.sendPhoto(chat, new InputFile(bytes, 'a.png'));

  test('is a picture of at most 10 MiB', async () => {
    expect(await refusal(send(Buffer.from('hello')))).toBe('400 Bad Request: IMAGE_PROCESS_FAILED');
    const large = Buffer.concat([pngOf(2, 2), Buffer.alloc(10 * 2 ** 20)]);
    expect(await refusal(send(large))).toMatch(`400 Bad Request: file of size ${large.length} bytes is too big`);
    for (const bytes of [pngOf(640, 480), jpegOf(640, 480), webpOf(640, 480)]) await send(bytes);
    expect(telegram.chat(chat)).toHaveLength(3);
  });

  test('has edges of at most 10000 together, the longer at most 20 times the shorter', async () => {
    for (const make of [pngOf, jpegOf, webpOf]) {
      expect(await refusal(send(make(9_000, 1_001)))).toBe('400 Bad Request: PHOTO_INVALID_DIMENSIONS');
      expect(await refusal(send(make(100, 2_001)))).toBe('400 Bad Request: PHOTO_INVALID_DIMENSIONS');
      await send(make(9_000, 1_000));
      await send(make(100, 2_000));
    }
    expect(await refusal(send(pngOf(0, 0)))).toBe('400 Bad Request: PHOTO_INVALID_DIMENSIONS');
  });
});

describe('a draft', () => {
  const show = (text: string, id = 1, other: object = {}) => api.sendMessageDraft(chat, id, text, other);

  test('shows for 30 s what was sent last', async () => {
    await show('o*ne*', 1, { can_stop: true });
    await show('two', 2, { entities: [{ type: 'bold', offset: 0, length: 3 }] });
    expect(telegram.draft(chat)).toMatchObject({ id: 2, text: 'two', entities: [{ type: 'bold' }], canStop: false });
    expect(telegram.chat(chat)).toEqual([]);
    time += 30_000;
    expect(telegram.draft(chat)).toBeUndefined();
  });

  test('goes when the bot sends a message, and not when it edits one', async () => {
    const { message_id: id } = await api.sendMessage(chat, 'one');
    await show('two');
    await api.editMessageText(chat, id, 'three');
    expect(telegram.draft(chat)?.text).toBe('two');
    await api.sendDocument(chat, new InputFile(Buffer.from('x'), 'a'));
    expect(telegram.draft(chat)).toBeUndefined();
  });

  test('may be empty, has at most 4096 units, a number that is not 0, and a direct chat', async () => {
    await show('');
    expect(telegram.draft(chat)?.text).toBe('');
    await show('x'.repeat(4_096));
    expect(await refusal(show('x'.repeat(4_097)))).toBe('400 Bad Request: message is too long');
    expect(await refusal(show('x', 0))).toMatch('draft_id');
    expect(await refusal(show('x', 1, { message_thread_id: 9 }))).toMatch('thread not found');
    telegram.addChat(group);
    expect(await refusal(api.sendMessageDraft(group, 1, 'x'))).toMatch('private chats only');
    expect(await refusal(api.sendMessageDraft(99, 1, 'x'))).toMatch('chat not found');
  });
});

describe('a message', () => {
  test('of somebody else can be deleted in a direct chat only', async () => {
    telegram.say(chat, 'mine', { messageId: 1 });
    telegram.say(group, 'mine', { messageId: 1 });
    await api.deleteMessage(chat, 1);
    expect(await refusal(api.deleteMessage(group, 1))).toBe("400 Bad Request: message can't be deleted");
  });

  test('of more than 48 hours cannot be deleted', async () => {
    const { message_id: id } = await api.sendMessage(chat, 'one');
    time += 48 * 3_600_000 + 1;
    expect(await refusal(api.deleteMessage(chat, id))).toBe("400 Bad Request: message can't be deleted for everyone");
  });

  test('takes a reaction that bots may use, one at a time', async () => {
    telegram.say(chat, 'hello', { messageId: 1 });
    const react = (...emojis: readonly string[]) =>
      fetch(`${telegram.root}/bot${telegram.token}/setMessageReaction`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          chat_id: chat,
          message_id: 1,
          reaction: emojis.map((emoji) => ({ type: 'emoji', emoji })),
        }),
      }).then((response) => response.json());
    expect(await react('✅')).toMatchObject({ description: 'Bad Request: REACTION_INVALID' });
    expect(await react('✍️')).toMatchObject({ description: 'Bad Request: REACTION_INVALID' });
    expect(await react('👀', '✍')).toMatchObject({ description: 'Bad Request: REACTIONS_TOO_MANY' });
    expect(await react('✍')).toMatchObject({ ok: true });
    expect(telegram.chat(chat)[0]?.reactions).toEqual(['✍']);
  });

  test('has formatting of at most 9500 bytes', async () => {
    const entities = (count: number) =>
      Array.from({ length: count }, (_, offset) => ({
        type: 'text_link' as const,
        offset,
        length: 1,
        url: `https://a.com/${'x'.repeat(920)}`,
      }));
    await api.sendMessage(chat, 'x'.repeat(20), { entities: entities(10) });
    const tooMuch = api.sendMessage(chat, 'x'.repeat(20), { entities: entities(11) });
    expect(await refusal(tooMuch)).toBe('400 Bad Request: ENTITIES_TOO_LONG');
  });
});
