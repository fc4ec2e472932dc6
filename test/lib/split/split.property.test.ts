import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { folded, unfold } from '../../../src/lib/folds.ts';
import { splitMarkdown } from '../../../src/lib/split/split.ts';
import { isSubsequence, markdownDocuments, markdownSoup } from '../../support/markdown-documents.ts';

/** How many documents: the long form sets more. */
const numRuns = Number(process.env.KEYTURN_PROPERTY_RUNS ?? 120);
const runs = { numRuns, seed: 20_261_121 };
const timeout = 20_000 + numRuns * 40;

/** Exact, larger than the text, smaller than the text, and smaller once a bold word is complete. */
const measures = fc.constantFrom(
  (markdown: string) => markdown.length,
  (markdown: string) => Buffer.byteLength(markdown),
  (markdown: string) => markdown.replaceAll(/[`*_#|>-]/g, '').length,
  (markdown: string) => markdown.replaceAll(/\*\*(\w+)\*\*/g, '$1').length,
);
const limits = fc.integer({ min: 80, max: 600 });

describe('every document', { timeout }, () => {
  test('is cut into parts that fit, and loses nothing', () => {
    fc.assert(
      fc.property(markdownDocuments, limits, measures, (markdown, maxLength, measure) => {
        const parts = splitMarkdown(markdown, { maxLength, measure });
        for (const part of parts) expect(measure(part)).toBeLessThanOrEqual(maxLength);
        expect(seenIn(parts, markdown).join('\n')).toBe(graphemes(markdown).join('\n'));
      }),
      runs,
    );
  });

  test('keeps its code as code, in fences that are closed', () => {
    fc.assert(
      fc.property(markdownDocuments, limits, measures, (markdown, maxLength, measure) => {
        const parts = splitMarkdown(markdown, { maxLength, measure });
        const blocks = parts.flatMap(codeBlocks);
        expect(blocks.map(({ code }) => code).join('')).toBe(
          codeBlocks(markdown)
            .map(({ code }) => code)
            .join(''),
        );
        expect(blocks.filter(({ closed }) => !closed)).toEqual([]);
      }),
      runs,
    );
  });

  test('keeps what is folded in folded blocks with its title, and nothing else in them', () => {
    fc.assert(
      fc.property(markdownDocuments, limits, measures, (document, maxLength, measure) => {
        const inside = document.replaceAll('\r', '');
        const markdown = ['OUTSIDE before it.', folded('INSIDE', inside), 'OUTSIDE behind it.'].join('\n\n');
        const parts = splitMarkdown(markdown, { maxLength, measure });
        for (const part of parts) expect(measure(part)).toBeLessThanOrEqual(maxLength);
        const pieces = parts.map(unfold);
        const shown = pieces.map((piece) => piece.shown).join(' ');
        expect(shown.replaceAll(/\s+/g, ' ').trim()).toBe('OUTSIDE before it. OUTSIDE behind it.');
        expect(pieces.map(({ details = '' }) => details).join(' ')).not.toContain('OUTSIDE');
        const certain = inside.replaceAll(/(?:`{3,}|~{3,}).*/g, '');
        expect(isSubsequence(textOf(certain), textOf(pieces.map(({ details = '' }) => details).join('')))).toBe(true);
      }),
      runs,
    );
  });

  test('is cut somehow even where it keeps no rule and the limit is tiny', () => {
    fc.assert(
      fc.property(markdownSoup, fc.integer({ min: 1, max: 40 }), measures, (markdown, maxLength, measure) => {
        const parts = splitMarkdown(markdown, { maxLength, measure });
        for (const part of parts) expect(measure(part) <= maxLength || [...part].length === 1).toBe(true);
        for (const part of parts) expect(part.isWellFormed()).toBe(true);
        // A limit that is too small for a fence is too small for its info string.
        const certain = markdown.replaceAll(/(?:`{3,}|~{3,}).*/g, '');
        expect(isSubsequence(textOf(certain), textOf(parts.join('')))).toBe(true);
      }),
      runs,
    );
  });
});

/** What can be seen of the parts, without the heads of tables and items that the text does not have there. */
function seenIn(parts: readonly string[], markdown: string): readonly string[] {
  const whole = graphemes(markdown);
  const seen: string[] = [];
  for (const part of parts) {
    const all = graphemes(part);
    const isThere = all.every((grapheme, index) => whole[seen.length + index] === grapheme);
    const lines = part.split('\n');
    const items = lines.slice(
      0,
      Math.max(
        0,
        lines.findIndex((line) => !line.endsWith(' …')),
      ),
    );
    for (const item of items) expect(markdown).toContain(item.slice(0, -2).trim().replace(/^\d+/, ''));
    const [first = '', dashes = '', ...rest] = lines.slice(items.length);
    const isHead = items.length === 0 && /^[\s>]*[|:-][\s|:-]*$/.test(dashes) && dashes.includes('-');
    if (isThere) seen.push(...all);
    else seen.push(...graphemes([...(isHead ? [] : [first, dashes]), ...rest].join('\n')));
  }
  return seen;
}

/** What can be seen, without the fence markers, which may be repeated, and the numbers of items, which may be mended. */
function graphemes(markdown: string): string[] {
  const lines = markdown.split(/\r?\n/).filter((line) => !/^[\s>]*(?:(?:-|1\.)\s+)*(?:`{3,}|~{3,})[^`]*$/.test(line));
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const words = lines.flatMap((line) =>
    line
      .replace(/^[\s>]+/, '')
      .replace(/^\d+(?=[.)]\s)/, '1')
      .split(/\s+/),
  );
  // Nearly all words are ASCII, whose characters need no segmenter: it takes most of the time.
  return words.flatMap((word) =>
    /^[!-~]*$/.test(word) ? word.split('') : Array.from(segmenter.segment(word), ({ segment }) => segment),
  );
}

/** The code in the eyes of another parser, without white space. */
function codeBlocks(markdown: string): { code: string; closed: boolean }[] {
  const lines = markdown.split(/\r?\n/);
  const blocks = new MarkdownIt('commonmark').parse(markdown, {}).filter(({ tag }) => tag === 'code');
  return blocks.map(({ content, map }) => {
    const [begin, end] = map ?? [0, 0];
    const closed = end > begin + 1 && /^[\s>]*(?:```|~~~)[`~]*$/.test(lines[end - 1] ?? '');
    return { code: content.replaceAll(/\s/g, ''), closed };
  });
}

/** Without white space, without numbers, which may be mended, and without the marks of which some are put in or left out. */
function textOf(markdown: string): string {
  return markdown.replaceAll(/[\s`~>\d]/g, '');
}
