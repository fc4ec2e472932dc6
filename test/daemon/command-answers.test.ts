import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';

/*
 * One file for reviewers: all that commands say, in both languages, each sentence with all its values and with as few as
 * possible. Delete it and run this test to write it anew.
 */

const root = join(import.meta.dirname, '../..');
const files = globSync(['src/conversation/commands/**/words.ts', 'src/features/*/words.ts'], { cwd: root }).sort();

const entries = z.record(z.string(), z.unknown());
const isCatalogue = z.object({ en: entries, zh: entries });

/** Values that are no words, by their names; in one sentence only, by that and the name. */
const values: Readonly<Record<string, unknown>> = {
  cancelled: 2,
  pinned: 2,
  count: 2,
  leftOut: 2,
  more: 2,
  window: 4096,
  source: 'set',
  'toolLine.source': '‹source›',
  'moreTools.source': '‹source›',
  from: 'config',
  goesBack: 'chat',
  kind: 'plugin',
  'grantLine.kind': 'window',
  became: 'trusted',
  status: 'connected',
  chosenBy: 'people',
  fate: 'asks',
  permission: 'asks',
  has: ['instructions', 'model'],
  agent: { name: '‹agent›', isGone: true },
  fault: { since: '‹since›', words: '‹words›' },
  'toolLine.used': { count: 9, failure: 2, isFailing: true, average: 40 },
  edits: [{ at: '‹at›', words: '‹words›', effect: 'widens' }],
  facts: [{ number: 1, name: '‹name›', text: '‹text›' }],
  'list.tools': [{ name: '‹name›', author: '‹author›', description: '‹description›' }],
};
/** Sentences that differ by kind. */
const variants: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  list: { goesBack: ['default'] },
  window: { from: ['server', 'default', 'refusal', 'usage'] },
  toolCalls: { from: ['server', 'refusal', 'usage'] },
  images: { from: ['server'] },
  model: { chosenBy: ['chat', 'nobody'] },
  channelState: { status: ['connecting', 'failing', 'dead'] },
  undeliveredLine: { fate: ['held', 'retried', 'off'] },
  toolLine: { permission: ['never', 'off'] },
  grantLine: { kind: ['always'] },
  held: { source: ['platform', 'written', 'config', 'machine'] },
  zoneHeld: { source: ['people', 'platform', 'chat', 'config', 'machine'] },
  subject: { kind: ['channel_plugin', 'tool_module', 'mcp_tool'] },
  changed: { became: ['distrusted', 'refused'] },
};
const lists = ['models', 'marks', 'names', 'known', 'people', 'holders', 'lines', 'accounts', 'places', 'commands'];
const counts = ['cancelled', 'pinned', 'count', 'leftOut', 'more'];
/** What may be missing. */
const optional =
  /^(?:is[A-Z]\w*|sharesFiles|letsIn|canFind|asks|outlives|meant|chosenBy|answered|fault|agent|heard|again|until|places|reason|by|since|tokenLimit|money|moneyLimit|notBy|chat|model|used)$/;
const needed = [
  ...[
    'modelLine.model',
    'answersHere.model',
    'used.model',
    'used.used',
    'modelSpent.model',
    'personLine.since',
    'personLine.by',
  ],
  ...['sandboxMissing.reason', 'noSandbox.reason', 'didYouMean.meant', 'nothingChanged.since', 'trustedLine.since'],
];

/** All values of a sentence, whatever it asks for. */
function full(sentence: string): object {
  return new Proxy({}, { get: (_, name) => sampleOf(sentence, String(name)) });
}

function sampleOf(sentence: string, name: string): unknown {
  return values[`${sentence}.${name}`] ?? values[name] ?? (lists.includes(name) ? [`‹${name}›`, '‹…›'] : `‹${name}›`);
}

/** As few as possible. */
function least(sentence: string): object {
  return new Proxy(
    {},
    {
      get(_, property) {
        const name = String(property);
        const value = sampleOf(sentence, name);
        if (optional.test(name) && !needed.includes(`${sentence}.${name}`)) return undefined;
        if (Array.isArray(value)) return [];
        return counts.includes(name) ? 1 : value;
      },
    },
  );
}

function said(sentence: string, entry: unknown): readonly string[] {
  if (typeof entry === 'string') return [entry];
  if (typeof entry === 'function') {
    const kinds = Object.entries(variants[sentence] ?? {}).flatMap(([name, each]) =>
      each.map((value) => Object.assign(Object.create(full(sentence)), { [name]: value })),
    );
    const all: readonly unknown[] = [full(sentence), ...kinds, least(sentence)].map((given) => entry(given));
    return [...new Set(all.map(String))];
  }
  return Object.entries(entries.parse(entry)).flatMap(([key, inner]) =>
    inner === '' ? [] : said(`${sentence}.${key}`, inner).map((words) => `${key}: ${words}`),
  );
}

function shown(sentence: string, entry: unknown): string {
  return said(sentence, entry)
    .map((words) => words.replaceAll(/^/gm, '> '))
    .join('\n>\n');
}

test('what commands say is in the reviewed file, in both languages', async () => {
  const chapters = await Promise.all(
    files.map(async (file) => {
      const module: unknown = await import(join(root, file));
      const catalogues = Object.values(entries.parse(module)).flatMap(
        (value) => isCatalogue.safeParse(value).data ?? [],
      );
      const sentences = catalogues.flatMap(({ en, zh }) =>
        Object.entries(en).map(([key, entry]) => `**${key}**\n\n${shown(key, entry)}\n\n${shown(key, zh[key])}`),
      );
      return [`## ${file}`, ...sentences].join('\n\n');
    }),
  );
  const text = `# What commands say\n\nWritten by \`command-answers.test.ts\`; ‹values› stand for what is put in.\n\n${chapters.join('\n\n')}\n`;
  expect(text.split('\n').filter((line) => /undefined|\[object|NaN/.test(line))).toEqual([]);
  // A half-width mark between Chinese characters.
  expect(text.match(/\p{Script=Han}[,;:?!.]\s?\p{Script=Han}/gu) ?? []).toEqual([]);
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, 'command-answers.md'));
});
