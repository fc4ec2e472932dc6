import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parse } from 'jsonc-parser';
import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { channelSettings } from '../channels/index.ts';
import { readArguments } from '../src/cli/arguments.ts';
import { loadConfig } from '../src/config/load.ts';
import { commandMenu, loadFeatures } from '../src/daemon/command-menu.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../src/lib/json.ts';
import { featureParts } from './support/whole-schema.ts';

/*
 * What README and docs show works: what is shown of a config is accepted, scripts and options exist, addresses lead somewhere. A page
 * and its Chinese one show the same: blocks, commands, tables, addresses.
 */

const root = join(import.meta.dirname, '..');
const found = [
  'README.md',
  'README.zh.md',
  ...globSync(['docs/*.md', 'docs/zh/*.md', 'channels/*/README*.md'], { cwd: root }),
];

interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

const pages: readonly Page[] = found.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

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

/** What looks like a command of ours and is none: Telegram's, @BotFather's, Slack's and the terminal's; addresses and folders. */
const notOurs = new Set(
  'keyturn start newbot mybots setprivacy invite exit quit health healthz readyz metrics files data proc tmp'.split(
    ' ',
  ),
);

test('every command of the chat that a page names is there', async () => {
  const ours = new Set(commandMenu(await loadFeatures()).map(({ name }) => name));
  const said = pages.flatMap(({ path, text }) =>
    [...withoutBlocks(text).matchAll(/`(?:@Keyturn )?\/(?:keyturn )?([a-z]+)(?=[` ])/g)].map(([, name = '']) => ({
      path,
      name,
    })),
  );
  expect(said.length).toBeGreaterThan(200);
  expect(said.filter(({ name }) => !ours.has(name) && !notOurs.has(name))).toEqual([]);
});

test.each(['discord', 'slack', 'telegram', 'terminal'])('the page of %s names every key of its settings', (name) => {
  const { properties } = parse(readFileSync(join(root, 'config.schema.json'), 'utf8'));
  const keys = Object.keys(properties.channels.properties[name].properties);
  expect(keys.length).toBeGreaterThan(0);
  const page = readFileSync(join(root, `channels/${name}/README.md`), 'utf8');
  expect(keys.filter((key) => !page.includes(`\n| \`${key}\` |`))).toEqual([]);
});

/** The anchors of a page in their order: its own, and those that GitHub makes of headings. */
function anchorsOf(text: string): readonly string[] {
  const marked = [...text.matchAll(/^#{1,6} (.+)$|<a id="([^"]+)">/gm)];
  return marked.map(
    ([, heading, id]) =>
      id ??
      (heading ?? '')
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
  );
}

interface Address {
  /** From the root of the repository; the page itself for `#heading`. */
  readonly to: string;
  readonly anchor: string | undefined;
}

/** What of ours a page leads to. */
function addressesIn({ path, text }: Page): readonly Address[] {
  const found = text.matchAll(/(?:\]\(|src(?:set)?=")(?!https?:|mailto:)([^)"#\s]*)(?:#([^)"\s]+))?/g);
  return [...found].map(([, to = '', anchor]) => ({
    to: to === '' ? path : relative(root, resolve(root, dirname(path), to)),
    anchor,
  }));
}

test('every address of a page of ours leads to one, and to a heading that it has', () => {
  const links = pages.flatMap((page) => addressesIn(page).map((address) => ({ path: page.path, ...address })));
  expect(links.length).toBeGreaterThan(100);
  const broken = links.filter(({ to, anchor }) => {
    const target = join(root, to);
    if (!existsSync(target)) return true;
    if (anchor === undefined || statSync(target).isDirectory()) return false;
    return !anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
  });
  expect(broken.map(({ path, to, anchor }) => `${path}: ${to}#${anchor ?? ''}`)).toEqual([]);
});

test('README and README.zh.md are short', () => {
  const lines = pages.filter(({ path }) => path.startsWith('README.')).map(({ text }) => text.split('\n').length);
  expect(lines).toHaveLength(2);
  expect(Math.max(...lines)).toBeLessThanOrEqual(130);
});

describe('the pages for people who use or install it', () => {
  const named = (path: string): Page | undefined => pages.find((page) => page.path === path);

  /** Pages about its code, and about code that others write for it, are in English alone. */
  const forPeople =
    'agents backup cards commands config configure connect custom-tools deploy devices evidence files gateway hooks install mcp models own-tools people plugins promises rules sandbox taint tools undo untrusted webhooks'
      .split(' ')
      .map((name) => `docs/${name}.md`);
  const ofChannels = ['discord', 'slack', 'telegram', 'terminal'].map((name) => `channels/${name}/README.md`);
  const translated = pages.flatMap(({ path }) => (inEnglish(path) === path ? [] : [inEnglish(path)]));

  test('are there in English and Chinese, each with an address of the other in its first line', () => {
    expect([...forPeople, ...ofChannels, 'README.md'].filter((path) => !translated.includes(path))).toEqual([]);
    const both = translated.flatMap((path) => [
      { path, other: inChinese(path) },
      { path: inChinese(path), other: path },
    ]);
    const lacking = both.filter(({ path, other }) => {
      const lines = named(path)?.text.split('\n') ?? [];
      // The front page begins with what it is.
      const head = path.startsWith('README') ? lines.find((line) => line.startsWith('[')) : lines[0];
      return !addressesIn({ path, text: head ?? '' }).some(({ to }) => to === other);
    });
    expect(lacking).toEqual([]);
  });

  // What docs/config.md shows is written from the schema, whose descriptions are in English.
  test.each(translated.filter((path) => path !== 'docs/config.md'))('%s shows the same in Chinese', (path) => {
    const [english, chinese] = [named(path), named(inChinese(path))];
    if (english === undefined || chinese === undefined)
      throw new Error(`Only one of ${path} and its Chinese page is there.`);
    expect(shownBy(chinese)).toEqual(shownBy(english));
  });

  test('in Chinese lead on to pages in Chinese, and are set as Chinese is', () => {
    const chinese = pages.filter(({ path }) => inEnglish(path) !== path);
    const markdown = new MarkdownIt({ html: true });
    for (const page of chinese) {
      const others = addressesIn(page).filter(
        ({ to }) => to !== inEnglish(page.path) && inChinese(to) !== to && named(inChinese(to)) !== undefined,
      );
      expect({ page: page.path, inEnglish: others }).toEqual({ page: page.path, inEnglish: [] });
      const prose = withoutBlocks(page.text)
        .replace(/\]\([^)]*\)/g, ']')
        .replace(/`[^`\n]*`/g, 'x');
      // A line that ends within a paragraph shows as a blank, which Chinese does not have between words.
      const faults = prose.match(
        /.{0,9}(?:\p{sc=Han}[,:;?!()a-z\d]|[,:;?!()a-z\d]\p{sc=Han}|[\p{sc=Han}，。：；、？）”]\n *[\p{sc=Han}（“]|您).{0,9}/giu,
      );
      expect({ page: page.path, faults }).toEqual({ page: page.path, faults: null });
      // Emphasis beside full-width punctuation may be none.
      const rendered = markdown.render(page.text).replace(/<(pre|code)>[\s\S]*?<\/\1>/g, '');
      expect({ page: page.path, source: rendered.match(/.{0,20}[*`].{0,20}/g) }).toEqual({
        page: page.path,
        source: null,
      });
    }
  });
});

