import { describe, expect, test } from 'vitest';
import { splitMarkdown } from '../../../src/lib/split/split.ts';

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

  test('a table that goes on in another part has its head there again', () => {
    const head = '| a | b |\n|---|---|\n';
    const rows = Array.from({ length: 30 }, (_, index) => `| row ${index} | x |\n`);
    const parts = split(`Look:\n\n${head}${rows.join('')}\nDone.`, 120);
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts.slice(1)) expect(part.startsWith(head)).toBe(true);
    expect(parts.join('\n').match(/row \d+/g)).toEqual(rows.map((_, index) => `row ${index}`));
    expect(split(`> ${head.replace('\n', '\n> ')}${rows.map((row) => `> ${row}`).join('')}`, 140)[1]).toMatch(
      /^> \| a \| b \|\n> \|---\|---\|\n> \| row/,
    );
  });

  test('a head that would fill too much of each part is shortened, and left out only where not even that fits', () => {
    const rows = Array.from({ length: 30 }, (_, index) => `| row ${index} | x |\n`).join('');
    const table = (...names: readonly string[]): string =>
      `| ${names.join(' | ')} |\n|${names.map((name) => `:${'-'.repeat(name.length)}|`).join('')}\n${rows}`;
    const heads = (text: string, limit: number) => [
      ...new Set(
        split(text, limit)
          .slice(1)
          .map((part) => part.split(/\| row/)[0]),
      ),
    ];
    const long = 'the **most remarkable** of all names';
    expect(heads(table('name', 'x'.repeat(20)), 200)).toEqual([`| name | ${'x'.repeat(20)} |\n| :--- | :--- |\n`]);
    expect(heads(table(long, 'number'), 200)).toEqual(['| the most remark… | number |\n| :--- | :--- |\n']);
    expect(heads(table(...Array(12).fill('name')), 200)).toEqual(['']);
    expect(heads(`> ${table(long, 'number').trimEnd().replaceAll('\n', '\n> ')}`, 200)).toEqual([
      '> | the most remark… | number |\n> | :--- | :--- |\n> ',
    ]);
    for (const part of split(table(long, 'number'), 120)) expect(part.length).toBeLessThanOrEqual(120);
  });

  test('a long paragraph of an item goes on as text, and what stands below it has its line again', () => {
    const words = 'word '.repeat(22).trim();
    expect(split(`1. plan: ${words} ${words}\n   - north\n   - south\n2. next`, 120)).toEqual([
      `1. plan: ${words}`,
      `${words}\n- north`,
      '1. plan: word word word word …\n   - south\n2. next',
    ]);
  });

  test('a list goes on with the right number, however its items are numbered in the text', () => {
    const lines = (marks: (index: number) => string): string =>
      Array.from({ length: 12 }, (_, index) => `${marks(index)} item ${index + 1}\n   more`).join('\n');
    const parts = split(
      lines(() => '1.'),
      60,
    );
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.join('\n').match(/\d+\. item \d+/g)).toEqual(
      Array.from({ length: 12 }, (_, index) => `${index + 1}. item ${index + 1}`),
    );
    // What stands in an item stays in it though the number is longer.
    expect(parts.join('\n')).toMatch(/1\d\. item 1\d\n {4}more/);
    const own = lines((index) => `${index + 4})`);
    expect(split(own, 60).join('\n')).toBe(own);
  });

  test('two lists are numbered each by itself', () => {
    const text = '1. one\n1. two\n\nText.\n\n1. three\n# Title\n1. four\n- five\n1. six\n1) seven\n1) eight';
    expect(
      split(text, 60)
        .join('\n')
        .match(/\d. \w+/g),
    ).toEqual(['1. one', '2. two', '1. three', '1. four', '1. six', '1) seven', '2) eight']);
  });

  test('a nested list that goes on in another part has the line of its item there again', () => {
    const items = (mark: string): string =>
      Array.from({ length: 8 }, (_, index) => `${' '.repeat(mark.length + 1)}- point ${index}\n`).join('');
    const parts = split(`1. first\n1. the **second** one:\n${items('1.')}1. third\n`, 100);
    expect(parts).toEqual([
      '1. first\n2. the **second** one:\n   - point 0\n   - point 1\n   - point 2\n   - point 3\n   - point 4',
      '2. the **second** one: …\n   - point 5\n   - point 6\n   - point 7\n3. third',
    ]);
    expect(split(`> - quoted\n${items('-').replaceAll(/^/gm, '> ')}`, 60)[1]).toMatch(/^> - quoted …\n> {3}- point/);
  });

  test('a list in a list in a list has the lines of all of them, and only the inner ones where the outer ones are long', () => {
    const points = Array.from({ length: 12 }, (_, index) => `      - point ${index}\n`).join('');
    const [, all = ''] = split(`1. plan\n   - north\n${points}2. next\n`, 160);
    expect(all).toMatch(/^1\. plan …\n {3}- north …\n {6}- point \d[\s\S]*\n2\. next$/);
    const quoted = split(`> 1. plan\n>    - north\n${points.replaceAll(/^(?=.)/gm, '> ')}`, 120)[1];
    expect(quoted).toMatch(/^> 1\. plan …\n> {4}- north …\n> {7}- point \d/);
    const [, inner = ''] = split(`1. ${'w'.repeat(40)}\n   - north\n${points}`, 120);
    expect(inner).toMatch(/^- north …\n {3}- point \d/);
  });

  test('the line of an item takes a quarter of a part at most, and what is bold in it ends there', () => {
    const nested = Array.from({ length: 12 }, (_, index) => `  - point ${index}`).join('\n');
    const [, long = ''] = split(`- one two **three four five six seven** eight\n${nested}`, 100);
    expect(long).toMatch(/^- one two …\n {2}- point/);
    const [, none = ''] = split(`- ${'w'.repeat(40)}\n${nested}`, 100);
    expect(none).toMatch(/^- point/);
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
    let measured = 0;
    const measure = (markdown: string): number => {
      measured += markdown.length;
      return markdown.length;
    };
    splitMarkdown(text, { maxLength: 3900, measure });
    expect(measured / text.length).toBeLessThan(10);
  });

  test.each(['> ', '- ', '* ', '`', '| ', '# ', '👍🏽', ' x', '~~~\n', '>\n', '1. ', '1.\n', '1. a\n  - b\n'])(
    'is no trap if the text is nothing but %j',
    (piece) => {
      const text = piece.repeat(100_000 / piece.length);
      let measured = 0;
      const measure = (markdown: string): number => {
        measured += markdown.length;
        return markdown.length;
      };
      const parts = splitMarkdown(text, { maxLength: 200, measure });
      expect(Math.max(0, ...parts.map((part) => part.length))).toBeLessThanOrEqual(200);
      // One whose work grows with the square of the text measures it some hundred times.
      expect(measured / text.length).toBeLessThan(100);
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
