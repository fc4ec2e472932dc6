import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../../channels/telegram/markdown.ts';
import { isUnfit, lazyParser } from '../../../src/lib/markdown-parser.ts';
import { splitMarkdown } from '../../../src/lib/split/split.ts';
import { expectAtMost, expectLinear } from '../../support/processor-time.ts';

const parse = lazyParser();
const length = 12_288;

const usual = '- **Word**: some words about _it_, and `code` at the [end](https://a.com) of it\n';

/** Holds that it takes no longer than a text of the same length that people write, by much; that one takes some 5 ms. */
function expectBounded(work: () => unknown, times = 40): Promise<void> {
  return expectAtMost(times, () => renderMarkdown(usual.repeat(length / usual.length), parse), work);
}

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
  test.each(units)('is parsed in bounded time however long: %j', async (unit) => {
    const most = Math.floor(length / unit.length);
    const full = unit.repeat(most);
    await expectBounded(() => renderMarkdown(full, parse));
    const fit = longestFit((count) => unit.repeat(count), most);
    await expectBounded(() => renderMarkdown(fit, parse));
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

  test.each(pairs)('is parsed in bounded time: many %j before many %j', async (before, behind) => {
    const make = (count: number): string => `${before.repeat(count)}a${behind.repeat(count)}`;
    const most = Math.floor((length - 1) / (before.length + behind.length));
    await expectBounded(() => renderMarkdown(make(most), parse));
    await expectBounded(() => renderMarkdown(longestFit(make, most), parse));
  });

  test('is parsed in bounded time, whatever is repeated', async () => {
    const piece = fc.constantFrom(...'*_~`[]()!<>|\\\n\r -=+#:@&a'.split(''), '**', '\n\n', '- ', '> ', '](', 'www.');
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 6 }), async (pieces) => {
        const unit = pieces.join('');
        const fit = longestFit((count) => unit.repeat(count), Math.floor(length / unit.length));
        await expectBounded(() => renderMarkdown(fit, parse));
      }),
      { numRuns: 100, seed: 20_261_121 },
    );
  });

  test('is shown as it was typed, and split without delay', async () => {
    const hostile = `${'*'.repeat(6000)}a${'*'.repeat(6000)}`;
    expect(renderMarkdown(hostile, parse)).toEqual({ text: hostile, entities: [] });
    const measure = (markdown: string): number => renderMarkdown(markdown, parse).text.length;
    let parts: readonly string[] = [];
    await expectBounded(() => {
      parts = splitMarkdown(hostile, { maxLength: 4096, measure });
    }, 160);
    expect(parts.join('')).toBe(hostile);
  });
});

test.each(['[', '![', '*', '_', '>', '> ', '`', '- ', '<', '|', 'www.', 'https://a.b/['])(
  'the parser alone takes a hundred thousand characters of %j, in time that does not grow with their square',
  (unit) => expectLinear((size) => parse(unit.repeat(size / unit.length)), 100_000),
);

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