/** Where a page is in Chinese, if it is. */
function inChinese(path: string): string {
  return path.replace(/(^|\/)README\.md$/, '$1README.zh.md').replace(/^docs\/(?=[^/]+\.md$)/, 'docs/zh/');
}

/** The same page in English. */
function inEnglish(path: string): string {
  return path.replace(/README\.zh\.md$/, 'README.md').replace(/^docs\/zh\//, 'docs/');
}

function withoutBlocks(text: string): string {
  return text.replace(/^ *```[\s\S]*?^ *```$/gm, '');
}

/** What a page shows beside sentences, alike in every language. Names of pages are those of the English ones. */
function shownBy(page: Page): object {
  const prose = withoutBlocks(page.text);
  return {
    blocks: [...page.text.matchAll(/^ *```([\s\S]*?)^ *```$/gm)].map(([, block = '']) => withoutComments(block)),
    headings: [...prose.matchAll(/^(#+) /gm)].map(([, signs = '']) => signs.length),
    tables: tablesIn(prose),
    lists: prose.match(/^ *(?:-|\d+\.) /gm)?.length,
    code: [...new Set([...prose.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) => codeIn(code)))].toSorted(),
    addresses: [...new Set(addressesIn(page).map(placeOf))].toSorted(),
    elsewhere: [...new Set(prose.match(/\]\(https?:[^)]+\)/g))].toSorted(),
  };
}

/** Comments in code are sentences: `// …`, `# …`. */
function withoutComments(block: string): string {
  return block.replace(/(?:^|[ \t]+)(?:\/\/|#)[ \t].*$/gm, '').trimEnd();
}

/** Columns and rows of each table. */
function tablesIn(prose: string): readonly string[] {
  const tables = prose.match(/(?:^\|.*\n)+/gm) ?? [];
  return tables.map((table) => {
    const rows = table.trimEnd().split('\n');
    return rows.map((row) => row.match(/(?<!\\)\|/g)?.length).join(' ');
  });
}

/** Code as it stands; of a command without the words for what to put in; of labels of buttons nothing. */
function codeIn(code: string): readonly string[] {
  if (/^\[\p{L}/u.test(code)) return [];
  return [code.startsWith('/') ? code.replace(/\b[A-Z]{4,}\b|\p{sc=Han}+/gu, '…') : code];
}

/** A page by its English name, and the number of the heading. */
function placeOf({ to, anchor }: Address): string {
  const place = inEnglish(to).replace(/-zh-/, '-en-');
  if (anchor === undefined) return place;
  return `${place}#${anchorsOf(readFileSync(join(root, to), 'utf8')).indexOf(anchor)}`;
}
