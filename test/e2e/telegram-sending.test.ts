import { expect, test } from 'vitest';
import { TelegramSetting } from './telegram-setting.ts';

const words = Array.from({ length: 800 }, (_, index) => `word${index + 1}`).join(' ');

test('a draft grows, and the button below it stops what is being written', async () => {
  await using setting = await TelegramSetting.start({ channel: { drafts: true } });
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  const lengths = (): readonly number[] =>
    telegram.callsOf('sendMessageDraft').map(({ params }) => String(params.text).length);
  model.onUser('go on', { text: words, pieceSize: 20, pieceDelayMs: 150 });
  telegram.say(chat, 'go on');
  const { id, canStop } = await telegram.waitFor(() => telegram.draft(chat), { what: 'a draft' });
  expect(canStop).toBe(true);
  await telegram.waitFor(() => new Set(lengths()).size > 2, { what: 'a draft that has grown twice' });
  expect(setting.said(chat)).toEqual([]);
  telegram.people.stopDraft(chat, id);
  await telegram.waitForMessage(chat, /stopped/i);
  expect(setting.said(chat)).not.toContain(words);
});
