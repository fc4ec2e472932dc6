import { readdirSync, readFileSync } from 'node:fs';
import { parse, visit } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { channelSettings } from '../../channels/index.ts';
import { configJsonSchema } from '../../scripts/config-json-schema.ts';
import { type KeyPath, spellPath } from '../../src/config/config-error.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/load.ts';
import { isJsonObject, type JsonValue } from '../../src/lib/json.ts';
import { tlsFile } from '../support/tls-server.ts';
import { example, wholeExample } from './whole-example.ts';

const file = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const schema: JsonValue = JSON.parse(file('config.schema.json'));

function load(text: string, env: Readonly<Record<string, string>>): Promise<LoadedConfig> {
  return loadConfig({
    path: 'config.json',
    explicit: false,
    env,
    channels: channelSettings,
    cwd: '/home/keyturn',
    readFile: async (path) => {
      if (path.endsWith('config.json')) return new TextEncoder().encode(text);
      if (path.endsWith('/company-ca.pem')) return new TextEncoder().encode(tlsFile('authority.pem'));
      throw Object.assign(new Error('none'), { code: 'ENOENT' });
    },
  });
}

/** Every key of the text: where it is, and the comment in the lines above it. */
function keysOf(text: string) {
  const keys: { readonly path: KeyPath; readonly comment: string }[] = [];
  visit(text, {
    onObjectProperty(name, offset, _length, _line, _column, pathOf) {
      const comment = /((?:[ \t]*\/\/.*\n)+)[ \t]*$/.exec(text.slice(0, offset))?.[1] ?? '';
      keys.push({ path: [...pathOf(), name], comment: comment.replaceAll(/^\s*\/\/ ?/gm, '').trim() });
    },
  });
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
]);

/** With a star for the names that the operator chooses. */
function general(path: KeyPath): string {
  return spellPath(path.map((segment, index) => (chosenNames.has(spellPath(path.slice(0, index))) ? '*' : segment)));
}

describe('config.schema.json', () => {
  test('is what "npm run schema" writes', () => {
    expect(file('config.schema.json')).toBe(configJsonSchema(channelSettings));
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

/** What its examples take from the environment. */
const exampleKeys = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' };

describe('config.example.json', () => {
  const keys = keysOf(wholeExample);

  test('has every key of the schema', () => {
    const shown = new Set(keys.map(({ path }) => general(path)));
    expect(keysOfSchema(schema).filter((key) => !shown.has(key))).toEqual([]);
  });

  test('has a comment above every key', () => {
    const bare = keys.filter(({ path, comment }) => comment === '' && !spellPath(path).includes('headers.'));
    expect(bare.map(({ path }) => spellPath(path))).toEqual([]);
  });

  test('shows the defaults, but where it says that it is an example', async () => {
    const defaults = (await load('{}', {})).config;
    const shown = (await load(wholeExample, { ...exampleKeys, TELEGRAM_BOT_TOKEN: '1:a' })).config;
    const examples = keys.filter(({ comment }) => comment.startsWith('Example')).map(({ path }) => path);
    const claimed = keys.filter(
      ({ path }) => !examples.some((place) => place.every((part, index) => part === path[index])),
    );
    const written: unknown = parse(wholeExample);
    const leaves = claimed.filter(({ path }) => !isJsonObject(valueAt(written, path)));
    expect(leaves.length).toBeGreaterThan(30);
    for (const { path } of leaves) expect([path, valueAt(shown, path)]).toEqual([path, valueAt(defaults, path)]);
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

  test('with all that it shows switched on needs the variable of its model, and warns of nothing', async () => {
    await expect(load(wholeExample, exampleKeys)).resolves.toMatchObject({
      config: { model: 'main', models: { main: { api_key: 'k' }, local: { provider: 'openai_compatible' } } },
      warnings: [],
    });
    await expect(load(wholeExample, {})).rejects.toThrow(
      'models.main.api_key: the variable ANTHROPIC_API_KEY is not set.',
    );
  });
});

function valueAt(value: unknown, path: KeyPath): unknown {
  return path.reduce((part: unknown, key) => (isJsonObject(part) ? part[key] : undefined), value);
}

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
