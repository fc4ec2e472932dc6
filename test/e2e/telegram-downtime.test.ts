import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, expect, test } from 'vitest';
import { TelegramSetting } from './telegram-setting.ts';

let setting: TelegramSetting;

afterEach(() => setting.dispose());

/** Lets the process that is gone have been gone for longer. */
function backdate(dataDir: string, milliseconds: number): void {
  const database = new Sqlite(join(dataDir, 'keyturn.db'));
  database.prepare('UPDATE lifetime SET alive_at = alive_at - ?').run(milliseconds);
  database.close();
}

test('after an hour in which it was not there, an owner reads how long that was and what Telegram kept meanwhile', async () => {
  setting = await TelegramSetting.start();
  const { telegram, daemon } = setting;
  const [chat, other] = [setting.newOwner(), setting.newOwner()];
  telegram.say(chat, 'good morning');
  await telegram.waitForMessage(chat, 'echo: good morning');
  await daemon.kill();
  backdate(daemon.dataDir, 3_600_000);
  for (const words of ['are you there?', 'hello?']) telegram.say(other, words);
  await setting.restart();
  const notice = await telegram.waitForMessage(chat, /^I was away for 1 h/);
  expect(notice.text).toMatch(/taken up now:\n\n.*2 messages from /);
  await telegram.waitForMessage(other, 'hello?');

  telegram.say(chat, '/status');
  const status = await telegram.waitForMessage(chat, 'is up for');
  expect(status.text).toMatch(/telegram: connected as @\w+, for \d+ s, last heard from \d+ s ago/);
});
