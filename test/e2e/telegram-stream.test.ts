import { afterAll, beforeAll, expect, test } from 'vitest';
import { TelegramSetting } from './telegram-setting.ts';

const words = Array.from({ length: 60 }, (_, index) => `word${index + 1}`).join(' ');
const slowly = { text: words, pieceSize: 20, pieceDelayMs: 180 };
let setting: TelegramSetting;
let killed: TelegramSetting;

beforeAll(async () => {
  [setting, killed] = await Promise.all([TelegramSetting.start(), TelegramSetting.start()]);
  for (const { model } of [setting, killed]) model.onUser('tell', slowly);
});

afterAll(() => Promise.all([setting.dispose(), killed.dispose()]));

function callsIn(chat: number, method: string) {
  return setting.telegram.callsOf(method).filter(({ params }) => String(params.chat_id) === String(chat));
}

/** Resolves with the message that shows the beginning of the answer while it is written. */
function preview({ telegram }: TelegramSetting, chat: number) {
  return telegram.waitFor(
    () => telegram.chat(chat).find(({ from, text }) => from === 'bot' && text.startsWith('word1') && text !== words),
    { what: 'the beginning of the answer' },
  );
}

test.concurrent('a reply grows in one message while the model writes it', async () => {
  const chat = setting.newOwner();
  setting.telegram.say(chat, 'tell');
  const { id, text } = await preview(setting, chat);
  const grown = await setting.shows(chat, id, new RegExp(`^${text}.+`));
  expect(grown.text).not.toBe(words);
  await setting.shows(chat, id, words);
  expect(setting.said(chat)).toEqual([words]);
  const edits = callsIn(chat, 'editMessageText');
  expect(edits.length).toBeGreaterThanOrEqual(2);
  // About 4 s at 1.1 s a change, and the last one.
  expect(edits.length).toBeLessThanOrEqual(6);
});

test.concurrent('a reply that Telegram takes no changes of for a while is whole at the end', async () => {
  const chat = setting.newOwner();
  const when = ({ chat_id }: Readonly<Record<string, unknown>>): boolean => String(chat_id) === String(chat);
  setting.telegram.fault({ kind: '429', retryAfter: 2, method: 'editMessageText', times: 1, when });
  setting.telegram.say(chat, 'tell');
  const { id } = await preview(setting, chat);
  await setting.shows(chat, id, words);
  const [refused, next, ...more] = callsIn(chat, 'editMessageText');
  expect((next?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(2000);
  expect(more.length).toBeLessThanOrEqual(2);
  expect(setting.said(chat)).toEqual([words]);
});

test.concurrent('a preview whose answer was lost is not shown again, and the reply is sent', async () => {
  const chat = setting.newOwner();
  const when = ({ chat_id }: Readonly<Record<string, unknown>>): boolean => String(chat_id) === String(chat);
  setting.telegram.fault({ kind: 'drop-after', method: 'sendMessage', times: 1, when });
  setting.telegram.say(chat, 'tell');
  await setting.telegram.waitForMessage(chat, words);
  expect(callsIn(chat, 'sendMessage')).toHaveLength(2);
  expect(callsIn(chat, 'editMessageText')).toHaveLength(0);
});

test.concurrent('a reply in the midst of which the process is killed is finished in the same message by the next one', async () => {
  const chat = killed.newOwner();
  killed.telegram.say(chat, 'tell');
  const { id, text } = await preview(killed, chat);
  await killed.shows(chat, id, new RegExp(`^${text}.+`));
  await killed.restart();
  await killed.shows(chat, id, words);
  expect(killed.said(chat)).toEqual([words]);
});
