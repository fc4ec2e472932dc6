import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../../channels/discord/markdown.ts';
import { lazyParser } from '../../../src/lib/markdown-parser.ts';
import { splitMarkdown } from '../../../src/lib/split/split.ts';
import { markdownDocuments, markdownNoise, markdownSoup } from '../../support/markdown-documents.ts';
import { commonmarkExamples, naughtyStrings } from '../../support/markdown-examples.ts';

/** Each document is parsed several times over: a fifth of what the splitter is tried with. */
const numRuns = Math.ceil(Number(process.env.KEYTURN_PROPERTY_RUNS ?? 75) / 5);
const runs = { numRuns, seed: 20_261_121 };
const timeout = 20_000 + numRuns * 40;

const parse = lazyParser();
const shown = (markdown: string): string => renderMarkdown(markdown, parse);

describe('every text', { timeout }, () => {
  const examples = [...commonmarkExamples(), ...naughtyStrings()];
  const any = fc.oneof(markdownNoise, fc.string(), markdownDocuments, markdownSoup, fc.constantFrom(...examples));

  test('is shown as something that is well-formed', () => {
    const check = (markdown: string): void => {
      const text = shown(markdown);
      expect(text.isWellFormed()).toBe(true);
      expect(text.trim()).not.toBe('');
    };
    for (const example of examples) check(example);
    fc.assert(fc.property(any, check), runs);
  });

  test('calls nobody and shows no name: what begins a mention is escaped, or stands in code', () => {
    fc.assert(
      fc.property(any, (markdown) => {
        expect(withoutCode(shown(markdown))).not.toMatch(/(?<!\\)(?:\\\\)*<(?:@|#|:|a:|t:)/);
      }),
      runs,
    );
  });

  test('shows no instant but by the clock of the reader, and only where that is asked for', () => {
    fc.assert(
      fc.property(any, (markdown) => {
        const instants = withoutCode(renderMarkdown(markdown, parse, 'shown')).match(/(?<!\\)(?:\\\\)*<t:.*?>/g) ?? [];
        for (const instant of instants) expect(instant).toMatch(/<t:\d{1,10}:[tf]>$/);
        for (const how of ['shown', 'words'] as const)
          expect(renderMarkdown(markdown, parse, 'longest').length).toBeGreaterThanOrEqual(
            renderMarkdown(markdown, parse, how).length,
          );
      }),
      runs,
    );
  });

  test('has as many ends of code blocks as beginnings', () => {
    fc.assert(
      fc.property(any, (markdown) => {
        expect((shown(markdown).match(/(?<!\\)```/g) ?? []).length % 2).toBe(0);
      }),
      runs,
    );
  });

  test('that is a document stays the same when it is converted twice, but for blank lines', () => {
    fc.assert(
      fc.property(markdownDocuments, (markdown) => {
        const once = shown(markdown);
        expect(withoutSpace(shown(once))).toBe(withoutSpace(once));
      }),
      runs,
    );
  });

  test('that is long fits in parts of 2000, and loses no word', () => {
    const long = fc.array(markdownDocuments, { minLength: 2, maxLength: 6 }).map((parts) => parts.join('\n\n'));
    fc.assert(
      fc.property(long, (markdown) => {
        const parts = splitMarkdown(markdown, { maxLength: 2000, measure: (text) => shown(text).length });
        const texts = parts.map(shown);
        for (const text of texts) {
          expect(text.length).toBeLessThanOrEqual(2000);
          expect((text.match(/(?<!\\)```/g) ?? []).length % 2).toBe(0);
        }
        expect(missingIn(texts.join('\n'), markdown)).toBe('');
      }),
      { ...runs, numRuns: Math.ceil(numRuns / 8) },
    );
  });

  test('however deep it is nested is shown without harm', () => {
    const deep = Array.from({ length: 150 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n');
    for (const markdown of ['>'.repeat(4000), '- '.repeat(2000), '*a _b '.repeat(800), '['.repeat(4000), deep])
      expect(shown(markdown).length).toBeGreaterThan(0);
  });
});

function withoutSpace(text: string): string {
  return text.replaceAll(/[\s>]/g, '');
}

function withoutCode(text: string): string {
  return text.replaceAll(/```[\s\S]*?```|(?<![\\`])(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, '');
}

/** The letters of a text that its parts do not show. They may show some again: the heads of tables and items that go on. */
function missingIn(parts: string, whole: string): string {
  const left = new Map<string, number>();
  for (const letter of lettersIn(parts)) left.set(letter, (left.get(letter) ?? 0) + 1);
  return [...lettersIn(whole)]
    .filter((letter) => {
      const count = left.get(letter) ?? 0;
      left.set(letter, count - 1);
      return count <= 0;
    })
    .join('');
}

function lettersIn(text: string): string {
  const words = text.replaceAll(/^[ >]*(?:```+|~~~+)(?:js|sh)?$/gm, '');
  return [...words]
    .filter((letter) => /[\p{L}]/u.test(letter))
    .toSorted()
    .join('');
}
