import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliWords } from '../../src/cli/words.ts';
import { daemonWords } from '../../src/daemon/words.ts';
import { offlineWords } from '../../src/models/offline/words.ts';
import { DaemonProcess } from '../support/daemon-process.ts';
import { anything, saying } from '../support/saying.ts';
import { waitUntil } from '../support/wait-for.ts';
import { TelegramSetting } from './telegram-setting.ts';

const broken = '{\n  "onwers": []\n}';

test('a service starts with the last config that worked, says so everywhere, and leaves the file alone', async () => {
  await using setting = await TelegramSetting.start();
  const { telegram, daemon } = setting;
  const chat = setting.newOwner();
  telegram.say(chat, 'hello');
  await telegram.waitForMessage(chat, 'echo: hello');
  const hasKept = (): boolean => globSync('config-history/*.json', { cwd: daemon.dataDir }).length > 0;
  await waitUntil(hasKept, { what: 'the config that works to be kept' });
  writeFileSync(daemon.configFile, broken);
  await setting.restart();
  const { text } = await telegram.waitForMessage(chat, daemonWords.en.configUnusable);
  expect(text).toMatch(/config\.json:2:3 +onwers/);
  expect(daemon.output).toMatch(saying(`Warning   ${cliWords.en.lastGoodUsed({ kept: anything })}`));
  expect(daemon.output).toMatch(/Warning [\s\S]*onwers/);
  // Nor with what is left of it where the disk was full.
  writeFileSync(daemon.configFile, '');
  await setting.restart();
  await telegram.waitForMessage(chat, cliWords.en.emptyConfig);
  writeFileSync(daemon.configFile, broken);
  await telegram.waitForMessage(chat, /config\.json:2:3 +onwers[^:]*:/);
  const before = statSync(daemon.configFile, { bigint: true }).mtimeNs;
  telegram.say(chat, '/status');
  const status = await telegram.waitForMessage(chat, 'is up for');
  expect(status.text).toContain(daemonWords.en.configUnusable);
  expect(readFileSync(daemon.configFile, 'utf8')).toBe(broken);
  expect(statSync(daemon.configFile, { bigint: true }).mtimeNs).toBe(before);
});

test.each([
  { args: ['--strict'], isKept: true },
  { args: [], isKept: false },
  { args: ['--last-good'], isKept: false },
])('a broken config is refused with exit code 78 ($args, one is kept: $isKept)', async ({ args, isKept }) => {
  await using daemon = DaemonProcess.start({ config: { channels: { terminal: {} } }, args, stdin: 'pipe' });
  if (isKept) {
    await daemon.waitForOutput('Keyturn');
    daemon.write('hello');
    await daemon.waitForOutput(offlineWords.en.hello({ choices: '' }).trim());
    await daemon.stop();
  }
  writeFileSync(daemon.configFile, broken);
  await daemon.restart();
  expect(await daemon.exited).toEqual({ code: 78, signal: null });
  expect(daemon.output).toContain('config.json:2:3  onwers');
});
