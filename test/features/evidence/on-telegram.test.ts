import { expect, test } from 'vitest';
import { evidenceWords } from '../../../src/features/evidence/words.ts';
import { TelegramSetting } from '../../e2e/telegram-setting.ts';

const words = evidenceWords.en;

test('on Telegram, a person asks about a card by a reply, before and after they decide, and reads what was done', async () => {
  await using setting = await TelegramSetting.start();
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  model.onUser('make it', { calls: [{ name: 'shell', arguments: { command: 'touch made' } }] });
  const card = await setting.askFor(chat, 'make it');
  telegram.say(chat, '/why', { replyTo: card.id });
  const waits = await telegram.waitForMessage(chat, /Why\?.*touch made/);
  expect(waits.text).toContain('You asked: “make it”');

  telegram.press(chat, card.id, '✅ Approve');
  await setting.shows(chat, card.id, /^✅ .* allowed it/);
  telegram.say(chat, '/log');
  const log = await telegram.waitForMessage(chat, /one action/);
  expect(log.text).toMatch(/touch made.* allowed by /);
  telegram.press(chat, log.id, words.buttonWeek);
  await setting.shows(chat, log.id, /Since /);
});
