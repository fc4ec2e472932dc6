import { describe, expect, test } from 'vitest';
import { renderMarkdown as renderForDiscord } from '../../channels/discord/markdown.ts';
import { shownMarkdown as renderForSlack } from '../../channels/slack/content.ts';
import { renderMarkdown as renderForTelegram } from '../../channels/telegram/markdown.ts';
import { ansiStyle, plainStyle, renderMarkdown as renderForTerminal } from '../../channels/terminal/render.ts';
import { folded, timeElement } from '../../src/lib/folds.ts';
import { lazyParser } from '../../src/lib/markdown-parser.ts';

const parse = lazyParser();

/** The stretches with their styles, in order, on Telegram. */
function onTelegram(markdown: string, showsInstants = true): readonly string[] {
  const { text, entities } = renderForTelegram(markdown, parse, { showsInstants });
  return entities.map(({ type, offset, length }) => `${type}: ${text.slice(offset, offset + length)}`);
}

describe('a folded block', () => {
  const card = [
    'May I?',
    folded('All of it', 'First *x*.\n\n```json\n{ "a": 1 }\n```\n\n> quoted'),
    'Until 21:16.',
  ].join('\n\n');

  test('is a quotation that opens on Telegram, with its title in bold, its code, and no quotation within', () => {
    expect(onTelegram(card)).toEqual([
      'expandable_blockquote: All of it\nFirst x.\n\n{ "a": 1 }\n\nquoted',
      'bold: All of it',
      'italic: x',
      'pre: { "a": 1 }',
    ]);
  });

  test('is a quotation with its title on Discord and in what Slack is sent as markdown', () => {
    const quotation = '> **All of it**\n> First *x*.\n> \n> ```json\n> { "a": 1 }\n> ```';
    expect(renderForDiscord(card, parse)).toContain(quotation);
    expect(renderForSlack(card)).toContain(quotation.replaceAll('> \n', '>\n').replace('it**\n', 'it**\n>\n'));
  });

  test('is indented and dim below its title in a terminal', () => {
    expect(renderForTerminal(card, plainStyle)).toBe(
      'May I?\n\n**All of it**\n  First *x*.\n\n  ```json\n  { "a": 1 }\n  ```\n\n  > quoted\n\nUntil 21:16.'.replaceAll(
        '\n\n  ',
        '\n  \n  ',
      ),
    );
    const within = ['  First \u001b[3mx\u001b[23m.', '  ', '    { "a": 1 }', '  ', '  > quoted']
      .map(ansiStyle.dim)
      .join('\n');
    expect(renderForTerminal(card, ansiStyle)).toBe(
      `May I?\n\n${ansiStyle.bold('All of it')}\n${within}\n\nUntil 21:16.`,
    );
  });

  test.each([
    ['> [!details]- Title\nnot in it', 'expandable_blockquote: Title'],
    ['> [!details]- 1\n> x\n\n> [!details]- 2\n> y', 'expandable_blockquote: 1\nx'],
    ['> [!details]- T\n> 2. two', 'expandable_blockquote: T\n2. two'],
    ['> [!details]- T\n> | a |\n> |---|\n> | b |', 'expandable_blockquote: T\na\n-\nb'],
    ['a\n> [!details]- T\n> x', 'blockquote: [!details]- T\nx'],
    ['> words\n> [!details]- T\n> x', 'blockquote: words\n[!details]- T\nx'],
    ['> [!NOTE]\n> x', 'blockquote: [!NOTE]\nx'],
    ['- x\n\n  > [!details]- T\n  > y', 'blockquote: [!details]- T\n  y'],
    ['[!details]: https://a.com\n\n> [!details]- T\n> x', 'expandable_blockquote: T\nx'],
  ])('begins a quotation of its own, and ends with it: %j', (markdown, first) => {
    expect(onTelegram(markdown)[0]).toBe(first);
  });
});

