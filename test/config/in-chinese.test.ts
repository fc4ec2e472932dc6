import { describe, expect, test } from 'vitest';
import { channelSettings } from '../../channels/index.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { loadConfig } from '../../src/config/load.ts';
import { featureParts } from '../support/whole-schema.ts';
import { brokenConfigs } from './broken-configs.ts';
import { faultsOf, warningsOf } from './load-text.ts';

/** Four Latin words in a row, but for code, quotations, keys and paths, are English. */
function englishIn(said: string): string | undefined {
  const prose = said.replace(/"(?:[^"\\]|\\.)*"|`[^`]*`|“[^”]*”|\{[^}]*\}|\[[^\]]*\]/g, '…');
  return /(?:[a-z][a-z'’-]*[ ,]+){3}[a-z][a-z'’-]*/i.exec(prose)?.[0];
}

const isChinese = (said: string): boolean => /\p{Script=Han}/u.test(said);

/** Texts that stop being JSON, each in another way. */
const noJson: readonly string[] = [
  '{"owners"： []}',
  '{"owners": []， "log": {}}',
  '{“owners”: []}',
  '{"model": "offline”, "log": {}}',
  '{「model」: 1}',
  "{'model': 1}",
  '{"model": `offline`}',
  '｛"model": "offline"｝',
  '{"owners": 【】}',
  '{"agent" = {}}',
  '{"agent": {}};',
  '{"agent": ({})}',
  '{"agent": {"max_turns": −5}}',
  '{"agent": {}。 "log": {}}',
  '{\u00a0"agent": {}}',
  '{"agent": {}}\u200b',
  '{ # mine\n}',
  '{"agent": {"max_turns": +5}}',
  '{"agent": {"max_turns": .5}}',
  '{"agent": {"max_turns": 0x1f}}',
  '{"agent": {"max_turns": 1_000}}',
  '{"model": None}',
  '{"approval": {"enabled": True}}',
  '{"approval": {"enabled": off}}',
  '{"agent": {"max_turns": Infinity}}',
  '{model: "offline"}',
  '{"model": sk-abc}',
  '{\n<<<<<<< HEAD\n"log": {}\n=======\n}',
  '```json\n{}\n```',
  'export default {}',
  'model: offline\nagent:\n  mode: assistant\n',
  '[agent]\nmode = "assistant"\n',
  '<config/>',
  '{"agent": {}',
  '{"agent": [}',
  '{"model" "offline"}',
  '{"model": "a" "log": {}}',
  '{"model": }',
  '{,}',
  '{} {}',
  '{"model": "a\n"}',
  '{"model": "\\q"}',
  '{"model": "\\u12"}',
  '{"model": "a\tb"}',
  '{"model": 1e}',
  '{ /* never closed',
  'hello, please start',
  '[1, 2]',
  ' '.repeat(1_000_001),
  '['.repeat(200),
];

test.each(noJson)('%j is refused in Chinese', async (text) => {
  const said = await faultsOf(text, {}, 'zh');
  expect(isChinese(said), said).toBe(true);
  expect(englishIn(said), said).toBeUndefined();
  expect(said).not.toBe(await faultsOf(text));
});

test('a negative number stands apart from the Chinese characters before it', async () => {
  expect(await faultsOf('{"agent": {"max_turns": -5}}', {}, 'zh')).toMatch(/\p{Script=Han} -5/u);
});

/** What an author of tools, or the rules of commands and hosts, say is theirs. */
const ofOthers =
  /"(?:custom_tools|composed_tools|mcp_servers|channel_plugins|hooks|plugins)"|"deny"|"allow"|allow_private/;

test.each(brokenConfigs().filter(([config]) => !ofOthers.test(config)))('%s is refused in Chinese', async (config) => {
  const said = await faultsOf(config, {}, 'zh');
  for (const line of said.split('\n').filter((one) => !/a numeric id|not the token|A chat is named/.test(one))) {
    expect(isChinese(line), line).toBe(true);
    expect(englishIn(line), line).toBeUndefined();
  }
});

describe('the settings of a channel', () => {
  const refusal = async (channels: object, language: 'en' | 'zh') => {
    const text = new TextEncoder().encode(JSON.stringify({ channels }));
    const readFile = async (path: string) => {
      if (path.endsWith('config.json')) return text;
      throw Object.assign(new Error(path), { code: 'ENOENT' });
    };
    const place = { path: '/k/config.json', explicit: true, env: {}, channels: channelSettings, parts: featureParts };
    const error: unknown = await loadConfig({ ...place, readFile }).catch((cause: unknown) => cause);
    return error instanceof ConfigError ? error.in(language) : '';
  };

  test.each([
    { telegram: { enabled: true, token: 'x', allow_from: ['@ada', 5], groups: { x: {} }, api_root: 'x' } },
    { telegram: { commands: { german: {} } } },
    { discord: { enabled: true, token: 'x', allow_from: ['ada'], groups: { x: {} }, api_url: 'x' } },
    { slack: { enabled: true, bot_token: 'xapp-1', app_token: 'x', allow_from: ['ada'], groups: { x: {} } } },
    { slack: { enabled: true, mode: 'http', more_bot_tokens: ['x'], http: { path: 'x' }, command: 'x' } },
  ])('%j are refused in Chinese', async (channels) => {
    const lines = (await refusal(channels, 'zh')).split('\n');
    expect(lines).toHaveLength((await refusal(channels, 'en')).split('\n').length);
    for (const line of lines) {
      expect(isChinese(line), line).toBe(true);
      expect(englishIn(line.replaceAll(/→ [A-Z][\w &-]+(?: [A-Z][\w-]+)*/g, '')), line).toBeUndefined();
    }
  });
});

test('what is allowed but may be a mistake is said in Chinese', async () => {
  const config = {
    approval: { policy: 'always_allow', require_for: ['shell'] },
    security: { taint: 'off' },
    channels: { telegram: { token: '1:a', enabled: true, allow_from: ['*'] } },
    owners: ['telegram:1'],
    workspace: '/',
    tools: { only: [], network: { allow_private: ['0.0.0.0/0'], trusted_domains: ['*.com'] } },
    models: { m: { provider: 'openai_compatible', name: 'x', base_url: 'http://example.com' } },
    budget: { money_per_day: 1 },
  };
  const said = await warningsOf(JSON.stringify(config), {}, 'zh');
  expect(said.length).toBeGreaterThan(8);
  for (const warning of said) {
    expect(isChinese(warning), warning).toBe(true);
    expect(englishIn(warning), warning).toBeUndefined();
  }
});
