import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../../channels/telegram/markdown.ts';
import { splitMarkdown } from '../../../src/conversation/split/split.ts';
import { lazyParser } from '../../../src/lib/markdown-parser.ts';
import { isUnfit } from '../../../src/lib/unfit-markdown.ts';
import { isThorough, sampled } from '../../support/thorough.ts';

const parse = lazyParser();
const length = 12_288;

/** In milliseconds, the best of three if the first was too slow: other processes may take the processor from any of them. */
function timeOf(work: () => unknown, enough = 0): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && best > enough; round += 1) {
    const before = performance.now();
    work();
    best = Math.min(best, performance.now() - before);
  }
  return best;
}

/** What a plain text of the same length takes the parser; some 10 ms. */
const plainTime = timeOf(() => parse('word word. '.repeat(length / 11)));
const mostTime = 40 * plainTime;

/** As many of them as are still parsed; all, if the text is fit at its full length. */
function longestFit(make: (count: number) => string, most: number): string {
  if (!isUnfit(make(most))) return make(most);
  let [fit, unfit] = [0, most];
  while (unfit - fit > 1) {
    const middle = (fit + unfit) >>> 1;
    if (isUnfit(make(middle))) unfit = middle;
    else fit = middle;
  }
  return make(fit);
}

const units = [
  '*',
  '*_',
  '_*',
  '*_~',
  'a*',
  '2*3*4 ',
  '~]',
  '~[',
  '*]',
  '*[',
  ']',
  '[',
  '](',
  ']]',
  '\\',
  '&amp;',
].concat(
  ['`', '*`', '_a_`b`', '[`a`](b)', '<', '~<', '|', '\n-|-', '|a|\n', '\n\n`', '*\n\n', '\n\n>', '> a\n> b\n\n', '\n='],
  [
    '> > > > > a\n\n',
    '- a\n  - b\n    - c\n',
    '1. \n',
    '- \n\n',
    '\r>\r',
    '\r- a',
    '[a]:',
    '\n[a]:',
    '[^a]: ',
    '[\n\n',
  ],
  ['a@b.c*', 'a@b.c]', 'http://a.b]', 'www.a.b*', '__- ', '__~~', '**~~', 'a\n-\n', '![', '    a\n\n', '# a\n'],
);

describe('a text that the parser is slow with', () => {
  test.each(sampled(units, 4))('is parsed in bounded time however long: %j', (unit) => {
    const most = Math.floor(length / unit.length);
    const full = unit.repeat(most);
    expect(timeOf(() => renderMarkdown(full, parse), mostTime)).toBeLessThan(mostTime);
    const fit = longestFit((count) => unit.repeat(count), most);
    expect(timeOf(() => renderMarkdown(fit, parse), mostTime)).toBeLessThan(mostTime);
  });

  const pairs = [
    ['*', '*'],
    ['**', '**'],
    ['[', ']'],
    ['[', '](a)'],
    ['![', ']'],
    ['&amp;', ']'],
    ['a@b.c ', ']'],
    ['*a ', ' b*'],
    ['_a ', 'b_ '],
    ['*a _b ', ' '],
    ['> ', '\n'],
    ['[', '1. '],
    ['+\t+', '-]('],
    ['http://a.b', '&amp;)'],
  ] as const;

  test.each(sampled(pairs, 4))('is parsed in bounded time: many %j before many %j', (before, behind) => {
    const make = (count: number): string => `${before.repeat(count)}a${behind.repeat(count)}`;
    const most = Math.floor((length - 1) / (before.length + behind.length));
    expect(timeOf(() => renderMarkdown(make(most), parse), mostTime)).toBeLessThan(mostTime);
    expect(timeOf(() => renderMarkdown(longestFit(make, most), parse), mostTime)).toBeLessThan(mostTime);
  });

  test('is parsed in bounded time, whatever is repeated', () => {
    const piece = fc.constantFrom(...'*_~`[]()!<>|\\\n\r -=+#:@&a'.split(''), '**', '\n\n', '- ', '> ', '](', 'www.');
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        const unit = pieces.join('');
        const fit = longestFit((count) => unit.repeat(count), Math.floor(length / unit.length));
        expect(timeOf(() => renderMarkdown(fit, parse), mostTime)).toBeLessThan(mostTime);
      }),
      { numRuns: isThorough ? 100 : 10, seed: 20_261_121 },
    );
  });

  test('is shown as it was typed, and split without delay', () => {
    const hostile = `${'*'.repeat(6000)}a${'*'.repeat(6000)}`;
    expect(renderMarkdown(hostile, parse)).toEqual({ text: hostile, entities: [] });
    const measure = (markdown: string): number => renderMarkdown(markdown, parse).text.length;
    let parts: readonly string[] = [];
    expect(timeOf(() => (parts = splitMarkdown(hostile, { maxLength: 4096, measure })))).toBeLessThan(4 * mostTime);
    expect(parts.join('')).toBe(hostile);
  });
});

describe('what people write', () => {
  test.each(['README.md', 'AGENTS.md', 'CHANGELOG.md', 'channels/telegram/README.md'])('is formatted: %s', (file) => {
    const markdown = readFileSync(file, 'utf8').slice(0, length);
    expect(isUnfit(markdown)).toBe(false);
    expect(renderMarkdown(markdown, parse).entities.length).toBeGreaterThan(5);
  });

  test('is formatted, be it a long list, a long table or a long page of code', () => {
    const fill = (unit: string): string => unit.repeat(Math.floor((length - 100) / unit.length));
    for (const markdown of [
      fill('- **Word**: some words about _it_, and `code` at the end of it\n'),
      fill('**Word** and [a link](https://example.com/page), then more words\nand a line.\n\n'),
      `| Name | What it is |\n|---|---|\n${fill('| `name` | some words about **it**, as many as one has to say |\n')}`,
      `\`\`\`py\n${fill('def some_name(first_value, *rest):\n    result = first_value["a"] * 2\n    return result\n')}\`\`\``,
    ])
      expect(isUnfit(markdown)).toBe(false);
  });
});
