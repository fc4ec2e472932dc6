import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { TelegramServer } from '../../../packages/fakes/src/telegram-server.ts';
import { deskWords } from '../../../src/cli/desk/words.ts';
import { keepGood } from '../../../src/config/last-good.ts';
import { ModelServer } from '../../support/model-server.ts';
import { deskSetting, holding } from './desk-setting.ts';

const say = deskWords.en;
const token = '7000001:AAliteral-token-of-a-bot-0123456789ab';
const otherToken = '7000001:AAanother-token-of-a-bot-9876543210z';
const held = holding({});

function configText(turns: number, secret = token): string {
  return `// mine
{
  // how long it works
  "agent": { "max_turns": ${turns} },
  "model": "offline",
  "channels": {
    "terminal": { "enabled": true },
    "telegram": { "enabled": false, "token": "${secret}" },
  },
}
`;
}

/** A config with a database beside it, and two versions: of 20 turns, and of 30. */
async function withVersions(now = configText(40)) {
  const here = await deskSetting({ text: now });
  const data = join(here.folder, 'data');
  mkdirSync(data);
  writeFileSync(join(data, 'keyturn.db'), '');
  await keepGood(data, configText(20), 1_000);
  await keepGood(data, configText(30), 2_000);
  return here;
}

describe('versions at the desk', () => {
  test('are listed with what differs, and shown as what would be written', async () => {
    const { desk } = await withVersions();
    expect(await desk.versions('en')).toEqual([
      { number: 1, keptAt: 2_000, differs: ['agent.max_turns'] },
      { number: 2, keptAt: 1_000, differs: ['agent.max_turns'] },
    ]);
    const shown = await desk.version(2, 'en');
    expect(shown).toMatchObject({ lacking: [], faults: [], differences: [{ old: 40, now: 20 }] });
    expect(shown?.text).toBe(shown?.before.text?.replace('40', '20'));
    expect(JSON.stringify(shown)).not.toContain(token);
    expect(await desk.version(3, 'en')).toBeUndefined();
  });

  test('come back in the text that is there, and that one is kept', async () => {
    const here = await withVersions();
    const { stamp } = await here.desk.text('en');
    const restored = await here.desk.restore(2, { stamp, language: 'en', held });
    expect(restored).toMatchObject({ type: 'saved', kept: undefined });
    expect(here.written()).toBe(configText(20));
    expect(await here.desk.versions('en')).toHaveLength(3);
    expect(await here.desk.restore(1, { stamp, language: 'en', held })).toMatchObject({ type: 'conflict' });
  });

  test('whose secrets are gone are refused', async () => {
    const here = await withVersions(configText(40, otherToken));
    const { stamp } = await here.desk.text('en');
    const refused = await here.desk.restore(2, { stamp, language: 'en', held });
    expect(refused).toEqual({ type: 'refused', why: say.lacksSecrets({ keys: ['channels.telegram.token'] }) });
    expect(here.written()).toBe(configText(40, otherToken));
  });

  test('mend a text that is no JSON', async () => {
    const here = await withVersions('{ "agent": ');
    const { stamp, text } = await here.desk.text('en');
    expect(text).toBeUndefined();
    // Its secret is gone with the text.
    expect(await here.desk.restore(1, { stamp, language: 'en', held })).toMatchObject({ type: 'refused' });
    writeFileSync(here.file, configText(40).replace('"model"', 'model'));
    const broken = await here.desk.text('en');
    const mended = await here.desk.restore(1, { stamp: broken.stamp, language: 'en', held });
    expect(mended).toMatchObject({ type: 'saved', kept: expect.any(String) });
    expect(parse(here.written(), [], { allowTrailingComma: true })).toMatchObject({ agent: { max_turns: 30 } });
  });
});