describe('an instant', () => {
  const at = Date.UTC(2026, 10, 29, 21, 16);
  const soon = `Until ${timeElement(at, '21:16 UTC')}.`;

  test('has its words for those who have no element for it', () => {
    const { text } = renderForTelegram(soon, parse);
    const shown = [text, renderForDiscord(soon, parse), renderForSlack(soon), renderForTerminal(soon, ansiStyle)];
    expect(new Set(shown)).toEqual(new Set(['Until 21:16 UTC.']));
  });

  test('is shown by the clock of the reader where Keyturn speaks, and with its day if its words have one', () => {
    const { entities } = renderForTelegram(soon, parse, { showsInstants: true });
    expect(entities).toEqual([
      { type: 'date_time', offset: 6, length: 9, unix_time: at / 1000, date_time_format: 't' },
    ]);
    expect(renderForDiscord(soon, parse, 'shown')).toBe(`Until <t:${at / 1000}:t>.`);
    const later = timeElement(at, '29 Nov 2026, 21:16');
    expect(renderForDiscord(later, parse, 'shown')).toBe(`<t:${at / 1000}:f>`);
    expect(renderForTelegram(later, parse, { showsInstants: true }).entities).toMatchObject([
      { date_time_format: 'Dt' },
    ]);
  });

  test('is measured as the longer of both', () => {
    for (const words of ['9:00', 'a long time after all of this'])
      expect(renderForDiscord(timeElement(at, words), parse, 'longest').length).toBe(Math.max(words.length, 16));
  });

  test.each(['<time>x</time>', '<time datetime="tomorrow">x</time>', '<time datetime="2500-01-01T00:00:00Z">x</time>'])(
    'is none if it has no time that a platform takes: %j',
    (markdown) =>
      expect(renderForTelegram(markdown, parse, { showsInstants: true })).toEqual({ text: 'x', entities: [] }),
  );
});

describe('words that are hidden', () => {
  test.each([
    ['the butler is ||the *real* murderer||.', 'spoiler: the real murderer'],
    ['答案是||四十二||。', 'spoiler: 四十二'],
    ['||42||', 'spoiler: 42'],
    ['||run `rm`||', 'spoiler: run rm'],
    ['||see [this](https://a.com)||', 'spoiler: see this'],
    ['||https://a.com/x||', 'spoiler: https://a.com/x'],
    ['||one||, ||two||', 'spoiler: one'],
  ])('are a spoiler on Telegram and Discord: %j', (markdown, first) => {
    expect(onTelegram(markdown)[0]).toBe(first);
    expect(renderForDiscord(markdown, parse)).toMatch(/(?<!\\)\|\|.+(?<!\\)\|\|/);
  });

  test.each([
    'if (a || b) return c || d',
    'foo||bar||baz',
    'the norm ||x|| and ||x - y||_2',
    '`||hidden||`',
    String.raw`\|\|hidden\|\|`,
    '|| spaced ||',
    '||open',
    '|||three|||',
    'a ||| b',
  ])('are none where bars mean something else: %j', (markdown) => {
    expect(onTelegram(markdown).filter((styled) => styled.startsWith('spoiler'))).toEqual([]);
    expect(renderForDiscord(markdown, parse)).not.toMatch(/(?<![\\`|])\|\|[^|]+(?<!\\)\|\|/);
  });
});

describe('underlined words', () => {
  test('are underlined where the platform can', () => {
    const markdown = '<u>so</u> and <ins>**so**</ins>';
    expect(onTelegram(markdown)).toEqual(['underline: so', 'bold: so', 'underline: so']);
    expect(renderForDiscord(markdown, parse)).toBe('__so__ and __**so**__');
    expect(renderForSlack(markdown)).toBe('so and **so**');
    expect(renderForTerminal(markdown, ansiStyle)).toBe('\u001b[4mso\u001b[24m and \u001b[4mso\u001b[24m');
  });

  test('show no tag that lost its partner to other marks', () => {
    for (const markdown of ['**<u>a** b</u>', '<u>a\n\nb</u>', '*<u>a*</u>'])
      expect(renderForTelegram(markdown, parse).text).not.toMatch(/<\/?u >/);
  });
});

describe('links in a table', () => {
  const table =
    '| a | b |\n|---|---|\n| [one](https://a.com/1) | https://b.com/a-rather-long-address |\n| [uno](https://a.com/1) | [m](mailto:me@a.com) |';

  test('are numbered, and work below it, where a table is shown as code', () => {
    const { text, entities } = renderForTelegram(table, parse);
    expect(text).toBe(
      [
        'a    | b',
        '-----+-------',
        'one¹ | b.com²',
        'uno¹ | m³',
        '¹ one',
        '² https://b.com/a-rather-long-address',
        '³ m (me@a.com)',
      ].join('\n'),
    );
    expect(entities.map(({ type }) => type)).toEqual(['pre', 'text_link']);
    expect(renderForDiscord(table, parse)).toContain(
      '```\n¹ [one](https://a.com/1)\n² <https://b.com/a-rather-long-address>\n³ m (me@a.com)',
    );
  });
});
