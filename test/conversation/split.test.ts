import { describe, expect, test } from 'vitest';
import { splitMarkdown } from '../../src/conversation/split/split.ts';

function split(markdown: string, maxLength: number): readonly string[] {
  return splitMarkdown(markdown, { maxLength, measure: (text) => text.length });
}

describe('a text that needs no cut', () => {
  test('stays as it is, and is measured once', () => {
    let calls = 0;
    const measure = (text: string): number => {
      calls += 1;
      return text.length;
    };
    expect(splitMarkdown('  hello\n\n', { maxLength: 9, measure })).toEqual(['  hello\n\n']);
    expect(calls).toBe(1);
  });

  test('has no parts if it is blank', () => {
    expect(split('', 10)).toEqual([]);
    expect(split(' \r\n\t\n'.repeat(100), 10)).toEqual([]);
  });

  test('a limit below 1 is refused', () => {
    expect(() => split('a', 0)).toThrow(RangeError);
    expect(() => split('a', Number.NaN)).toThrow(RangeError);
  });
});

describe('where a text is cut', () => {
  test('between paragraphs before lines, between lines before sentences', () => {
    expect(split('One two.\nThree.\n\nFour five six.\nSeven', 30)).toEqual([
      'One two.\nThree.',
      'Four five six.\nSeven',
    ]);
    expect(split('One two. Three\nFour. Five six seven', 24)).toEqual(['One two. Three', 'Four. Five six seven']);
    expect(split('One.\nTwo three four five six seven', 28)).toEqual(['One.\nTwo three four five six', 'seven']);
  });

  test('between sentences before words, between words before letters', () => {
    expect(split('One two three. Four five six', 22)).toEqual(['One two three.', 'Four five six']);
    expect(split('one two three four five', 12)).toEqual(['one two', 'three four', 'five']);
    expect(split('onetwothree', 4)).toEqual(['onet', 'woth', 'ree']);
  });

  test('a heading is left by its text only for a word that fits nowhere else', () => {
    expect(split(`# Title\n${'w'.repeat(30)}`, 32)).toEqual(['# Title', 'w'.repeat(30)]);
  });

  test('no part begins or ends with what is no fence but would become one', () => {
    expect(split('some words ~~~ more words', 12)).toEqual(['some', 'words ~~~', 'more words']);
    expect(split('~~~\n~~~ one two\n~~~', 14)[0]).toBe('~~~\n~~~ on\n~~~');
  });

  test('a heading stays with its text, and a table head with its rows', () => {
    expect(split('Some text here.\n\n# Title\n\nMore text follows.', 30)).toEqual([
      'Some text here.',
      '# Title\n\nMore text follows.',
    ]);
    expect(split('Look:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |', 33)).toEqual([
      'Look:',
      '| a | b |\n|---|---|\n| 1 | 2 |',
      '| 3 | 4 |',
    ]);
  });

  test('a short block is kept whole by ending a part early', () => {
    const code = '```js\nfirst();\nsecond();\n```';
    expect(split(`Some words before it:\n\n${code}`, 40)).toEqual(['Some words before it:', code]);
  });

  test('not where the part would measure more than if it were longer', () => {
    const measure = (markdown: string): number => markdown.replaceAll(/\[(\w+)\]\(<[^>]*>\)/g, '$1').length;
    const link = '[a](<http://example.org/some page>)';
    const parts = splitMarkdown(link + 'w'.repeat(30), { maxLength: 20, measure });
    expect(parts).toEqual([link + 'w'.repeat(19), 'w'.repeat(11)]);
  });

  test('an emoji of several parts is not cut', () => {
    expect(split('👩‍👩‍👧‍👦'.repeat(3), 25)).toEqual(['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦']);
    expect(split('🇩🇪🇫🇷🇮🇹', 6)).toEqual(['🇩🇪', '🇫🇷', '🇮🇹']);
    expect(split('🇩🇪'.repeat(600), 804)).toEqual(['🇩🇪'.repeat(201), '🇩🇪'.repeat(201), '🇩🇪'.repeat(198)]);
  });

  test('a grapheme that alone is too long is cut between its code points', () => {
    const parts = split('👩‍👩‍👧‍👦', 5);
    expect(parts.join('')).toBe('👩‍👩‍👧‍👦');
    expect(parts.every((part) => part.length <= 5 && part.isWellFormed())).toBe(true);
    expect(split('😀😀', 1)).toEqual(['😀', '😀']);
  });
});

