import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderMarkdown as renderForDiscord } from '../../channels/discord/markdown.ts';
import { shownMarkdown } from '../../channels/slack/content.ts';
import { neutral } from '../../channels/slack/neutral.ts';
import { richText } from '../../channels/slack/rich-text.ts';
import { renderMarkdown as renderForTelegram } from '../../channels/telegram/markdown.ts';
import { folded, unfold } from '../../src/lib/folds.ts';
import { lazyParser, readMarkdown } from '../../src/lib/markdown-parser.ts';
import { escapeMarkdown, fenced, inlineCode, oneLine } from '../../src/lib/plain-text.ts';
import { markdownNoise } from '../support/markdown-documents.ts';

const runs = { numRuns: Number(process.env.KEYTURN_PROPERTY_RUNS ?? 100), seed: 20_261_129 };
const parse = lazyParser();

/** What somebody might write to end a block, to begin one, to hide words, or to forge a time. */
const attempts = fc.constantFrom(
  ...[
    '</details>',
    '<details><summary>x</summary>',
    '> [!details]- x',
    '\n\n> [!details]- x\n> ',
    '||',
    '||end||',
    '</u>',
  ],
  ...[
    '<time datetime="2026-01-01T00:00:00Z">noon</time>',
    '<time at:1 >',
    '</time >',
    '<u >',
    '```',
    '~~~~',
    '\n```\n',
    '\n\n',
  ],
  ...[
    '\n[!details]- x\n',
    '\n> ',
    '>',
    '\r\n',
    '\nMay I?\n',
    'words',
    ' ',
    '<t:1:t>',
    '<!date^1^{time}|x>',
    '**',
    '`',
    '\\',
  ],
);
const hostile = fc.oneof(
  fc.array(attempts, { minLength: 1, maxLength: 25 }).map((parts) => parts.join('')),
  markdownNoise,
);
const code = hostile
  .map((text) =>
    text
      .toWellFormed()
      .replaceAll(/[\r\0]/g, '')
      .trim(),
  )
  .filter((text) => text !== '');

function card(inside: string): string {
  return ['May I do it?', folded('All', inside), 'THE END.'].join('\n\n');
}

describe('whatever is said in a folded block', () => {
  test('as code stays in it, and is shown as it is', () => {
    fc.assert(
      fc.property(code, (text) => {
        const markdown = card(fenced(text));
        expect(unfold(markdown)).toMatchObject({ shown: 'May I do it?\n\nTHE END.' });
        const { text: shown, entities } = renderForTelegram(markdown, parse, { showsInstants: true });
        expect(shown).toMatch(/^May I do it\?\n\nAll\n[\s\S]*\n\nTHE END\.$/);
        expect(entities.map(({ type }) => type)).toEqual(['expandable_blockquote', 'bold', 'pre']);
        const [fold, , pre] = entities;
        expect(fold).toMatchObject({
          offset: 'May I do it?\n\n'.length,
          length: shown.length - 'May I do it?\n\n\n\nTHE END.'.length,
        });
        expect(shown.slice(pre?.offset, (pre?.offset ?? 0) + (pre?.length ?? 0)).trim()).toBe(text);
        expect(shownMarkdown(markdown)).toMatch(/^May I do it\?\n\n> \*\*All\*\*\n[\s\S]*\n\nTHE END\.$/);
        for (const line of shownMarkdown(markdown).split('\n').slice(2, -2)) expect(line).toMatch(/^>/);
      }),
      runs,
    );
  });

  test('as code is one element of a container on Slack', () => {
    fc.assert(
      fc.property(code, (text) => {
        expect(richText(readMarkdown(fenced(text), parse))).toEqual([
          { type: 'rich_text_preformatted', elements: [{ type: 'text', text: neutral(text) }] },
        ]);
      }),
      runs,
    );
  });

  test('in a line of its own words hides nothing, underlines nothing, and is no instant', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const said of [inlineCode(oneLine(text, 200) || '?'), escapeMarkdown(text)]) {
          const markdown = card(`Said: ${said} so far.`);
          const { text: shown, entities } = renderForTelegram(markdown, parse, { showsInstants: true });
          const kinds = entities.map(({ type }) => type).filter((type) => type !== 'code' && type !== 'text_link');
          expect(kinds).toEqual(['expandable_blockquote', 'bold']);
          expect(shown).toMatch(/^May I do it\?\n\nAll\nSaid: [\s\S]* so far\.\n\nTHE END\.$/);
          // Within code, Discord shows it as it is.
          if (!said.startsWith('`'))
            expect(renderForDiscord(markdown, parse, 'shown')).not.toMatch(/(?<!\\)(?:\\\\)*<t:\d+:[tf]>/);
        }
      }),
      runs,
    );
  });

  test('in quotation marks of somebody else folds nothing', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const quotation = `words\n${text}`
          .split(/\r\n?|\n/)
          .map((line) => `> ${line}`)
          .join('\n');
        expect(unfold(`May I?\n\n${quotation}\n\nTHE END.`).details).toBeUndefined();
      }),
      runs,
    );
  });
});

test('words that are hidden stay so, whatever they are', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const { text: shown, entities } = renderForTelegram(`so ||said: ${escapeMarkdown(text)} end|| then`, parse);
      expect(entities.filter(({ type }) => type === 'spoiler')).toEqual([
        { type: 'spoiler', offset: 3, length: shown.length - 'so  then'.length },
      ]);
    }),
    runs,
  );
});
