import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { channelSettings } from '../../../channels/index.ts';
import { checkConfig } from '../../../src/cli/check-config.ts';
import { warningWords } from '../../../src/config/warnings/words.ts';
import { configWords } from '../../../src/config/words.ts';
import { languages } from '../../../src/lib/words.ts';
import { newFolder } from '../../support/new-folder.ts';
import { featureParts } from '../../support/whole-schema.ts';

const token = `1:${'A'.repeat(35)}`;
const secret = 'abcdefghijklmnop';

function telegram(written: string, more = ''): string {
  return `{ "channels": { "telegram": { "enabled": true, "token": "${written}"${more} } } }`;
}

function keyed(provider: string, key: string): string {
  return `{ "models": { "a": { "provider": "${provider}", "name": "x", "api_key": "${key}" } } }`;
}

const variable = `\${TG}`;
const wide = (text: string): Buffer => Buffer.from(text, 'utf16le');
const marked = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), wide(text)]);

async function check(config: string | Uint8Array, envFile: string | Uint8Array | undefined, LANG = 'en_GB.UTF-8') {
  const folder = await newFolder();
  writeFileSync(join(folder, 'config.json'), config, { mode: 0o600 });
  if (envFile !== undefined) writeFileSync(join(folder, '.env'), envFile, { mode: 0o600 });
  const env = { PATH: process.env.PATH, LANG };
  const place = { path: 'config.json', explicit: false, cwd: folder, env };
  return { ...(await checkConfig({ ...place, channels: channelSettings, parts: featureParts })), folder };
}

/** Where the fault is: `line:column key`. */
type Faulty = readonly [what: string, config: string | Uint8Array, at: string, envFile?: string | Uint8Array];

const faults: readonly Faulty[] = [
  ['UTF-16 with its mark', marked('{ "owners": [] }'), '-'],
  ['UTF-16 of the other order', marked('{ "owners": [] }').swap16(), '-'],
  ['UTF-16 without a mark', wide('{ "owners": [] }'), '1:2 '],
  ['GBK', Buffer.concat([Buffer.from('{ "a": "'), Buffer.from([0xc4, 0xe3]), Buffer.from('" }')]), '-'],
  ['typographic quotes', '{ “owners”: [] }', '1:3 '],
  ['Chinese punctuation', '{ "owners"：[] }', '1:11 '],
  ['a comment of a shell', '{\n # mine\n "owners": [] }', '2:2 '],
  ['single quotes', "{ 'owners': [] }", '1:3 '],
  ['keys without quotes', '{ owners: [] }', '1:3 '],
  ['a missing comma', '{ "owners": []\n "model": "offline" }', '2:2 '],
  ['two commas', '{ "owners": [],, "model": "offline" }', '1:16 '],
  ['YAML', 'owners:\n  - telegram:1\n', '1:1 '],
  ['a bracket left open', '{ "owners": [ "telegram:1" ', '1:28 '],
  ['the wrong bracket', '{ "owners": [ "telegram:1" } }', '1:28 '],
  ['a key twice', '{ "owners": [], "owners": [] }', '1:3 owners'],
  ['a capital letter', '{ "Owners": [] }', '1:3 Owners'],
  ['a camel', '{ "dataDir": "x" }', '1:3 dataDir'],
  ['a singular', '{ "owner": [] }', '1:3 owner'],
  ['a number as text', '{ "agent": { "max_turns": "25" } }', '1:27 agent.max_turns'],
  ['a switch as text', '{ "tools": { "shell": { "enabled": "no" } } }', '1:36 tools.shell.enabled'],
  ['milliseconds by the key', '{ "approval": { "timeout_ms": 1800000 } }', '1:17 approval.timeout_ms'],
  ['milliseconds by the value', '{ "approval": { "timeout_secs": 1800000 } }', '1:33 approval.timeout_secs'],
  ['an unknown provider', '{ "models": { "a": { "provider": "deepseek", "name": "x" } } }', '1:34 models.a.provider'],
  ['an unknown platform', '{ "channels": { "whatsapp": { "enabled": true } } }', '1:17 channels.whatsapp'],
  ['an owner by a name', '{ "owners": ["@ada"] }', '1:14 owners[0]'],
  ['an owner without a platform', '{ "owners": ["123456"] }', '1:14 owners[0]'],
  ['a group by its title', telegram(token, ', "groups": { "Home": {} }'), '1:110 channels.telegram.groups.Home'],
  ['the token of Slack at Telegram', telegram('xoxb-12-abc'), '1:57 channels.telegram.token'],
  ['the word bot before a token', telegram(`bot${token}`), '1:57 channels.telegram.token'],
  ['an example, not a token', telegram('YOUR_TOKEN'), '1:57 channels.telegram.token'],
  ['a variable without braces', telegram('$TG'), '1:57 channels.telegram.token', `TG=${token}`],
  ['an empty variable', telegram(variable), '1:57 channels.telegram.token', 'TG=\n'],
  ['a variable with a colon', telegram(variable), '1:57 channels.telegram.token', `TG: ${token}\n`],
  ['two kinds of quotes', telegram(variable), '1:57 channels.telegram.token', `TG='"${token}"'\n`],
  ['a variable with another name', telegram(variable), '1:57 channels.telegram.token', `TGG=${token}\n`],
  ['a UTF-16 .env', telegram(variable), '-', marked(`TG=${token}\n`)],
  [
    'swapped tokens of Slack',
    '{ "channels": { "slack": { "enabled": true, "bot_token": "xapp-1-A-1-abc", "app_token": "xoxb-1-abc" } } }',
    '1:58 channels.slack.bot_token',
  ],
  [
    'the token of Telegram at Discord',
    `{ "channels": { "discord": { "enabled": true, "token": "${token}" } } }`,
    '1:56 channels.discord.token',
  ],
  [
    'an address without http',
    '{ "models": { "a": { "provider": "openai_compatible", "name": "x", "base_url": "127.0.0.1:4/v1" } } }',
    '1:80 models.a.base_url',
  ],
  [
    'a time zone by a city that is none',
    '{ "people": { "ada": { "accounts": ["telegram:1"], "time_zone": "Peking" } } }',
    '1:65 people.ada.time_zone',
  ],
  ['a language that is not spoken', '{ "language": "de" }', '1:15 language'],
  ['a port that is none', '{ "gateway": { "enabled": true, "port": 70000 } }', '1:41 gateway.port'],
  ['a key with a line end', keyed('openai', `sk-${secret}\\n`), '1:68 models.a.api_key'],
  ['file for a folder', '{ "data_dir": "./config.json" }', ' data_dir'],
];

