import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { channelSettings } from '../channels/index.ts';
import { readArguments } from '../src/cli/arguments.ts';
import { loadConfig } from '../src/config/load.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../src/lib/json.ts';
import { featureParts } from './support/whole-schema.ts';

/* What README and docs show works: what is shown of a config is accepted, scripts and options exist, addresses lead somewhere. */

const root = join(import.meta.dirname, '..');
const found = ['README.md', 'README.zh.md', ...globSync(['docs/*.md', 'channels/*/README.md'], { cwd: root })];
const pages = found.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** The blocks of a language on a page, with their lines. */
function blocksOf(language: string): readonly (readonly [place: string, text: string])[] {
  return pages.flatMap(({ path, text }) =>
    [...text.matchAll(new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gm'))].map(
      ({ 1: block = '', index }) => [`${path}:${text.slice(0, index).split('\n').length}`, block] as const,
    ),
  );
}

/** Parts of a config that are shown without what they stand in. */
const around: Readonly<Record<string, (part: JsonObject) => JsonObject>> = {
  parameters: (part) => ({
    custom_tools: [{ name: 'x', description: 'x', command: 'echo {{city}}', ...part }],
  }),
  ci: (part) => ({ gateway: { enabled: true }, webhooks: part }),
};

const known = new Set(Object.keys(parse(readFileSync(join(root, 'config.schema.json'), 'utf8')).properties));

/** What a page shows as a whole config; undefined if it shows something else. */
function configOf(block: string): JsonObject | undefined {
  const text = block.trim().startsWith('{') ? block : `{${block}}`;
  const part: JsonValue = parse(text, [], { allowTrailingComma: true });
  if (!isJsonObject(part)) return undefined;
  const [first = ''] = Object.keys(part);
  if (known.has(first)) return part;
  return around[first]?.(part);
}

/** Values of the secrets that have a form. */
const secrets: Readonly<Record<string, string>> = {
  TELEGRAM_BOT_TOKEN: `1234567:${'a'.repeat(35)}`,
  SLACK_APP_TOKEN: `xapp-1-${'a'.repeat(20)}`,
  SLACK_BOT_TOKEN: `xoxb-${'a'.repeat(20)}`,
  DISCORD_BOT_TOKEN: `${'a'.repeat(24)}.${'b'.repeat(6)}.${'c'.repeat(38)}`,
};

/** A value for each variable that the text names. */
function environmentOf(text: string): Readonly<Record<string, string>> {
  const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name);
  const given = names.map((name) => [name, secrets[name] ?? `a-secret-${'0'.repeat(40)}`] as const);
  return { OPENAI_API_KEY: 'sk-a', ...Object.fromEntries(given) };
}

describe('what a page shows of the config', () => {
  const shown = blocksOf('jsonc').flatMap(([place, block]) => {
    const config = configOf(block);
    return config === undefined ? [] : [[place, config] as const];
  });

  test('is found', () => {
    expect(shown.length).toBeGreaterThan(20);
  });

  test.each(shown)('%s is accepted', async (_, config) => {
    const small = { small: { provider: 'openai_compatible', name: 'x', base_url: 'http://127.0.0.1:1/v1' } };
    const telegram = { enabled: true, token: secrets.TELEGRAM_BOT_TOKEN };
    const text = JSON.stringify({ models: small, channels: { telegram }, ...config });
    const loaded = await loadConfig({
      path: 'config.json',
      explicit: false,
      env: environmentOf(text),
      channels: channelSettings,
      parts: featureParts,
      cwd: '/home/keyturn',
      readFile: async (path) => {
        if (path.endsWith('config.json')) return new TextEncoder().encode(text);
        throw Object.assign(new Error('none'), { code: 'ENOENT' });
      },
    });
    expect(loaded.source).toBe('file');
  });
});

test('every script and option that a page tells to run is there', () => {
  const { scripts } = parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const all = pages.flatMap(({ path, text }) => [
    ...[...text.matchAll(/npm run ([\w:-]+)/g)].map(([said, name = '']) => ({ path, said, isThere: name in scripts })),
    ...[...text.matchAll(/(?:npm start --|`keyturn) ([a-z-][^`|]*?)(?:`|$| {2}#)/gm)].map(([said, words = '']) => ({
      path,
      said,
      isThere:
        readArguments(
          words
            .replace(/\bFILE\b/, 'config.json')
            .trim()
            .split(/\s+/),
          [],
        ).type !== 'wrong',
    })),
  ]);
  expect(all.length).toBeGreaterThan(5);
  expect(all.filter(({ isThere }) => !isThere)).toEqual([]);
});

/** The anchors of a page, as GitHub makes them of headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test('every address of a page of ours leads to one, and to a heading that it has', () => {
  const links = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:\]\(|src(?:set)?=")(?!https?:|#|mailto:)([^)"#\s]+)(?:#([^)"\s]+))?/g)].map(
      ([, to = '', anchor]) => ({ path, to, anchor }),
    ),
  );
  expect(links.length).toBeGreaterThan(100);
  const broken = links.filter(({ path, to, anchor }) => {
    const target = resolve(root, dirname(path), to);
    if (!existsSync(target)) return true;
    if (anchor === undefined || statSync(target).isDirectory()) return false;
    return !anchorsOf(readFileSync(target, 'utf8')).has(anchor);
  });
  expect(broken.map(({ path, to, anchor }) => `${path}: ${relative('.', to)}#${anchor ?? ''}`)).toEqual([]);
});

test('README and README.zh.md are short, and show the same blocks and addresses', () => {
  const [english = '', chinese = ''] = ['README.md', 'README.zh.md'].map(
    (name) => pages.find(({ path }) => path === name)?.text,
  );
  for (const text of [english, chinese]) expect(text.split('\n').length).toBeLessThanOrEqual(130);
  const blocks = (text: string): readonly string[] => [...text.matchAll(/```[\s\S]*?```/g)].map(([block]) => block);
  expect(blocks(chinese)).toEqual(blocks(english));
  const addresses = (text: string): readonly string[] =>
    [
      ...new Set(
        [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, to = '']) => to.replace(/README(?:\.zh)?\.md/, 'README')),
      ),
    ].sort();
  expect(addresses(chinese)).toEqual(addresses(english));
});
