import { existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { TelegramServer } from '../../packages/fakes/src/telegram-server.ts';
import { exitCodes } from '../../src/cli/commands/command.ts';
import { platformWords } from '../../src/cli/doctor/platforms/words.ts';
import { setupWords } from '../../src/cli/setup/words.ts';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';
import { ModelServer } from '../support/model-server.ts';
import { newFolder } from '../support/new-folder.ts';
import { runMain } from './run-main.ts';
import { scriptSettingUp } from './setting-up.ts';

const say = setupWords.en;

function telegramAt(telegram: TelegramServer) {
  return { telegram: { api_root: telegram.root } };
}

describe('keyturn setup without a terminal', () => {
  test.each([
    [[], say.needsTerminal],
    [['--json'], say.jsonNeedsYes],
    [['--channel', 'telegram'], say.onlyWithYes({ option: 'channel' })],
  ])('refuses %j in place of waiting for an answer', async (args, words) => {
    const run = await scriptSettingUp({ args });
    expect(run).toMatchObject({ code: exitCodes.misused, stdout: '', stderr: `${words}\n` });
    expect(readdirSync(run.folder)).toEqual([]);
  });
});

describe('keyturn setup --yes', () => {
  test('takes the model and the token that it finds, and tells a program what it wrote', async () => {
    await using telegram = await TelegramServer.start();
    await using model = await ModelServer.start();
    model.onUser(/Call the tool report/, { calls: [{ name: 'report', arguments: { word: 'ready' } }] });
    const around = {
      servers: [
        { name: 'Ollama', baseUrl: 'http://127.0.0.1:4/v1' },
        { name: 'llama.cpp', baseUrl: model.url },
      ],
      channels: telegramAt(telegram),
    };
    const env = { TELEGRAM_BOT_TOKEN: telegram.token };
    const run = await scriptSettingUp({ ...around, args: ['--yes', '--json'], env });
    expect(run.code).toBe(0);
    const config = join(run.folder, 'config.json');
    expect(JSON.parse(run.stdout)).toMatchObject({
      ok: true,
      config,
      written: [{ path: config }],
      trial: { ok: true, callsTools: true },
      channels: [{ name: 'telegram', ok: true, state: platformWords.en.channelOk({ bot: '@keyturn_test_bot' }) }],
      onlyInEnvironment: ['TELEGRAM_BOT_TOKEN'],
      running: false,
    });
    expect(run.stdout).not.toContain(telegram.token);
    expect(readFileSync(config, 'utf8')).toContain('"llama-cpp": {');

    const again = await scriptSettingUp({ ...around, folder: run.folder, args: ['--yes'], env });
    expect(again.stdout).toContain(say.nothingNew);
    expect(model.requests).toHaveLength(1);
  });

  test('takes no model whose name would be read as a variable, from a server that it finds', async () => {
    const asked: string[] = [];
    const server = createServer(async (request, response) => {
      asked.push(`${request.url} ${await text(request)}`);
      response.end(JSON.stringify({ data: [{ id: `\${PRIVATE_SECRET}` }, { id: 'odd\u0007' }, { id: ' ' }] }));
    });
    await using _server = { [Symbol.asyncDispose]: () => closeServer(server) };
    const baseUrl = `http://127.0.0.1:${await listenOnLoopback(server)}/v1`;
    const servers = [{ name: 'Ollama', baseUrl }];
    const run = await scriptSettingUp({ servers, args: ['--yes'], env: { PRIVATE_SECRET: 'hunter2hunter2' } });
    expect(asked).toEqual(['/v1/models ']);
    expect(run.stdout + run.stderr).not.toContain('PRIVATE');
    for (const file of readdirSync(run.folder))
      expect(readFileSync(join(run.folder, file), 'utf8')).not.toMatch(/PRIVATE|odd/);
  });

  test('writes a token that it reads from a file or its input into .env, in the place of the one before', async () => {
    await using telegram = await TelegramServer.start();
    const folder = await newFolder();
    const env = join(folder, '.env');
    writeFileSync(env, 'TELEGRAM_BOT_TOKEN=1:old\nOTHER=1\n', { mode: 0o644 });
    const args = ['--yes', '--model', 'offline', '--token-file', '-'];
    const around = { folder, channels: telegramAt(telegram) };
    const run = await scriptSettingUp({ ...around, args, input: `${telegram.token}\r\n` });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain(say.tightened({ path: env }));
    expect(readFileSync(env, 'utf8')).toBe(`TELEGRAM_BOT_TOKEN=${telegram.token}\nOTHER=1\n`);
    expect(statSync(env).mode & 0o777).toBe(0o600);
  });

  test('writes nothing if the platform refuses the token, or the model does not answer', async () => {
    await using telegram = await TelegramServer.start();
    const channels = telegramAt(telegram);
    const env = { TELEGRAM_BOT_TOKEN: `1:${'x'.repeat(35)}` };
    const refused = await scriptSettingUp({ channels, args: ['--yes'], env });
    expect(refused.code).toBe(exitCodes.failed);
    expect(refused.stdout).toContain(platformWords.en.tokenRefused.what({ platform: 'Telegram', why: '401' }));
    expect(readdirSync(refused.folder)).toEqual([]);

    await using model = await ModelServer.start();
    model.otherwise({ fault: { kind: 'status', status: 400, message: 'out of memory' } });
    const args = ['--yes', '--base-url', model.url, '--model', 'm'];
    const silent = await scriptSettingUp({ args });
    expect(silent.code).toBe(exitCodes.failed);
    expect(silent.stdout).toContain('out of memory');
    expect(readdirSync(silent.folder)).toEqual([]);
  });

  test.each([
    ['a channel that there is not', ['--channel', 'irc'], exitCodes.misused],
    ['a channel without a token', ['--channel', 'slack'], exitCodes.failed],
    ['a model that nobody has', ['--model', 'gpt-99'], exitCodes.failed],
    ['an address that is none', ['--base-url', 'http://'], exitCodes.misused],
    ['a server that is not there', ['--base-url', '127.0.0.1:4'], exitCodes.failed],
    ['a file that is not there', ['--token-file', 'none'], exitCodes.failed],
    ['a token of nobody', ['--token-file', '-'], exitCodes.misused],
  ])('says why it cannot take %s', async (_what, args, code) => {
    const run = await scriptSettingUp({ args: ['--yes', ...args], input: 'hunter2hunter2\n' });
    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).not.toContain('hunter2');
    expect(run.stderr.trim().split('\n')).toHaveLength(1);
    expect(readdirSync(run.folder)).toEqual([]);
  });

  test('makes the folder that KEYTURN_HOME names, with spaces and Chinese in its path', async () => {
    const home = join(await newFolder(), '我的 助手');
    const run = await scriptSettingUp({
      args: ['--yes', '--model', 'offline'],
      env: { KEYTURN_HOME: home, LANG: 'C' },
    });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(home, 'config.json'))).toBe(true);
  });

  test('writes through a link, which stays one, and keeps the text before beside it', async () => {
    const [folder, real] = [await newFolder(), await newFolder()];
    writeFileSync(join(real, 'c.json'), '{ "language": "zh" }', { mode: 0o640 });
    symlinkSync(join(real, 'c.json'), join(folder, 'config.json'));
    const run = await scriptSettingUp({ folder, args: ['--yes', '--model', 'offline'] });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain(setupWords.zh.keptBefore({ before: join(folder, 'config.json.bak') }));
    expect(lstatSync(join(folder, 'config.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(real, 'c.json'), 'utf8')).toBe('{ "language": "zh", "model": "offline" }');
    expect(statSync(join(real, 'c.json')).mode & 0o777).toBe(0o640);
    expect(readdirSync(real)).toEqual(['c.json']);
  });

  test('keeps the text before, which may have secrets, where no tool can read it', async () => {
    const run = await runMain({
      files: {
        'config.json': '{ "model": "offline", "workspace": "." }',
        'config.json.bak': '{ "api_key": "hunter2hunter2" }',
        'other.txt': 'plain words',
      },
      input: 'read other.txt\nread config.json.bak\n',
    });
    expect(run.stdout).toContain('plain words');
    expect(run.stdout).not.toContain('hunter2');
  });

  test('fails in one line where there can be no config', async () => {
    const folder = await newFolder();
    writeFileSync(join(folder, 'blocked'), 'no folder');
    const config = join(folder, 'blocked', 'c.json');
    const run = await scriptSettingUp({ args: ['--yes', '--model', 'offline', '--config', config] });
    expect(run.code).toBe(exitCodes.wrongConfig);
    expect(run.stderr).toContain(config);
    expect(run.stderr.trim().split('\n')).toHaveLength(1);
  });
});
