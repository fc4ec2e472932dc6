import { Api } from 'grammy';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TelegramServer } from '../support/telegram-server.ts';

const chat = 5;
const group = -500;
const supergroup = -1_001_234_567_890;
const bytes = Buffer.from('what is in it');
let telegram: TelegramServer;
let api: Api;

beforeEach(async () => {
  telegram = await TelegramServer.start();
  api = new Api(telegram.token, { apiRoot: telegram.root });
});

afterEach(() => telegram.close());

async function download(fileId: string | undefined): Promise<Buffer> {
  const { file_path } = await api.getFile(fileId ?? '');
  const response = await fetch(`${telegram.root}/file/bot${telegram.token}/${file_path}`);
  return Buffer.from(await response.arrayBuffer());
}

test('a file that a person sends can be fetched, and its caption has entities', async () => {
  const options = { caption: '@keyturn_test_bot look' };
  const { message } = telegram.people.send(
    chat,
    { type: 'document', bytes, name: 'a.txt', mediaType: 'text/plain' },
    options,
  );
  expect(message).toMatchObject({
    document: { file_name: 'a.txt', mime_type: 'text/plain', file_size: bytes.length },
    caption: '@keyturn_test_bot look',
    caption_entities: [{ type: 'mention', offset: 0, length: 17 }],
  });
  expect(message?.text).toBeUndefined();
  expect(await download(message?.document?.file_id)).toEqual(bytes);
});

test('a photo comes in several sizes, of which the largest is what was sent', async () => {
  const { message } = telegram.people.send(chat, { type: 'photo', bytes });
  const sizes = (message?.photo ?? []).toSorted((one, other) => one.width - other.width);
  expect(sizes.length).toBeGreaterThan(1);
  expect(await download(sizes.at(-1)?.file_id)).toEqual(bytes);
  expect(await download(sizes[0]?.file_id)).not.toEqual(bytes);
  expect(message).not.toHaveProperty('caption');
});

test.each(['voice', 'audio', 'video', 'video_note', 'animation'] as const)('a %s is a file', async (type) => {
  const { message } = telegram.people.send(chat, { type, bytes });
  expect(await download(message?.[type]?.file_id)).toEqual(bytes);
});

test('an animation is told of as a document, too', () => {
  const { message } = telegram.people.send(chat, { type: 'animation', bytes });
  expect(message?.document?.file_id).toBe(message?.animation?.file_id);
});

test('the items of an album are messages of their own with one group, and one has the caption', () => {
  const photo = { type: 'photo', bytes } as const;
  const updates = telegram.people.sendAlbum(chat, [photo, photo, photo], { caption: 'three', captionAt: 1 });
  expect(updates.map(({ message }) => message?.caption)).toEqual([undefined, 'three', undefined]);
  const groups = new Set(updates.map(({ message }) => message?.media_group_id));
  expect(groups.size).toBe(1);
  const [other] = telegram.people.sendAlbum(chat, [photo, photo]);
  expect(groups).not.toContain(other?.message?.media_group_id);
  expect(() => telegram.people.sendAlbum(chat, [photo])).toThrow('2 to 10');
});

test('a caption can be changed', async () => {
  const { message } = telegram.people.send(chat, { type: 'photo', bytes }, { caption: 'before' });
  const { edited_message } = telegram.edit(chat, message?.message_id ?? 0, 'after');
  expect(edited_message).toMatchObject({ caption: 'after', photo: message?.photo, edit_date: expect.any(Number) });
});

test('a reply can quote a part, and something outside of the chat', () => {
  const first = telegram.say(chat, 'It rains.').message?.message_id ?? 0;
  const { message } = telegram.say(chat, 'why?', { replyTo: first, quote: 'rains' });
  expect(message).toMatchObject({ quote: { text: 'rains' }, reply_to_message: { message_id: first } });
  const externalReply = { origin: { type: 'hidden_user', date: 1, sender_user_name: 'Eve' } } as const;
  expect(telegram.say(chat, 'and?', { externalReply }).message?.external_reply).toEqual(externalReply);
});

test('a place is neither a text nor a file', () => {
  const { message } = telegram.people.show(chat, { location: { latitude: 1, longitude: 2 } });
  expect(message).toMatchObject({ location: { latitude: 1, longitude: 2 } });
  expect(message?.text).toBeUndefined();
});

test('a group that becomes a supergroup says so in both chats, and sending to the old one is refused', async () => {
  telegram.say(group, 'hello', { title: 'Team' });
  const updates = telegram.people.migrate(group, supergroup);
  expect(updates.map(({ message }) => message)).toMatchObject([
    { chat: { id: group, type: 'group', title: 'Team' }, migrate_to_chat_id: supergroup },
    { chat: { id: supergroup, type: 'supergroup' }, migrate_from_chat_id: group },
  ]);
  await expect(api.sendMessage(group, 'x')).rejects.toMatchObject({
    error_code: 400,
    parameters: { migrate_to_chat_id: supergroup },
  });
  await api.sendMessage(supergroup, 'x');
});

test('a draft can be stopped in a direct chat only', async () => {
  const update = telegram.people.stopDraft(chat, 3);
  expect(update.stopped_message_generation).toEqual({
    chat: { id: chat, type: 'private', first_name: 'Person 5' },
    draft_id: 3,
  });
  expect(await api.getUpdates()).toEqual([update]);
  expect(() => telegram.people.stopDraft(group, 3)).toThrow('direct chats only');
});

test('a download is in the log of calls, and can go wrong', async () => {
  const fileId = telegram.addFile('a', bytes);
  const fault = telegram.fault({ method: 'download', kind: 'status', status: 500, times: 1 });
  const { file_path } = await api.getFile(fileId);
  const url = `${telegram.root}/file/bot${telegram.token}/${file_path}`;
  expect((await fetch(url)).status).toBe(500);
  expect((await fetch(url)).status).toBe(200);
  expect(fault.fired).toBe(1);
  expect(telegram.callsOf('download').map(({ status }) => status)).toEqual([500, 200]);
  expect((await fetch(`${telegram.root}/file/bot${telegram.token}/documents/none`)).status).toBe(404);
  expect((await fetch(`${telegram.root}/file/bot1:wrong/${file_path}`)).status).toBe(404);
});

test('the menu of commands is kept for each language', async () => {
  const menu = [{ command: 'stop', description: 'Anhalten' }];
  await api.setMyCommands(menu, { language_code: 'de' });
  expect(await api.getMyCommands({ language_code: 'de' })).toEqual(menu);
  expect(await api.getMyCommands()).toEqual([]);
});
