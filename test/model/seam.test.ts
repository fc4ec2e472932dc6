import { describe, expect, test } from 'vitest';
import { Seam } from '../../src/model/seam.ts';

const shown = 'The first line of the answer.\nThe second line of it, which breaks of';

/** The whole text that people see, where the continuation comes in pieces of this size. */
function joined(before: string, written: string, size: number): string | 'anew' {
  const seam = new Seam(before);
  let text = before;
  const take = (fresh: { readonly text: string } | 'anew'): boolean => {
    if (fresh === 'anew') return false;
    text += fresh.text;
    return true;
  };
  for (let at = 0; at < written.length; at += size) if (!take(seam.take(written.slice(at, at + size)))) return 'anew';
  return take(seam.close()) ? text : 'anew';
}

describe.each([1, 3, 1000])('a continuation in pieces of %i', (size) => {
  test.each([
    ['goes on where the text broke off', 'f here, and ends.'],
    ['repeats the end', 'The second line of it, which breaks off here, and ends.'],
    ['repeats all of it', `${shown}f here, and ends.`],
    ['writes the last word again', 'off here, and ends.'],
  ])('that %s is joined without a seam', (_how, written) => {
    expect(joined(shown, written, size)).toBe(`${shown}f here, and ends.`);
  });

  test('that repeats the end and says nothing else adds nothing', () => {
    expect(joined(shown, 'The second line of it, which breaks of', size)).toBe(shown);
  });

  test('that has a word in common with the text by chance stays as it is', () => {
    expect(joined('One line.\n', 'One more.', size)).toBe('One line.\nOne more.');
  });

  test('that begins the whole text anew in other words is told apart', () => {
    expect(joined(shown, 'The first line of the answer, but different.', size)).toBe('anew');
  });

  test('that adds nothing adds nothing', () => {
    expect(joined(shown, '', size)).toBe(shown);
  });
});

test('a megabyte that is written again piece by piece is compared in time', () => {
  const long = Array.from({ length: 40_000 }, (_, line) => `line ${line} of the text\n`).join('');
  const begun = performance.now();
  expect(joined(long, `${long}end`, 20)).toBe(`${long}end`);
  expect(performance.now() - begun).toBeLessThan(3000);
});
