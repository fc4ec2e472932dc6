import { describe, expect, test } from 'vitest';
import { countsOf, rowsOf } from '../../../../packages/page/src/components/approval/diff-rows.ts';
import { type Chunk, diffLines } from '../../../../packages/page/src/components/approval/line-diff.ts';
import { SeededRandom } from '../../../support/random.ts';

/** Both texts, put together from what is the same and what differs. */
function sidesOf(chunks: readonly Chunk[]) {
  return {
    before: chunks.flatMap((chunk) => (chunk.type === 'same' ? chunk.lines : chunk.removed)),
    after: chunks.flatMap((chunk) => (chunk.type === 'same' ? chunk.lines : chunk.added)),
  };
}

describe('a difference of two texts', () => {
  test('puts both of them together, whatever they are', () => {
    const random = new SeededRandom(171);
    const text = () => Array.from({ length: random.integer(1, 12) }, () => random.pick(['a', 'b', 'c', 'd']));
    for (let round = 0; round < 2_000; round += 1) {
      const [before, after] = [text(), text()];
      expect(sidesOf(diffLines(before.join('\n'), after.join('\n')))).toEqual({ before, after });
    }
  });

  test('takes the fewest lines', () => {
    expect(diffLines('a\nb\nc\n', 'a\nx\nc\nd\n')).toEqual([
      { type: 'same', lines: ['a'] },
      { type: 'changed', removed: ['b'], added: ['x'] },
      { type: 'same', lines: ['c'] },
      { type: 'changed', removed: [], added: ['d'] },
    ]);
    expect(diffLines('same\n', 'same\n')).toEqual([{ type: 'same', lines: ['same'] }]);
  });

  test('of a file that is not there is all new', () => {
    expect(diffLines(undefined, 'a\nb\n')).toEqual([{ type: 'changed', removed: [], added: ['a', 'b'] }]);
  });

  test('that is everywhere ends, too', () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}`);
    const chunks = diffLines(lines.join('\n'), lines.map((line) => `${line}!`).join('\n'));
    expect(countsOf(chunks)).toEqual({ removed: 5_000, added: 5_000 });
  });
});

describe('its rows', () => {
  test('are there for a file of hundreds of thousands of lines, too', () => {
    expect(rowsOf(diffLines(undefined, 'a\n'.repeat(400_000)))).toHaveLength(400_000);
  });

  const numbered = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
  const changed = numbered.map((line) => (line === 'line 10' ? 'line ten' : line));

  test('leave out, and count, what is far from each change', () => {
    const rows = rowsOf(diffLines(numbered.join('\n'), changed.join('\n')));
    expect(rows.map((row) => (row.type === 'left-out' ? row.count : row.type))).toEqual([
      ...[6, 'same', 'same', 'same', 'changed', 'same', 'same', 'same', 7],
    ]);
  });

  test('name the part of a line that differs', () => {
    const row = rowsOf(diffLines(numbered.join('\n'), changed.join('\n'))).find(({ type }) => type === 'changed');
    expect(row).toEqual({
      type: 'changed',
      old: { number: 10, text: 'line 10', part: [5, 7] },
      fresh: { number: 10, text: 'line ten', part: [5, 8] },
    });
  });
});
