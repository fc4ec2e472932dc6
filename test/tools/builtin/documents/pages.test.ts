import { describe, expect, test } from 'vitest';
import { pageOf } from '../../../../src/tools/builtin/documents/pages.ts';

function pagesOf(text: string, pageChars: number): readonly (string | undefined)[] {
  const { total } = pageOf(text, 1, pageChars);
  return Array.from({ length: total }, (_, index) => pageOf(text, index + 1, pageChars).text);
}

describe('a page', () => {
  test('ends at a paragraph, else at a line, else at a word, else where it is full', () => {
    expect(pagesOf('one two\nthree\n\nfour five', 20)).toEqual(['one two\nthree', 'four five']);
    expect(pagesOf('one two\nthree four', 12)).toEqual(['one two', 'three four']);
    expect(pagesOf('one two three', 10)).toEqual(['one two', 'three']);
    expect(pagesOf('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  });

  test('is not cut early for a paragraph that is far from its end', () => {
    expect(pagesOf('a\n\nbcdefgh ijklm', 12)).toEqual(['a\n\nbcdefgh', 'ijklm']);
  });

  test('does not halve a character', () => {
    expect(pagesOf('abc😀d', 4)).toEqual(['abc', '😀d']);
  });

  test('is one, though empty, of a text that is empty, and none beyond the last', () => {
    expect(pagesOf('', 10)).toEqual(['']);
    expect(pageOf('abc', 2, 10)).toEqual({ text: undefined, total: 1 });
  });
});
