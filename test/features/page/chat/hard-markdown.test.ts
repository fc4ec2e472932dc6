import { describe, expect, test } from 'vitest';
import { readBlocks } from '../../../../packages/page/src/components/markdown/blocks.ts';
import { createParse } from '../../../../packages/page/src/components/markdown/parser.ts';
import { countSteps } from '../../../support/count-steps.ts';

const parse = createParse();
const length = 8_000;

/** For each of its characters. What is usual takes 5 to 120; what searches all of the text again and again takes many hundreds. */
const mostSteps = 200;

const pieces: readonly string[] = [
  ...['\\[x\n', '> \\[x\n', '- \\[x\n', '- $$x\n', '> > $$x\n', '\\[x\n\\]y\n', '$$x\n', '> [!details]- \\[a\n'],
  ...['\\(', '\\[ ', '$$ x', '$x', '$x\\$', '\\\\$x', '[\\(', '**\\('],
  ...['~~a ', '**a', '***', '*a_', '**中', '`', '[', '![', '[a](', '![a](b', '[a]: b\n', '[a]:\n', '<', '<time '],
  ...['|a|', 'a|b\n-|-\n', '|a|b|\n', '> ', '- ', '- > ', '* a\n', 'http://', 'http://a.b/ ', 'www.a.b ', '&', '\\'],
];

describe('a text of one piece, over and over', () => {
  test.each(pieces)('is read in steps of its length: %j', (piece) => {
    const text = piece.repeat(length / piece.length);
    expect(countSteps(() => readBlocks(text, parse)) / text.length).toBeLessThan(mostSteps);
  });

  test('is read in steps of its length if a mark closes nothing at its end', () => {
    const text = `${'\\[x\n'.repeat(1_000)}\n\\]\n\n`.repeat(2);
    expect(countSteps(() => readBlocks(text, parse)) / text.length).toBeLessThan(mostSteps);
  });

  test('a table of many rows is read in steps of its length', () => {
    const text = `| a | b |\n|---|---|\n${'| 1 | **2** |\n'.repeat(1_000)}`;
    expect(countSteps(() => readBlocks(text, parse)) / text.length).toBeLessThan(mostSteps);
  });
});

describe('a formula', () => {
  const typesOf = (text: string): readonly string[] =>
    parse(text, {}).flatMap(({ type, children }) => [type, ...(children ?? []).map((one) => one.type)]);

  test.each([
    ['\\[a\n\\[b\n\\]', 'math_block'],
    ['> \\[a\n> \\[b\n>\n> \\[c\n> \\]', 'math_block'],
    ['- \\[a\n- \\[b\n  \\]', 'math_block'],
    ['\\(a \\(b\\) c\\)', 'math'],
    ['$a\\\\$', 'math'],
  ])('is found behind marks that nothing closes: %j', (text, type) => {
    expect(typesOf(text)).toContain(type);
  });

  test.each([`\\[${'a\n'.repeat(4_000)}\\]`, `\\(${'a'.repeat(6_000)}\\)`])(
    'of thousands of characters is a text',
    (text) => {
      expect(typesOf(text).filter((type) => type.startsWith('math'))).toEqual([]);
    },
  );
});