describe('a code fence that is cut', () => {
  test('is closed, and opened again with its marker and language', () => {
    expect(split('~~~~sh\nmake one\nmake two\nmake three\n~~~~\nDone.', 30)).toEqual([
      '~~~~sh\nmake one\nmake two\n~~~~',
      '~~~~sh\nmake three\n~~~~\nDone.',
    ]);
  });

  test('is not ended by a shorter fence in it', () => {
    expect(split('````md\n```\nabc\n```\ndefghijkl\n````', 28)).toEqual([
      '````md\n```\nabc\n```\n````',
      '````md\ndefghijkl\n````',
    ]);
  });

  test('loses the indentation of a list that stays behind', () => {
    const [first, ...rest] = split(
      '- one\n  - two\n    ```py\n    print(1)\n    print(2)\n    print(3)\n    ```\n  - three',
      48,
    );
    expect(first).toBe('- one\n  - two');
    expect(rest).toEqual(['```py\nprint(1)\nprint(2)\nprint(3)\n```\n- three']);
  });

  test('stays in its quote', () => {
    expect(split('> ```sh\n> make one\n> make two\n> make three\n> ```', 37)).toEqual([
      '> ```sh\n> make one\n> make two\n> ```',
      '> ```sh\n> make three\n> ```',
    ]);
  });

  test('with a long info string is opened again without it', () => {
    const [first, ...rest] = split(`\`\`\`${'i'.repeat(30)}\n${'c'.repeat(200)}\n\`\`\``, 60);
    expect(first).toMatch(/^```i{30}\nc+\n```$/);
    for (const part of rest) expect(part).toMatch(/^```\nc+\n```$/);
  });

  test('is not cut in its opening line', () => {
    const code = `\`\`\`js ${'a '.repeat(22)}a\ncode\n\`\`\``;
    expect(split(`Some words.\n\n${code}`, 60)).toEqual(['Some words.', code]);
  });

  test('is not opened for nothing, neither at the end of a part nor at its beginning', () => {
    expect(split(`Hi\n\`\`\`\n${'c'.repeat(33)}\n\`\`\``, 41)).toEqual(['Hi', `\`\`\`\n${'c'.repeat(33)}\n\`\`\``]);
    expect(split('```\nabcdef\n`````\nEnd', 14)).toEqual(['```\nabcdef\n```', 'End']);
  });

  test('ends with the list that it stands in', () => {
    expect(split('- ```\n  code\nText outside of the list. More of it.', 40)).toEqual([
      '- ```\n  code\nText outside of the list.',
      'More of it.',
    ]);
  });

  test('is not lost, even if nothing follows its opening line', () => {
    expect(split('\n```language', 11)).toEqual(['```language']);
  });

  test('leaves no part without content', () => {
    const parts = split(`Text\n\n\`\`\`\n${'\n'.repeat(100)}code\n${'\n'.repeat(100)}\`\`\``, 20);
    expect(parts).toEqual(['Text', expect.stringContaining('code')]);
  });
});

describe('the work it takes', () => {
  test('grows with the text', () => {
    const text = 'A sentence of several words stands here. Another one follows it.\n\n'.repeat(16_000);
    const durations = [1, 2, 3, 4, 5].map(() => {
      const start = performance.now();
      split(text, 3900);
      return performance.now() - start;
    });
    expect(Math.min(...durations)).toBeLessThan(200);
  });

  test.each(['> ', '- ', '* ', '`', '| ', '# ', '👍🏽', ' x', '~~~\n', '>\n'])(
    'is no trap if the text is nothing but %j',
    (piece) => {
      const start = performance.now();
      split(piece.repeat(500_000 / piece.length), 200);
      expect(performance.now() - start).toBeLessThan(2000);
    },
  );

  test('measures a part a few times only', () => {
    const text = 'A sentence of several words stands here.\n'.repeat(16_000);

    let calls = 0;
    const measure = (markdown: string): number => {
      calls += 1;
      return markdown.length;
    };
    const parts = splitMarkdown(text, { maxLength: 3900, measure });
    expect(calls / parts.length).toBeLessThan(20);

    calls = 0;
    splitMarkdown(text, { maxLength: 3900, measure: (markdown) => measure(markdown) / 100 });
    expect(calls).toBeLessThan(100);
  });
});
