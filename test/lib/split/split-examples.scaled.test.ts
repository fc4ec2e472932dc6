import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../../channels/telegram/markdown.ts';
import { lazyParser } from '../../../src/lib/markdown-parser.ts';
import { splitMarkdown } from '../../../src/lib/split/split.ts';
import { isSubsequence } from '../../support/markdown-documents.ts';
import { commonmarkExamples, naughtyStrings } from '../../support/markdown-examples.ts';
import { sampled } from '../../support/thorough.ts';

const parse = lazyParser();
const asTelegram = (markdown: string): number => renderMarkdown(markdown, parse).text.length;
const asTyped = (markdown: string): number => markdown.length;
const examples = [...commonmarkExamples(), ...naughtyStrings()].filter((example) => example.trim() !== '');

describe('the examples of the CommonMark specification, and strings that break programs', () => {
  test.each([
    ['as they are typed', asTyped],
    ['as Telegram counts them', asTelegram],
  ])('fit when they are cut small, and lose nothing, measured %s', (_how, measure) => {
    for (const example of sampled(examples, 16)) {
      for (const maxLength of [4, 40]) {
        const parts = splitMarkdown(example, { maxLength, measure });
        for (const part of parts) expect(measure(part) <= maxLength || isOneCharacter(part), example).toBe(true);
        for (const part of parts) expect(part.isWellFormed() || !example.isWellFormed(), example).toBe(true);
        if (maxLength === 40) expect(isSubsequence(letters(example), letters(parts.join('\n'))), example).toBe(true);
      }
    }
  });

  test('written one below the other make messages of Telegram that are full and lose nothing', () => {
    const whole = examples.join('\n\n');
    const parts = splitMarkdown(whole, { maxLength: 4096, measure: asTelegram });
    for (const part of parts) expect(asTelegram(part)).toBeLessThanOrEqual(4096);
    expect(isSubsequence(letters(whole), letters(parts.join('\n')))).toBe(true);
    expect(parts.length).toBeLessThan(whole.length / 1500);
  });
});

function isOneCharacter(part: string): boolean {
  return [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(part.trim())].length <= 1;
}

/** Letters and digits: what no splitter may touch. The marks around them may be repeated or left out. */
function letters(markdown: string): string {
  const withoutInfo = markdown.replaceAll(/(?:`{3,}|~{3,}).*/g, '');
  return withoutInfo.replaceAll(/[^\p{L}\p{N}]/gu, '');
}
