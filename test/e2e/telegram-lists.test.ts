import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { listWords } from '../../src/conversation/commands/reports/words.ts';
import { TelegramSetting } from './telegram-setting.ts';

test('a button of a list on Telegram revokes a permission, and the list is edited, also by the next process', async () => {
  await using setting = await TelegramSetting.start();
  const { telegram, model, daemon } = setting;
  const chat = setting.newOwner();
  model.onUser('look', { calls: [{ name: 'shell', arguments: { command: 'echo hi' } }] });
  const card = await setting.askFor(chat, 'look');
  const always = card.buttons.flat().find(({ label }) => label.includes('Always'));
  telegram.press(chat, card.id, always?.label ?? '');
  await setting.shows(chat, card.id, 'always');
  await setting.restart();
  telegram.say(chat, '/grants');
  const list = await telegram.waitForMessage(chat, 'Saved permissions');
  telegram.press(chat, list.id, listWords.en.buttonRevoke({ number: 1 }));
  await setting.shows(chat, list.id, 'No saved permissions');
  const database = new Sqlite(join(daemon.dataDir, 'keyturn.db'), { readonly: true });
  expect(database.prepare('SELECT 1 FROM grants WHERE revoked_at IS NULL').all()).toEqual([]);
  database.close();
});
