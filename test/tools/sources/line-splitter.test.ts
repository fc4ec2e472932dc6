import { expect, test } from 'vitest';
import { LineSplitter } from '../../../src/tools/sources/line-splitter.ts';
import { SeededRandom } from '../../support/random.ts';

test('lines are the same however their bytes come', () => {
  const random = new SeededRandom(7);
  const lines = ['', 'a', 'ä🙂', 'x'.repeat(9000), '', 'last\rof all'];
  const bytes = Buffer.from(`${lines.join('\n')}\n`.replace('ä🙂\n', 'ä🙂\r\n'));
  for (let round = 0; round < 50; round += 1) {
    const splitter = new LineSplitter({ maxBytes: 10_000 });
    const found: string[] = [];
    for (let start = 0; start < bytes.length; ) {
      const size = random.integer(1, random.chance(0.5) ? 3 : 5000);
      found.push(...splitter.push(bytes.subarray(start, start + size)));
      start += size;
    }
    expect(found).toEqual(lines);
  }
});

test('a line that has no end is kept up to the limit, and no further', () => {
  const splitter = new LineSplitter({ maxBytes: 10 });
  expect(splitter.push(Buffer.from('0123456789\n01234567'))).toEqual(['0123456789']);
  expect(splitter.push(Buffer.from('89'))).toEqual([]);
  expect(() => splitter.push(Buffer.from('x'))).toThrow('longer than 10 bytes');
});