describe.each(languages)('config check in %s', (language) => {
  const LANG = language === 'zh' ? 'zh_CN.UTF-8' : 'en_GB.UTF-8';

  const each = faults.map(([what, config, at, envFile]) => ({ what, config, at, envFile }));
  test.each(each)('refuses $what, and says where', async ({ config, at, envFile }) => {
    const report = await check(config, envFile, LANG);
    const found = report.faults.map(
      ({ line, column, key }) => `${line === undefined ? '' : `${line}:${column}`} ${key}`,
    );
    expect(found).toContain(at === '-' ? ' ' : at);
    for (const { text } of report.faults) {
      expect(text).toMatch(/\S/);
      expect(/\p{Script=Han}/u.test(text)).toBe(language === 'zh');
      expect(text).not.toContain('AAAAAAA');
      expect(text).not.toContain(secret);
    }
  });

  const say = warningWords[language];
  const key = 'models.a.api_key';
  test.each([
    ['Anthropic key, OpenAI', keyed('openai', `sk-ant-${secret}`), 'Anthropic', 'openai'],
    ['a key of OpenAI at Anthropic', keyed('anthropic', `sk-proj-${secret}`), 'OpenAI', 'anthropic'],
    ['a key of Google at Anthropic', keyed('anthropic', `AIza${secret}`), 'Google', 'anthropic'],
    ['a key of a router at OpenAI', keyed('openai', `sk-or-v1-${secret}`), 'OpenRouter', 'openai'],
    ['a key of Groq at Google', keyed('google', `gsk_${secret}`), 'Groq', 'google'],
  ])('warns of %s', async (_what, config, other, provider) => {
    const { warnings } = await check(config, undefined, LANG);
    expect(warnings).toContain(say.keyOfOther({ key, provider, other }));
    expect(warnings.join()).not.toContain(secret);
  });

  test.each([
    ['blanks around a key', keyed('openai', ` sk-${secret} `), say.keySpaces({ key })],
    ['the scheme before a key', keyed('openai', `Bearer sk-${secret}`), say.keyBearer({ key })],
    ['a variable of a shell', keyed('openai', '$OPENAI_API_KEY'), say.keyVariable({ key })],
    ['a variable of Windows', keyed('openai', '%OPENAI_API_KEY%'), say.keyVariable({ key })],
    ['a variable of a program', keyed('openai', 'process.env.KEY'), say.keyVariable({ key })],
    ['an example', keyed('openai', 'your-api-key-here'), say.keyPlaceholder({ key })],
    ['angle brackets of an example', keyed('openai', '<key>'), say.keyPlaceholder({ key })],
  ])('warns of %s in the place of a key', async (_what, config, warning) => {
    expect((await check(config, undefined, LANG)).warnings).toContain(warning);
  });

  test('says which file is not UTF-8', async () => {
    const report = await check('{}', marked('A=b\n'), LANG);
    expect(report.faults).toMatchObject([{ file: join(report.folder, '.env'), text: configWords[language].notUtf8 }]);
  });
});

/** What is in order, however it looks: the config, and its `.env`. */
const sound: readonly (readonly [what: string, config: string, envFile?: string])[] = [
  ['a mark of UTF-8', `\ufeff${telegram(token)}`],
  ['comments and a comma at the end', '// mine\n{ /* who */ "owners": [], }\n'],
  ['a variable in quotes', telegram(variable), `TG="${token}"\n`],
  ['a variable with blanks behind it', telegram(variable), `TG=${token}   \n`],
  ['line ends of Windows', telegram(variable).replaceAll(' ', '\r\n'), `TG=${token}\r\nX=1\r\n`],
  ['a mark of UTF-8 in .env', telegram(variable), `\ufeffTG=${token}\n`],
  ['a key of OpenAI', keyed('openai', `sk-proj-${secret}`)],
  ['a key of an older form', keyed('openai', `sk-${secret}`)],
  ['Anthropic key', keyed('anthropic', `sk-ant-${secret}`)],
  ['a key of a server of one’s own', keyed('google', `AQ.${secret}`)],
];

test.each(sound.map(([what, config, envFile]) => ({ what, config, envFile })))(
  'config check has nothing against $what',
  async ({ config, envFile }) => {
    const { faults: found, warnings } = await check(config, envFile);
    expect(found).toEqual([]);
    expect(warnings.filter((one) => one.includes('api_key looks') || one.includes('.env:'))).toEqual([]);
  },
);