describe('a secret at the desk', () => {
  test('goes into .env for its owner alone, and every other line stays', async () => {
    const { folder, desk } = await deskSetting({ text: configText(20), variables: '# mine\nA=1\n' });
    const env = join(folder, '.env');
    chmodSync(env, 0o644);
    expect(await desk.keepSecret({ name: 'MY_KEY', value: 'a b"c', replaces: false }, 'en')).toEqual({
      type: 'kept',
      name: 'MY_KEY',
      file: env,
    });
    expect(readFileSync(env, 'utf8')).toBe(`# mine\nA=1\nMY_KEY='a b"c'\n`);
    expect(statSync(env).mode & 0o777).toBe(0o600);
    const again = await desk.keepSecret({ name: 'MY_KEY', value: 'other', replaces: false }, 'en');
    expect(again).toEqual({ type: 'taken', name: 'MY_KEY' });
    await desk.keepSecret({ name: 'MY_KEY', value: 'other', replaces: true }, 'en');
    expect(readFileSync(env, 'utf8')).toBe('# mine\nA=1\nMY_KEY=other\n');
  });

  test('gets another name where the process has one from elsewhere', async () => {
    const { desk } = await deskSetting({ text: configText(20), env: { MY_KEY: 'of the process' } });
    expect(await desk.keepSecret({ name: 'MY_KEY', value: 'mine', replaces: false }, 'en')).toMatchObject({
      name: 'KEYTURN_MY_KEY',
    });
  });

  test.each(
    `PATH LD_PRELOAD node_options BASH_ENV 1A a=b PYTHONPATH SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS HTTPS_PROXY
    http_proxy ALL_PROXY no_proxy ANTHROPIC_BASE_URL OPENAI_BASE_URL KEYTURN_HOME OTEL_EXPORTER_OTLP_ENDPOINT OPENSSL_CONF
    REQUESTS_CA_BUNDLE XDG_CONFIG_HOME SSLKEYLOGFILE`
      .split(/\s+/)
      .concat('A B', ''),
  )('cannot be called %j', async (name) => {
    const { folder, desk } = await deskSetting({ text: configText(20) });
    expect(await desk.keepSecret({ name, value: 'x', replaces: true }, 'en')).toMatchObject({ type: 'refused' });
    expect(existsSync(join(folder, '.env'))).toBe(false);
  });

  test.each([
    ['a line feed', 'x\nNODE_OPTIONS=--require /tmp/x.js'],
    ['a carriage return', 'x\r\nB=1'],
    ['a carriage return alone', 'x\rB=1'],
    ['a line separator', 'x\u2028B=1'],
    [
      'a line within what looks like a key',
      '-----BEGIN KEY-----\nab\n-----END KEY-----\nNODE_OPTIONS=--require /tmp/x.js',
    ],
    ['a variable within a key', '-----BEGIN KEY-----\nNODE_OPTIONS=--require\n-----END KEY-----'],
    ['a NUL', 'x\0B=1'],
  ])('has no %s, which another reader of the file takes for a line', async (_name, value) => {
    const { folder, desk } = await deskSetting({ text: configText(20) });
    const refused = { type: 'refused', why: say.badLines };
    expect(await desk.keepSecret({ name: 'MY_KEY', value, replaces: true }, 'en')).toEqual(refused);
    expect(existsSync(join(folder, '.env'))).toBe(false);
  });

  test('may be a private key, of several lines', async () => {
    const { folder, desk } = await deskSetting({ text: configText(20) });
    const key = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF+/\nAA==\n-----END PRIVATE KEY-----\n';
    expect(await desk.keepSecret({ name: 'MY_KEY', value: key, replaces: true }, 'en')).toMatchObject({ type: 'kept' });
    expect(readFileSync(join(folder, '.env'), 'utf8')).toContain(key);
  });
});

describe('the set-up at the desk', () => {
  test('asks the platform about a token, and tells what would be set', async () => {
    await using telegram = await TelegramServer.start();
    const surroundings = { servers: [], channels: { telegram: { api_root: telegram.root } } };
    const { desk, written } = await deskSetting({ text: '{ "model": "offline" }', surroundings });
    const wrong = await desk.setup.tryPlatform('telegram', new Map([['token', '7:wrong-token-0123456789']]), 'en');
    expect(wrong?.ok).toBe(false);
    expect(wrong?.problems[0]?.what).not.toBe('');
    const right = await desk.setup.tryPlatform('telegram', new Map([['token', telegram.token]]), 'en');
    expect(right).toMatchObject({ ok: true, variables: { token: 'TELEGRAM_BOT_TOKEN' } });
    expect(right?.edits).toContainEqual({
      path: ['channels', 'telegram', 'token'],
      value: ['$', '{TELEGRAM_BOT_TOKEN}'].join(''),
    });
    expect(written()).toBe('{ "model": "offline" }');
    expect(await desk.setup.tryPlatform('icq', new Map(), 'en')).toBeUndefined();
    const [first] = await desk.setup.platforms('en');
    expect(first).toMatchObject({ name: 'telegram', isOn: false, tokens: [{ isThere: false }] });
  });

  test('asks a server for its models, and then the model', async () => {
    await using model = await ModelServer.start();
    model.onUser(/Call the tool report/, { calls: [{ name: 'report', arguments: { word: 'ready' } }] });
    const { desk } = await deskSetting({ text: '{ "model": "offline" }' });
    const wish = { provider: 'openai_compatible', baseUrl: model.url, name: undefined, apiKey: undefined };
    const names = await desk.setup.tryModel(wish, 'en');
    expect(names.type).toBe('names');
    const [name] = names.type === 'names' ? names.names : [];
    const tried = await desk.setup.tryModel({ ...wish, name, apiKey: 'key-of-the-server-1' }, 'en');
    expect(tried).toMatchObject({ type: 'tried', ok: true, variables: { apiKey: 'MODEL_API_KEY' } });
    expect(JSON.stringify(tried)).not.toContain('key-of-the-server-1');
    const nowhere = await desk.setup.tryModel({ ...wish, baseUrl: 'http://127.0.0.1:9' }, 'en');
    expect(nowhere.type).toBe('refused');
    expect(await desk.setup.tryModel({ ...wish, provider: 'nobody' }, 'en')).toMatchObject({ type: 'refused' });
  });

  test('gives a command of the program in a process of its own', async () => {
    const { desk } = await deskSetting({ text: configText(20) });
    const { signal } = new AbortController();
    const { code, stdout } = await desk.run(['config', 'check', '--json'], 'zh', signal);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ valid: true });
  });
});
