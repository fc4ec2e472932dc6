import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { measureMarkdown, shownMarkdown } from '../../../channels/slack/content.ts';
import { neutral } from '../../../channels/slack/neutral.ts';

const joiner = '\u2060';

describe('what would call somebody', () => {
  test.each([
    '<!channel>',
    '<!here>',
    '<!everyone>',
    '<!channel|all of you>',
    '<!subteam^S0123ABCD>',
    '<!subteam^S0123ABCD|@admins>',
    '<!date^1392734382^Posted {date_num}|Posted>',
    '<@U0123ABCD>',
    '<@W0123ABCD|ada>',
    '<#C0123ABCD>',
    '<#C0123ABCD|general>',
    '`<!channel>`',
    '```\n<!here>\n```',
    '[here](<!here>)',
    '[<!here>](https://example.com)',
    '<\\!channel>',
    '\\<!channel>',
    '\\<\\!channel\\>',
    '&lt;!channel&gt;',
    '&#60;&#33;channel&#62;',
    '&#x3C;&#x21;channel&#x3E;',
    '<&excl;channel>',
    '<!c&#104;annel>',
    '<!ch\\annel>',
    '&lt;&commat;U0123ABCD&gt;',
    '<<!here>>',
    '<!CHANNEL>',
  ])('does not in %j, and is read as before', (text) => {
    const shown = neutral(text);
    expect(shown.replaceAll(joiner, '')).toBe(text);
    expect(decoded(shown)).not.toMatch(/<[!@#]/);
    expect(neutral(shown)).toBe(shown);
  });

  test.each(['@channel', 'hey @here!', '(@everyone)', '**@channel**', '`@here`', '@here.'])(
    'does not in %j either',
    (text) => {
      expect(neutral(text)).not.toMatch(/@(?:channel|here|everyone)/);
      expect(neutral(text).replaceAll(joiner, '')).toBe(text);
    },
  );

  test.each([
    'write to help@here.com or everyone@example.com',
    'https://example.com/@channel/1?x=@here',
    'a < b && b > c, <!-- a comment -->, <!DOCTYPE html>',
    'List<@Nullable String> and <#include> and x <@ y',
    '<https://example.com> <mailto:a@example.com>',
    'npm i @here-maps/api @channels/x @everyones',
    '&lt;b&gt; &amp; &#60;b&#62;',
  ])('is not seen in %j, which stays as it is', (text) => {
    expect(neutral(text)).toBe(text);
  });

  test('is found however it is written and surrounded', () => {
    const open = fc.constantFrom('<', '&lt;', '&#60;', '&#x3c;', '&LT;', '\\<');
    const sign = fc.constantFrom('!', '\\!', '&#33;', '&excl;', '&#x21;');
    const name = fc.constantFrom('channel', 'here', 'everyone', 'subteam^S1', 'h\\ere', '&#104;ere');
    fc.assert(
      fc.property(fc.string(), open, sign, name, fc.string(), (before, bracket, mark, word, after) => {
        const text = neutral(`${before}${bracket}${mark}${word}>${after}`);
        expect(decoded(text)).not.toMatch(/<!(?:channel|here|everyone|subteam)/);
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});

describe('tables', () => {
  const head = '| a | b |\n|---|---|';

  test('have a space in empty cells, and as many cells in each row', () => {
    expect(shownMarkdown(`${head}\n|| 1 |\n| 2 |  |\n| 3 |`)).toBe(`${head}\n| | 1 |\n| 2 | |\n| 3 | |`);
  });

  test('that are too large are shown as code', () => {
    const long = `${head}\n${'| 1 | 2 |\n'.repeat(101)}`;
    expect(shownMarkdown(`${long}after`)).toBe(`\`\`\`\n${long}\`\`\`\nafter`);
    const wide = `${'| a '.repeat(21)}|\n${'|---'.repeat(21)}|`;
    expect(shownMarkdown(wide)).toBe(`\`\`\`\n${wide}\n\`\`\``);
  });

  test.each([`\`\`\`\n${head}\n|||\n\`\`\``, 'a | b', 'a || b\n---\n', `${head}\n| 1 | x \\| y |`])(
    'are not seen in %j',
    (text) => {
      expect(shownMarkdown(text)).toBe(text);
    },
  );
});

test('a text measures as long as it is shown', () => {
  expect(measureMarkdown('hello')).toBe(5);
  expect(measureMarkdown('<!here>')).toBe(8);
});

/** As markdown reads it. */
function decoded(text: string): string {
  return text
    .replace(/&#x([0-9a-f]+);?/gi, (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 16)))
    .replace(/&#(\d+);?/g, (_, digits: string) => String.fromCodePoint(Number(digits)))
    .replace(/&lt;?/gi, '<')
    .replace(/&excl;/gi, '!')
    .replace(/&commat;/gi, '@')
    .replaceAll('\\', '');
}

test('a space stands beside bold words that are italic in part, and beside none that are italic in bold ones', () => {
  expect(shownMarkdown('看**粗（*斜*）**后')).toBe('看**粗（*斜*）**\u200a后');
  expect(shownMarkdown('**注：*a*和b**后')).toBe('**注：*a*和b**后');
});
