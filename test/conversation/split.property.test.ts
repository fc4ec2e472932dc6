import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, test } from 'vitest';
import { splitMarkdown } from '../../src/conversation/split/split.ts';
import { markdownDocuments, markdownSoup } from '../support/markdown-documents.ts';

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
        expect(parts.flatMap(graphemes)).toEqual(graphemes(markdown));
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

/** What can be seen, without the fence markers, which may be repeated. */
function graphemes(markdown: string): string[] {
  const lines = markdown.split(/\r?\n/).filter((line) => !/^[\s>]*(?:(?:-|1\.)\s+)*(?:`{3,}|~{3,})[^`]*$/.test(line));
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const words = lines.flatMap((line) => line.replace(/^[\s>]+/, '').split(/\s+/));
  return words.flatMap((word) => Array.from(segmenter.segment(word), ({ segment }) => segment));
}

/** The code in the eyes of another parser, without white space. */
function codeBlocks(markdown: string): { code: string; closed: boolean }[] {
  const tree = fromMarkdown(markdown);
  return codeNodes(tree).map(({ value, position }) => {
    const lines = markdown.slice(position?.start.offset, position?.end.offset).split(/\r?\n/);
    const closed = lines.length > 1 && /^[\s>]*(?:```|~~~)[`~]*$/.test(lines.at(-1) ?? '');
    return { code: value.replaceAll(/\s/g, ''), closed };
  });
}

function codeNodes(node: Nodes): Extract<Nodes, { type: 'code' }>[] {
  if (node.type === 'code') return [node];
  return 'children' in node ? node.children.flatMap(codeNodes) : [];
}

/** Without white space, and without the marks of which some are put in or left out. */
function textOf(markdown: string): string {
  return markdown.replaceAll(/[\s`~>]/g, '');
}

function isSubsequence(part: string, whole: string): boolean {
  let found = 0;
  for (const unit of whole.split('')) if (unit === part[found]) found += 1;
  return found === part.length;
}
