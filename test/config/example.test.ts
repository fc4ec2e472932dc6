import { readdirSync, readFileSync } from 'node:fs';
import { visit } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { channelSettings } from '../../channels/index.ts';
import { configJsonSchema } from '../../scripts/config-json-schema.ts';
import { configReference } from '../../scripts/config-reference.ts';
import { type KeyPath, spellPath } from '../../src/config/config-error.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/load.ts';
import { isJsonObject, type JsonValue } from '../../src/lib/json.ts';
import { tlsFile } from '../support/tls-server.ts';
import { featureParts } from '../support/whole-schema.ts';
import { everyKey, example, wholeExample } from './example-configs.ts';

const file = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const schema: JsonValue = JSON.parse(file('config.schema.json'));

function load(text: string, env: Readonly<Record<string, string>>): Promise<LoadedConfig> {
  return loadConfig({
    path: 'config.json',
    explicit: false,
    env,
    channels: channelSettings,
    parts: featureParts,
    cwd: '/home/keyturn',
    readFile: async (path) => {
      if (path.endsWith('config.json')) return new TextEncoder().encode(text);
      if (path.endsWith('/company-ca.pem')) return new TextEncoder().encode(tlsFile('authority.pem'));
      throw Object.assign(new Error('none'), { code: 'ENOENT' });
    },
  });
}

/** Where every key of the text is. */
function keysOf(text: string): readonly KeyPath[] {
  const keys: KeyPath[] = [];
  visit(text, { onObjectProperty: (name, _offset, _length, _line, _column, pathOf) => keys.push([...pathOf(), name]) });
  return keys;
}

/** Every key that the schema knows, with a star for a name that the operator chooses. */
function keysOfSchema(part: JsonValue | undefined, path: KeyPath = []): readonly string[] {
  if (!isJsonObject(part)) return [];
  const members = [part.oneOf, part.anyOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const properties = isJsonObject(part.properties) ? Object.entries(part.properties) : [];
  const below = [...properties, ['*', part.additionalProperties] as const].flatMap(([name, child]) => {
    if (name === '*' && !isJsonObject(child)) return [];
    const here = [...path, name];
    return [...(name === '*' ? [] : [spellPath(here)]), ...keysOfSchema(child, here)];
  });
  return [...new Set([...below, ...members.flatMap((member) => keysOfSchema(member, path))])];
}

const chosenNames = new Set([
  'security.tools',
  'remote_tools.timeouts',
  'remote_tools.categories',
  'remote_tools.allowed',
  'agents',
  'chats',
  'people',
  'models',
  'channels.telegram.groups',
  'channels.slack.groups',
  'channels.discord.groups',
  'channels.telegram.commands',
  'models["*"].headers',
  'mcp_servers',
  'channel_plugins',
  'mcp_servers.files.tools',
  'tools.per_chat',
  'tools.rate_limits',
  'webhooks',
  'webhooks.deploy.when',
]);

/** With a star for the names that the operator chooses. */
function general(path: KeyPath): string {
  return spellPath(path.map((segment, index) => (chosenNames.has(spellPath(path.slice(0, index))) ? '*' : segment)));
}

describe('config.schema.json', () => {
  test('is what "npm run schema" writes', () => {
    expect(file('config.schema.json')).toBe(configJsonSchema(channelSettings, featureParts));
  });

  test('describes every key', () => {
    const undescribed = JSON.stringify(schema, (_key, part: unknown) =>
      isJsonObject(part) && isJsonObject(part.properties)
        ? {
            ...part,
            missing: Object.entries(part.properties)
              .filter(
                ([, child]) =>
                  isJsonObject(child) && child.const === undefined && typeof child.description !== 'string',
              )
              .map(([name]) => name),
          }
        : part,
    );
    const names = [...undescribed.matchAll(/"missing":\[([^\]]+)\]/g)].map(([, list]) => list);
    expect(names).toEqual([]);
  });
});

describe('docs/config.md', () => {
  const reference = file('docs/config.md');

  test('is what "npm run schema" writes', () => {
    expect(reference).toBe(configReference(schema));
  });

  test('has an anchor of its own for every key of the schema', () => {
    const anchors = [...reference.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id = '']) => id);
    expect(new Set(anchors).size).toBe(anchors.length);
    const keys = keysOfSchema(schema).map((key) => key.replaceAll(/\["\*"\]/g, '.NAME'));
    expect(keys.length).toBeGreaterThan(250);
    expect(keys.filter((key) => !anchors.includes(key))).toEqual([]);
  });

  test('has the same columns in each row of its tables, whatever stands in a description', () => {
    const rows = reference.split('\n').filter((line) => line.startsWith('|'));
    expect(rows.filter((row) => row.match(/(?<!\\)\|/g)?.length !== 5)).toEqual([]);
  });
});

/** What the example configs take from the environment. */
const exampleKeys = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' };

describe('a config with every key', () => {
  test('has every key of the schema', () => {
    const shown = new Set(keysOf(everyKey).map(general));
    expect(keysOfSchema(schema).filter((key) => !shown.has(key))).toEqual([]);
  });

  test('needs the variable of its model, and warns of nothing', async () => {
    await expect(load(everyKey, exampleKeys)).resolves.toMatchObject({
      config: { model: 'main', models: { main: { api_key: 'k' }, local: { provider: 'openai_compatible' } } },
      warnings: [],
    });
    await expect(load(everyKey, {})).rejects.toThrow('models.main.api_key: the variable ANTHROPIC_API_KEY is not set.');
  });
});

describe('config.example.json', () => {
  test('has at most 60 lines', () => {
    expect(example.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  });

  test('means the same as an empty config, but for what it shows of the platforms, which are off', async () => {
    const { config: defaults } = await load('{}', {});
    const { config, warnings } = await load(example, {});
    const off = expect.objectContaining({ enabled: false });
    expect({ config, warnings }).toEqual({
      config: {
        ...defaults,
        $schema: './config.schema.json',
        channels: { ...defaults.channels, telegram: off, slack: off, discord: off },
      },
      warnings: [],
    });
  });

  test('with all that it shows switched on needs only the variable of its model, and warns of nothing', async () => {
    const inUse = wholeExample.replace('"telegram": { "enabled": false', '"telegram": { "enabled": true');
    await expect(load(inUse, { ...exampleKeys, TELEGRAM_BOT_TOKEN: '1:a' })).resolves.toMatchObject({
      config: { model: 'main', owners: ['telegram:123456789'], models: { main: { api_key: 'k' } } },
      warnings: [],
    });
    await expect(load(wholeExample, {})).rejects.toThrow(
      'models.main.api_key: the variable ANTHROPIC_API_KEY is not set.',
    );
  });
});

describe('the example config of a release', () => {
  const folder = new URL('releases/', import.meta.url);

  test.each(readdirSync(folder))('%s is used as it is by every later one', async (name) => {
    const text = readFileSync(new URL(name, folder), 'utf8');
    const { source } = await load(text.replaceAll(/^([ ]*)\/\/(?=\S)/gm, '$1'), {
      ...exampleKeys,
      TELEGRAM_BOT_TOKEN: '1:a',
    });
    expect(source).toBe('file');
  });
});
