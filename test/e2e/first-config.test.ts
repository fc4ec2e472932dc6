import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { TelegramServer } from '../../packages/fakes/src/telegram-server.ts';
import { firstConfig } from '../../src/cli/first-config.ts';
import { cliWords } from '../../src/cli/words.ts';
import { offlineWords } from '../../src/models/offline/words.ts';
import { daemonEntry } from '../support/daemon-process.ts';
import { newFolder } from '../support/new-folder.ts';
import { waitUntil } from '../support/wait-for.ts';

/** Nothing leaves this machine: the proxy is a port where nobody listens. */
const alone = { HTTPS_PROXY: 'http://127.0.0.1:9' };

/** Starts as a container does: in the folder that keeps all, with no input, and with no config named. */
async function started(folder: string, env: Readonly<Record<string, string>>, stdin: 'ignore' | 'pipe' = 'ignore') {
  const child = spawn(process.execPath, [daemonEntry()], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, KEYTURN_HOME: folder, ...env },
    stdio: [stdin, 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin?.end();
  const said = { text: '', code: once(child, 'close').then(([code]) => Number(code)) };
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    said.text += part;
  });
  child.stdout?.resume();
  return { said, stop: () => child.kill('SIGTERM') };
}

test('a service with a token and no config writes one, without the token, tells how to claim it, and follows it', async () => {
  const telegram = await TelegramServer.start();
  onTestFinished(() => telegram.close());
  const folder = await newFolder();
  const file = join(folder, 'config.json');
  const { said, stop } = await started(folder, { ...alone, TELEGRAM_BOT_TOKEN: telegram.token });
  await waitUntil(() => /\/claim \S+/.test(said.text));
  expect(said.text).toContain(cliWords.en.firstConfig({ file, channels: ['telegram'] }));
  const written = readFileSync(file, 'utf8');
  expect(JSON.parse(written)).toEqual({ channels: { telegram: { enabled: true, token: `\${TELEGRAM_BOT_TOKEN}` } } });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(said.text).not.toContain(telegram.token);

  const config = {
    channels: { telegram: { enabled: true, token: `\${TELEGRAM_BOT_TOKEN}`, api_root: telegram.root } },
  };
  writeFileSync(file, JSON.stringify(config));
  await waitUntil(() => said.text.includes('"channel connected"'));
  const [, claim = ''] = /(\/claim \S+)/.exec(said.text) ?? [];
  telegram.say(42, claim);
  telegram.say(42, 'list the files');
  await telegram.waitForMessage(42, new RegExp(offlineWords.en.nothingHere));
  stop();
  expect(await said.code).toBe(0);
});

test('a config that was there once is not made anew, and one that is there stays as it is', async () => {
  const folder = await newFolder();
  const file = join(folder, 'config.json');
  const env = { ...alone, DISCORD_BOT_TOKEN: `${'a'.repeat(24)}.${'b'.repeat(6)}.${'c'.repeat(38)}` };
  writeFileSync(file, '{ "model": "offline" }');
  expect(await (await started(folder, env)).said.code).toBe(78);
  expect(readFileSync(file, 'utf8')).toBe('{ "model": "offline" }');
  writeFileSync(file, '{ "model": "offline", "gateway": { "enabled": true, "port": 0 } }');
  const { said, stop } = await started(folder, env);
  await waitUntil(() => existsSync(join(folder, 'data/config-history')));
  stop();
  expect(await said.code).toBe(0);
  rmSync(file);
  const again = await started(folder, env);
  await waitUntil(() => again.said.text.includes(cliWords.en.goneConfig));
  expect(existsSync(file)).toBe(false);
});

test('without a token nothing is written, nor where somebody can write to the standard input', async () => {
  const folder = await newFolder();
  const silent = await started(folder, { ...alone, SLACK_BOT_TOKEN: 'xoxb-1' });
  expect(await silent.said.code).toBe(78);
  expect(silent.said.text).toContain(cliWords.en.noChannelForService);
  const piped = await started(folder, { ...alone, TELEGRAM_BOT_TOKEN: '1:a' }, 'pipe');
  expect(await piped.said.code).toBe(0);
  expect(existsSync(join(folder, 'config.json'))).toBe(false);
});

test('a folder that cannot be written to is said, with what to do', async () => {
  const home = join('/proc', 'keyturn');
  const { said } = await started(await newFolder(), { ...alone, KEYTURN_HOME: home, TELEGRAM_BOT_TOKEN: '1:a' });
  expect(await said.code).toBe(78);
  expect(said.text).toContain(home);
});

test('channels are on whose tokens are all there, and the owner is named by a variable', () => {
  expect(firstConfig({ SLACK_BOT_TOKEN: 'x', DISCORD_BOT_TOKEN: '' })).toBeUndefined();
  expect(firstConfig({ KEYTURN_OWNER_ID: 'slack:T1/U1', SLACK_BOT_TOKEN: 'x', SLACK_APP_TOKEN: 'y' })).toEqual({
    owners: [`\${KEYTURN_OWNER_ID}`],
    channels: { slack: { enabled: true, bot_token: `\${SLACK_BOT_TOKEN}`, app_token: `\${SLACK_APP_TOKEN}` } },
  });
});
