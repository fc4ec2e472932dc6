import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../../channels/telegram/markdown.ts';
import { lazyParser, type Parse } from '../../../src/lib/markdown-parser.ts';
import { markdownDocuments, markdownNoise, markdownSoup } from '../../support/markdown-documents.ts';

/** How many texts: the long form sets more. */
const numRuns = Number(process.env.KEYTURN_PROPERTY_RUNS ?? 150);
const runs = { numRuns, seed: 20_261_121 };
const parse = lazyParser();
const quotations = ['blockquote', 'expandable_blockquote'];

describe('every text', () => {
  const any = fc.oneof(markdownNoise, fc.string(), markdownDocuments, markdownSoup);

  test('has sound formatting: in bounds, sorted, nested, not on white space, no character cut, at most 100', () => {
    fc.assert(
      fc.property(any, fc.boolean(), (markdown, showsInstants) => {
        const { text, entities } = renderMarkdown(markdown, parse, { showsInstants });
        expect(text.trim()).not.toBe('');
        expect(text.isWellFormed()).toBe(true);
        expect(entities.length).toBeLessThanOrEqual(100);
        for (const [index, entity] of entities.entries()) {
          const end = entity.offset + entity.length;
          const stretch = text.slice(entity.offset, end);
          expect(stretch).toHaveLength(entity.length);
          expect(stretch.isWellFormed()).toBe(true);
          expect(stretch.trimEnd()).toBe(stretch);
          expect(stretch).not.toBe('');
          if (entity.type !== 'pre') expect(stretch.trim()).toBe(stretch);
          for (const later of entities.slice(index + 1)) {
            expect(later.offset).toBeGreaterThanOrEqual(entity.offset);
            if (later.offset >= end) continue;
            expect(later.offset + later.length).toBeLessThanOrEqual(end);
            expect(later.type).not.toBe(entity.type);
            expect(['code', 'pre']).not.toContain(entity.type);
            if (later.type === 'code') expect(quotations).toContain(entity.type);
            if (quotations.includes(later.type)) expect(quotations).not.toContain(entity.type);
            // The Bot API takes no other pair: core.telegram.org/bots/api#formatting-options
            if (later.type === 'date_time' || later.type === 'text_link')
              expect(['date_time', 'text_link']).not.toContain(entity.type);
          }
        }
      }),
      runs,
    );
  });

  test('without marks is shown the same with and without the parser', () => {
    const plain = fc
      .array(
        fc.constantFrom('word', ' ', '\n', '\n\n', 'a.b', '1', ':', '(x)', '😀', 'http://a.com/x', 'a@b.com', '!', "'"),
        { maxLength: 30 },
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(plain, (text) => {
        let parsed = false;
        const spying: Parse = (markdown) => {
          parsed = true;
          return parse(markdown);
        };
        const quick = renderMarkdown(text, spying);
        // A trailing comment that shows nothing makes the parser run.
        if (!parsed && quick.text !== '…')
          expect(renderMarkdown(`${text}\n\n[x]: https://x.com`, parse).text).toBe(quick.text);
      }),
      runs,
    );
    expect(renderMarkdown('just two\nplain lines.', () => expect.unreachable()).text).toBe('just two\nplain lines.');
  });
});
