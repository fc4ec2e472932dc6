import { expect, test } from 'vitest';
import { ruleWords } from '../../../src/approval/rules/words.ts';
import { listWords } from '../../../src/conversation/commands/reports/words.ts';
import { rulesWords } from '../../../src/features/rules/words.ts';
import { TelegramSetting } from '../../e2e/telegram-setting.ts';
import { savedWords } from './rules-setting.ts';

const words = rulesWords.en;
const named = {
  toolName: 'write_file',
  scope: { of: 'folder', folder: 'notes', ending: '.md', isDeep: false },
} as const;

/** As the platform shows it, without marks. */
function plain(markdown: string): string {
  return markdown.replaceAll(/[`*]/g, '');
}

test('on Telegram, eight approvals bring the offer, two presses save it, and the next call runs without a card', async () => {
  await using setting = await TelegramSetting.start();
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  const write = (number: number) => {
    const path = `notes/${number}.md`;
    model.onUser(`make ${number}.`, { calls: [{ name: 'write_file', arguments: { path, content: `${number}` } }] });
    return `make ${number}.`;
  };
  for (const number of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const card = await setting.askFor(chat, write(number));
    telegram.press(chat, card.id, '✅ Approve');
    await setting.shows(chat, card.id, /^✅ .* allowed it/);
  }
  const card = await setting.askFor(chat, write(9));
  telegram.press(chat, card.id, ruleWords.en.buttonRule(named));
  const asked = await telegram.waitForMessage(chat, /Always allow this\?/);
  expect(asked.text).toContain(savedWords(8));
  telegram.press(chat, asked.id, words.buttonAllow);
  await setting.shows(chat, card.id, plain(words.alsoAlways(named)));
  await setting.shows(chat, asked.id, /Always allowed: write/);

  telegram.say(chat, write(10));
  telegram.say(chat, '/grants');
  const list = await telegram.waitForMessage(chat, plain(listWords.en.grants({ lines: [] })));
  expect(list.text).toContain('notes/');
  expect(telegram.chat(chat).filter(({ text }) => /notes\/10\.md/.test(text))).toEqual([]);
});
