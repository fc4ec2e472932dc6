import { describe, expect, test } from 'vitest';
import {
  type Block,
  type Branch,
  type Read,
  readBlocks,
} from '../../../../packages/page/src/components/markdown/blocks.ts';
import { createParse, type Parse } from '../../../../packages/page/src/components/markdown/parser.ts';
import { commonmarkExamples } from '../../../support/markdown-examples.ts';
import { SeededRandom } from '../../../support/random.ts';

const parse = createParse();

/** What of a branch decides how it is drawn. */
function outline({ token, branches }: Branch): unknown {
  const { type, tag, content, info, attrs, hidden } = token;
  const children = token.children?.map(({ type: kind, content: words, attrs: said }) => [kind, words, said]);
  return [type, tag, type === 'inline' ? '' : content, info, attrs, hidden, children, branches.map(outline)];
}

const outlines = (blocks: readonly Block[]): readonly unknown[] => blocks.map(({ branch }) => outline(branch));

/** The text as it comes in, in pieces. */
function grown(text: string, pieceOf: () => number, read: Parse): Read {
  let former: Read | undefined;
  for (let end = pieceOf(); end < text.length; end += pieceOf())
    former = readBlocks(text.slice(0, end), read, former, false);
  return readBlocks(text, read, former, true);
}

const more: readonly string[] = [
  'words\n$$\na\n\nb\n$$\nend',
  'words\n#tag is no heading\n',
  'words\n***bold*** goes on\n',
  'a | b\n-|-\n1 | 2\n\nafter',
  'x\na | b\n-|-\n1 | 2\n',
  '> [!details]- More\n> inside\n\nbelow',
  '\\[\na\n= b\n\\]\n\nthen $x$ and \\(y\\)',
  '```ts\nconst a = 1;\n```\nand `code`',
];

describe('a text that grows', () => {
  test('reads as if it had been there at once, wherever it was cut', () => {
    const random = new SeededRandom(7);
    const texts = [...commonmarkExamples(), ...more];
    for (const text of texts) {
      const whole = outlines(readBlocks(text, parse).blocks);
      expect(outlines(grown(text, () => 1, parse).blocks), text).toEqual(whole);
      expect(outlines(grown(text, () => random.integer(1, 9), parse).blocks), text).toEqual(whole);
    }
  });

  test('whose links are defined at its end has them once it is whole', () => {
    const text = 'See [here].\n\n[here]: https://example.com\n';
    const growing = grown(text, () => 4, parse);
    const whole = readBlocks(text, parse, growing, true);
    expect(outlines(whole.blocks)).toEqual(outlines(readBlocks(text, parse).blocks));
  });

  test('is read once, however long it is: only its last block is read again', () => {
    const paragraph = `${'All is well and shall be well. '.repeat(20)}\n\n`;
    const text = paragraph.repeat(400);
    expect(text.length).toBeGreaterThan(240_000);
    let [parses, characters] = [0, 0];
    const counting: Parse = (piece, definitions) => {
      parses += 1;
      characters += piece.length;
      return parse(piece, definitions);
    };
    const read = grown(text, () => 100, counting);
    expect(read.blocks).toHaveLength(400);
    expect(parses).toBeLessThanOrEqual(text.length / 100 + 1);
    // Each piece reads one paragraph or two.
    expect(characters).toBeLessThan(parses * 2 * paragraph.length);
  });

  test('keeps the blocks that do not change', () => {
    const first = readBlocks('one\n\ntwo\n\nthr', parse, undefined, false);
    const second = readBlocks('one\n\ntwo\n\nthree\n\n', parse, first, false);
    expect(second.blocks[0]).toBe(first.blocks[0]);
    const third = readBlocks('one\n\ntwo\n\nthree\n\nfour\nfive', parse, second, false);
    expect(third.blocks.slice(0, 2)).toEqual(second.blocks.slice(0, 2));
    expect(third.blocks[1]).toBe(second.blocks[1]);
  });

  test('that is another one is read anew', () => {
    const first = readBlocks('one\n\ntwo\n\nthree\n', parse, undefined, false);
    const other = readBlocks('four', parse, first, false);
    expect(outlines(other.blocks)).toEqual(outlines(readBlocks('four', parse).blocks));
  });
});
