import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'jsonc-parser';
import { expect, onTestFinished, test } from 'vitest';
import { TelegramServer } from '../../packages/fakes/src/telegram-server.ts';
import { cliWords } from '../../src/cli/words.ts';
import { daemonWords } from '../../src/daemon/words.ts';
import { DaemonProcess } from '../support/daemon-process.ts';
import { newFolder } from '../support/new-folder.ts';
import { waitUntil } from '../support/wait-for.ts';
import { TelegramSetting } from './telegram-setting.ts';

const model = { model: 'offline' };

async function telegramChannel() {
  const server = await TelegramServer.start();
  onTestFinished(() => server.close());
  return { enabled: true, token: server.token, api_root: server.root };
}

test.each([
  ['a config of its own', model],
  ['the example as it is', parse(readFileSync(resolve('config.example.json'), 'utf8'))],
])('a service with %s, in which no channel is on, ends with 78 and says what to switch on', async (_what, config) => {
  await using daemon = DaemonProcess.start({ config, stdin: 'none' });
  expect(await daemon.exited).toEqual({ code: 78, signal: null });
  expect(daemon.output).toContain(`config.json  channels: ${cliWords.en.noChannelForService}`);
  expect(daemon.output).not.toContain('standard input');
});

test('a service names the channels where it can be talked to, and no terminal that it does not have', async () => {
  const channels = { telegram: await telegramChannel() };
  await using daemon = DaemonProcess.start({ config: { ...model, channels }, stdin: 'none' });
  await daemon.waitForOutput('Next: ');
  expect(daemon.output).toMatch(/ {2}Chat {6}telegram\n/);
  expect(daemon.output).toMatch(/ {2}Approval {2}asks before write_file, edit_file, shell, message\n/);
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
});

test('a service whose last channel is switched off by an edit ends with 78, and says so', async () => {
  const telegram = await telegramChannel();
  await using daemon = DaemonProcess.start({ config: { ...model, channels: { telegram } }, stdin: 'none' });
  await daemon.waitForOutput('"channel connected"');
  const text = JSON.parse(readFileSync(daemon.configFile, 'utf8'));
  writeFileSync(
    daemon.configFile,
    JSON.stringify({ ...text, channels: { telegram: { ...telegram, enabled: false } } }),
  );
  expect(await daemon.exited).toEqual({ code: 78, signal: null });
  expect(daemon.output).toContain(daemonWords.en.noChannelLeft);
});

test('a service that systemd watches says when it runs, reads its config again, lives and ends', async () => {
  const folder = await newFolder();
  const sent = join(folder, 'sent');
  const fake = join(folder, 'systemd-notify');
  writeFileSync(fake, `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> '${sent}'\n`, { mode: 0o755 });
  const channels = { telegram: await telegramChannel() };
  // A sign of life each second: where programs start slowly, the notice of the end does not stand behind a queue of them.
  const env = { PATH: `${folder}:${process.env.PATH}`, NOTIFY_SOCKET: '@watched', WATCHDOG_USEC: '2000000' };
  await using daemon = DaemonProcess.start({ config: { ...model, channels }, env });
  const kinds = (): readonly string[] => readFileSync(sent, 'utf8').match(/(?<=^@watched )\w+=1/gm) ?? [];
  await daemon.waitForOutput('"channel connected"');
  await waitUntil(() => existsSync(sent) && kinds().filter((kind) => kind === 'WATCHDOG=1').length > 1);
  expect(kinds()[0]).toBe('READY=1');
  process.kill(daemon.pid, 'SIGHUP');
  await waitUntil(() => kinds().filter((kind) => kind === 'READY=1').length === 2);
  expect(kinds().filter((kind) => kind !== 'WATCHDOG=1')).toEqual(['READY=1', 'RELOADING=1', 'READY=1']);
  await daemon.stop();
  await waitUntil(() => kinds().includes('STOPPING=1'));
});

test('owners of a service are told in their chat that an edit has nothing ask, and what of it does not work', async () => {
  await using setting = await TelegramSetting.start();
  const { telegram, daemon } = setting;
  const chat = setting.newOwner();
  telegram.say(chat, 'hello');
  await telegram.waitForMessage(chat, 'echo: hello');
  const config = JSON.parse(readFileSync(daemon.configFile, 'utf8'));
  const loose = { approval: { dangerous_tools: [], dangerous_categories: [] }, tool_modules: ['./nope.ts'] };
  writeFileSync(daemon.configFile, JSON.stringify({ ...config, ...loose }));
  await telegram.waitForMessage(
    chat,
    /config was changed[\s\S]*does not exist[\s\S]*may be a mistake:[\s\S]*nothing asks/,
  );
});
