import { afterAll, beforeAll, expect, test } from 'vitest';
import { TelegramSetting } from './telegram-setting.ts';

const words = Array.from({ length: 40 }, (_, index) => `word${index + 1}`).join(' ');
let setting: TelegramSetting;

beforeAll(async () => {
  setting = await TelegramSetting.start({ channel: { drafts: true, reactions: true } });
  setting.model.onUser('tell', { text: words, pieceSize: 20, pieceDelayMs: 120 });
});

afterAll(() => setting.dispose());

function draftLengths(chat: number): readonly number[] {
  const drafts = setting.telegram.callsOf('sendMessageDraft').filter(({ params }) => Number(params.chat_id) === chat);
  return drafts.map(({ params }) => String(params.text).length);
}

test.concurrent('a reply grows in a draft while the model writes it, and is sent once', async () => {
  const { telegram } = setting;
  const chat = setting.newOwner();
  telegram.say(chat, 'tell');
  const beginning = await telegram.waitFor(() => telegram.draft(chat)?.text, { what: 'a draft' });
  expect(words.startsWith(beginning)).toBe(true);
  expect(setting.said(chat)).toEqual([]);
  await telegram.waitForMessage(chat, words);
  const lengths = draftLengths(chat);
  expect(lengths).toEqual(lengths.toSorted((one, other) => one - other));
  expect(setting.said(chat)).toEqual([words]);
  expect(telegram.draft(chat)).toBeUndefined();
});

test.concurrent('a draft grows, and the button below it stops what is being written', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  model.onUser('go on', { text: words.repeat(20), pieceSize: 20, pieceDelayMs: 150 });
  telegram.say(chat, 'go on');
  const { id, canStop } = await telegram.waitFor(() => telegram.draft(chat), { what: 'a draft' });
  expect(canStop).toBe(true);
  await telegram.waitFor(() => new Set(draftLengths(chat)).size > 2, { what: 'a draft that has grown twice' });
  telegram.people.stopDraft(chat, id);
  await telegram.waitForMessage(chat, /stopped/i);
  expect(setting.said(chat)).not.toContain(words.repeat(20));
});

test.concurrent('a message is marked as seen, worked on and answered', async () => {
  const { telegram } = setting;
  const chat = setting.newOwner();
  telegram.say(chat, 'tell', { messageId: 70 });
  await telegram.waitFor(() => telegram.chat(chat)[0]?.reactions.includes('👌'), { what: 'the last mark' });
  const marks = telegram.callsOf('setMessageReaction').filter(({ params }) => Number(params.chat_id) === chat);
  const emoji = marks.map(({ params }) => JSON.stringify(params.reaction).match(/👀|✍|👌/)?.[0]);
  expect(emoji.at(0)).toBe('👀');
  expect(emoji.slice(-2)).toEqual(['✍', '👌']);
  await telegram.waitForMessage(chat, words);
  expect(setting.said(chat)).toEqual([words]);
});

test.concurrent('a reply that would take too many messages arrives as its beginning, and whole as a file', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  const whole = Array.from({ length: 900 }, (_, index) => `line ${index} of the **longer** reply`).join('\n\n');
  model.onUser('at more length', whole);
  telegram.say(chat, 'at more length');
  const { file } = await telegram.waitForMessage(chat, (message) => message.file !== undefined);
  expect(file?.bytes.toString()).toBe(whole);
  expect(file?.name).toMatch(/^reply-.*\.md$/);
  const said = setting.said(chat);
  expect(said[0]).toMatch(/^line 0 of the longer reply\n\nline 1 /);
  expect(said).toHaveLength(5);
});
