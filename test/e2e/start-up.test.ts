import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { telegramWords } from '../../channels/telegram/words.ts';
import { TelegramServer } from '../../packages/fakes/src/telegram-server.ts';
import { cliWords } from '../../src/cli/words.ts';
import { statusWords } from '../../src/conversation/commands/reports/words.ts';
import { offlineWords } from '../../src/models/offline/words.ts';
import { anything, saying, sayingOnly } from '../support/saying.ts';
import { runMain } from './run-main.ts';

function config(text: string) {
  return { 'config.json': text };
}

describe.concurrent('the command line', () => {
  test('--version says which Keyturn it is', async () => {
    const manifest = z.object({ version: z.string() }).parse(JSON.parse(readFileSync('package.json', 'utf8')));
    expect(await runMain({ args: ['--version'] })).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
  });

  test('--help says what there is', async () => {
    const { code, stdout, stderr } = await runMain({ args: ['--help'] });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('--config FILE');
  });

  test('a command that there is not is answered in two lines, with the one that was meant', async () => {
    const { code, stdout, stderr } = await runMain({ args: ['langage'] });
    expect([code, stdout]).toEqual([2, '']);
    const meant = cliWords.en.meantChatCommand({ written: 'langage', meant: 'language' });
    expect(stderr).toMatch(sayingOnly(`${meant}\n${cliWords.en.seeHelp({ command: anything })}\n`));
  });
});

describe.concurrent('a config that cannot be used keeps it from starting, in words that say where and what to do', () => {
  const misspelt = '{\n  "approval": {\n    "polcy": "always_allow"\n  }\n}\n';
  const keyless = '{ "models": { "main": { "provider": "anthropic", "name": "x" } } }';
  const noDatabase = { 'keyturn.db': 'this is not a database, but a text of some length' };
  test.each([
    ['a key that is misspelt', config(misspelt), 78, /^config\.json:3:5 {2}approval\.polcy: .*"policy"/],
    ['a model whose key is missing', config(keyless), 78, /ANTHROPIC_API_KEY/],
    ['a database that is none', { ...config('{ "data_dir": "." }'), ...noDatabase }, 1, /keyturn\.db/],
  ])('%s', async (_what, files, expected, words) => {
    const { code, stderr, stdout } = await runMain({ files, input: 'list the files\n' });
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(words);
    expect(stderr).not.toContain('    at ');
  });
});

test('a token that its only platform refuses ends it, with the sentence that says what to do', async () => {
  const server = await TelegramServer.start();
  onTestFinished(() => server.close());
  const telegram = { enabled: true, token: `1:${'A'.repeat(35)}`, api_root: server.root };
  const { code, stderr } = await runMain({
    files: config(JSON.stringify({ model: 'offline', channels: { terminal: { enabled: false }, telegram } })),
  });
  expect(code).toBe(78);
  expect(stderr).toContain(telegramWords.en.tokenRefused({ why: '401 Unauthorized' }));
  expect(stderr).not.toContain('    at ');
});

describe.concurrent('a start', () => {
  test('chooses a model by the key that is in the environment, and never prints the key', async () => {
    const key = 'sk-ant-key-in-the-environment';
    const { code, stderr } = await runMain({ env: { ANTHROPIC_API_KEY: key }, input: '/status\n' });
    expect(code).toBe(0);
    expect(stderr).toMatch(/Model .*claude/);
    expect(stderr).toContain('ANTHROPIC_API_KEY is set');
    expect(stderr).not.toContain(key);
  });

  test('says what keeps shell commands in their bounds', async () => {
    const without = await runMain({ env: { PATH: '/nowhere' } });
    const reason = `${anything}apt install${anything}`;
    const bounds = statusWords.en.noSandbox({ reason, asks: true, outlives: false });
    expect(without.stderr).toMatch(saying(`\n  Shell     sh${anything}, ${bounds}`));
  });

  test('takes a copy of the example config as it stands, and works as without one', async () => {
    const example = readFileSync('config.example.json', 'utf8');
    const { code, stdout, stderr } = await runMain({ files: config(example), input: 'list the files\n' });
    expect(stderr).toMatch(/Model {5}offline[\s\S]*Config {4}\S*config\.json\n/);
    expect(stdout).toContain(offlineWords.en.nothingHere);
    expect(code).toBe(0);
  });

  test('with a bot that nobody owns prints the code with which it is claimed', async () => {
    const telegram = { enabled: true, token: `1:${'T'.repeat(35)}`, api_root: 'http://127.0.0.1:9' };
    const text = JSON.stringify({ model: 'offline', channels: { telegram } });
    const { code, stderr } = await runMain({ files: config(text), stopAt: 'Telegram cannot' });
    expect(stderr).toMatch(saying(cliWords.en.claim({ claims: [{ channel: 'telegram', command: '/claim ' }] })));
    expect(stderr).toMatch(/ \/claim [a-z0-9]{8}\n/);
    expect(code).toBe(0);
  });
});
