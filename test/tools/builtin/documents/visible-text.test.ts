import { expect, test } from 'vitest';
import { visibleText } from '../../../../src/tools/builtin/documents/visible-text.ts';

test.each([
  ['zero-width characters', 'a\u200bb\u2060c\ufeffd', 'abcd'],
  ['characters that turn the direction', 'a\u202eb\u2066c', 'abc'],
  ['letters that are nothing but tags', 'a\u{e0069}\u{e0067}b', 'ab'],
  ['variation selectors that carry data', '😀\ufe01\u{e0101}\u{e0102}', '😀'],
  ['joiners that join nothing', 'a\u200db \u200c\u200c c\u200d', 'ab  c'],
  ['soft hyphens, controls and halves of characters', 'a\u00adb\u0007c\u001b[1m\ud83d', 'abc[1m\ufffd'],
  ['more than one empty line, and spaces at the end of lines', '\n\na  \r\n\r\n \n\nb\t\n', 'a\n\nb'],
])('takes out %s', (_, text, expected) => {
  expect(visibleText(text)).toBe(expected);
});

test('keeps what people see, and what joins it', () => {
  for (const text of ['👨‍👩‍👧‍👦 ❤️', 'می‌خواهم', 'क्‍ष', 'a\tb\n\n  c', 'Ünïcödé 日本語'])
    expect(visibleText(text)).toBe(text);
});

test('takes a moment for a million spaces or line ends', () => {
  const started = performance.now();
  visibleText(`a${' '.repeat(1_000_000)}b`);
  visibleText(`a${'\n'.repeat(1_000_000)}b`);
  visibleText(`a${' \n'.repeat(500_000)}b`);
  expect(performance.now() - started).toBeLessThan(3000);
});
