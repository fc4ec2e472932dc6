import { expect, test } from 'vitest';
import { StreamStripper, stripControls } from '../../../channels/terminal/render.ts';
import { lastRow } from '../../../src/lib/text-width.ts';

test.each([
  ['colour', 'a\u001b[31mb\u001b[0m', 'ab'],
  ['clearing the screen', 'a\u001b[2J\u001b[Hb', 'ab'],
  ['a title', 'a\u001b]0;title\u0007b', 'ab'],
  ['an eight-bit sequence', 'a\u009b31mb', 'ab'],
  ['going back to the start of the line', 'rm -rf /\recho', 'rm -rf /echo'],
  ['erasing, bells and nulls', 'a\b\u0007\u0000\u007fb', 'ab'],
  ['a lone escape', 'a\u001b', 'a'],
  ['text that is turned around', 'a\u202etxt.exe\u202c', 'atxt.exe'],
  ['line ends of other kinds', 'a\u2028b\u2029c', 'a\nb\nc'],
  ['line ends of Windows', 'a\r\nb', 'a\nb'],
])('%s is taken out', (_what, text, shown) => {
  expect(stripControls(text)).toBe(shown);
});

test('line ends, tabs and all that people write stay', () => {
  const text = 'a\n\tb – é 你好 👩‍👩‍👧 שלום';
  expect(stripControls(text)).toBe(text);
});

test('a sequence that comes in pieces is taken out as a whole, wherever it is cut', () => {
  const text = 'one \u001b[1;31mred\u001b[0m \u001b]0;title\u0007two 👍 three';
  for (let cut = 0; cut <= text.length; cut += 1) {
    const stripper = new StreamStripper();
    const shown = stripper.push(text.slice(0, cut)) + stripper.push(text.slice(cut)) + stripper.flush();
    expect(shown).toBe('one red two 👍 three');
  }
});

test('an escape that never ends holds back only a little', () => {
  const stripper = new StreamStripper();
  expect(stripper.push(`\u001b]0;${'x'.repeat(300)}`)).toContain('xxx');
});

test.each([
  ['abc', 10, 'abc'],
  ['abcdef', 4, 'ef'],
  ['abcd', 4, 'abcd'],
  ['abcdef\nxy', 4, 'xy'],
  ['abc\n', 4, ''],
  ['你好吗', 4, '吗'],
  ['e\u0301e\u0301e\u0301', 3, 'e\u0301e\u0301e\u0301'],
  ['\ta', 8, 'a'],
])('the last row of %j in %i columns is %j', (text, columns, row) => {
  expect(lastRow(text, columns)).toBe(row);
});
