import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../../channels/discord/markdown.ts';
import { lazyParser } from '../../../src/lib/markdown-parser.ts';

const parse = lazyParser();
const shown = (markdown: string): string => renderMarkdown(markdown, parse);

describe('markdown', () => {
  test.each([
    ['**b** *i* ~~s~~ `c`', '**b** *i* ~~s~~ `c`'],
    ['__bold__ _italic_', '**bold** *italic*'],
    ['**bold _both_**', '**bold *both***'],
    ['# One\n\ntext', '# One\ntext'],
    ['### Three', '### Three'],
    ['#### Four **x** `y`', '**Four x `y`**'],
    ['Head\n---\ntext', '## Head\ntext'],
    ['## About C#', '## About C\\#'],
    ['one\n\n\n\ntwo\nthree', 'one\n\ntwo\nthree'],
    ['one  \ntwo\\\nthree', 'one\ntwo\nthree'],
    ['a\n\n---\n\nb', 'a\n\n———\n\nb'],
    ['> quote\n> more', '> quote\n> more'],
    ['> a\n>\n> > b', '> a\n> \n> b'],
    ['* a\n* b\n  + c\n    d', '- a\n- b\n  - c\n    d'],
    ['3. a\n4. b', '3. a\n4. b'],
    ['1) a\n2) b', '1. a\n2. b'],
    ['- a\n\n  more\n\n- b', '- a\n  more\n- b'],
    ['- [x] a\n- [ ] b', '- ☑ a\n- ☐ b'],
    ['a[^1]\n\n[^1]: Note', 'a[1]\n\n[1] Note'],
    ['&amp; &lt;', '& <'],
    ['**a***b*', '**a**\u200b*b*'],
  ])('%j is shown as %j', (markdown, expected) => {
    expect(shown(markdown)).toBe(expected);
  });

  test('plain text is left as it is, without a parser', () => {
    const text = 'Two plain lines, at 12:30,\nwith https://a.com/x. And "quotes" (brackets).';
    expect(renderMarkdown(text, () => expect.unreachable())).toBe(text);
  });

  test('what shows nothing becomes a placeholder, since Discord refuses it', () => {
    for (const empty of ['', '  \n ', '\u200b', '[a]: https://a.com', '```\n```']) expect(shown(empty)).toBe('…');
  });

  test('half characters become whole ones', () => {
    expect(shown('a \ud83d **b**')).toBe('a \ufffd **b**');
  });
});

describe('code', () => {
  test('keeps its language and its indentation', () => {
    expect(shown('```ts\n  let a;\n\n    *b*;\n```')).toBe('```ts\n  let a;\n\n    *b*;\n```');
    expect(shown('~~~python title="x y"\na\n~~~')).toBe('```python\na\n```');
    expect(shown('    indented')).toBe('```\nindented\n```');
  });

  test('has no language of which Discord would make a line of code', () => {
    expect(shown('```{.js}\na\n```')).toBe('```\na\n```');
  });

  test('that holds a fence does not end there', () => {
    const block = shown('````md\n```js\nx\n```\n````');
    expect(block).toBe('```md\n`\u200b`\u200b`js\nx\n`\u200b`\u200b`\n```');
  });

  test('in a line stays in the line, whatever backticks it holds', () => {
    expect(shown('`a_b*c`')).toBe('`a_b*c`');
    expect(shown('`` a`b ``')).toBe('``a`b``');
    expect(shown('` ``a`` `')).toBe('` ``a`` `');
    expect(shown('````` a```b`c `````')).toBe('``a`\u200b`\u200b`b`c``');
  });

  test('in a list is not indented, so that it can be copied', () => {
    expect(shown('- a\n\n  ```\n  x\n  ```\n- b')).toBe('- a\n```\nx\n```\n- b');
  });

  test('in a quote has the mark before each line', () => {
    expect(shown('> ```js\n> a\n>\n> b\n> ```')).toBe('> ```js\n> a\n> \n> b\n> ```');
    expect(shown('> ```sh\n> > prompt\n> ```')).toBe('> ```sh\n> > prompt\n> ```');
  });
});

describe('what Discord would make something of', () => {
  test.each([
    ['a||b and ||x||', String.raw`a\|\|b and \|\|x\|\|`],
    ['<@123> <@!1> <@&1> <#123>', String.raw`\<@123> \<@!1> \<@&1> \<#123>`],
    ['<t:1700000000:R> <:wave:1> <a:wave:1> </cmd:1>', String.raw`\<t:1700000000:R> \<:wave:1> \<a:wave:1> \</cmd:1>`],
    ['-# small', String.raw`\-# small`],
    ['say\n-# small', 'say\n\\-# small'],
    [String.raw`\*a\* \_b\_ \~\~c\~\~ \`d\``, '\\*a\\* \\_b\\_ \\~\\~c\\~\\~ \\`d\\`'],
    [String.raw`\_\_under\_\_`, String.raw`\_\_under\_\_`],
    ['\\# x\n\\> y\n\\- z\n1\\. w', '\\# x\n\\> y\n\\- z\n1\\. w'],
    ['1234567890. w', String.raw`1234567890\. w`],
    ['<b> & <T>', String.raw`\<b> & \<T>`],
    ['<script>\n*x*\n</script>', '\\<script>\n\\*x\\*\n\\</script>'],
    [String.raw`C:\Users\x`, String.raw`C:\\Users\\x`],
    [String.raw`\[a](https://a.com)`, String.raw`[a\](<https://a.com>)`],
    ['**b __[a]__(https://a.com)**', String.raw`**b [a]\(<https://a.com>)**`],
    ['[a][(https://a.com) b](https://b.com)', String.raw`[a]\(https://a.com) b (<https://b.com>)`],
  ])('%j is shown as it was typed: %j', (markdown, expected) => {
    expect(shown(markdown)).toBe(expected);
  });

  test('needs nothing where it means nothing', () => {
    for (const text of ['snake_case_name', '2 * 3 * 4', 'a | b', 'a < b, c <3', '~5 min', 'x[0] #1'])
      expect(shown(text)).toBe(text);
  });

  test('stays as it is in code', () => {
    expect(shown('`<@123> ||x||`')).toBe('`<@123> ||x||`');
    expect(shown('```\n<@123> -# x\n```')).toBe('```\n<@123> -# x\n```');
  });
});

describe('a link', () => {
  test.each([
    ['[a](https://a.com/x)', '[a](https://a.com/x)'],
    ['[**a** `b`](https://a.com)', '[**a** `b`](https://a.com)'],
    ['[a](<https://a.com/x y(1)>)', '[a](https://a.com/x%20y%281%29)'],
    ['[https://a.com](https://a.com)', '<https://a.com>'],
    ['*x* https://a.com/a_b_c.', '*x* <https://a.com/a_b_c>.'],
    ['<https://a.com>', '<https://a.com>'],
    ['[a][r]\n\n[r]: https://a.com', '[a](https://a.com)'],
    ['![pic](https://a.com/p.png)', '[pic](https://a.com/p.png)'],
    ['![](https://a.com/p.png)', '[image](https://a.com/p.png)'],
    ['[[1]](https://a.com)', String.raw`[\[1\]](https://a.com)`],
    ['*x* me@a.com', '*x* me@a.com'],
  ])('%j is shown as %j', (markdown, expected) => {
    expect(shown(markdown)).toBe(expected);
  });

  test.each([
    ['[a](./file.md)', 'a (./file.md)'],
    ['[me](mailto:me@a.com)', 'me (me@a.com)'],
    ['[a](javascript:x)', 'a (javascript:x)'],
    ['[a](#part)', 'a'],
    ['![a](data:image/png;base64,AAAA)', 'a'],
    ['[https://bank.com](https://evil.com)', 'https://bank.com (<https://evil.com>)'],
  ])('that Discord does not make of it, %j, is written out: %j', (markdown, expected) => {
    expect(shown(markdown)).toBe(expected);
  });
});

describe('a table', () => {
  test('becomes columns', () => {
    expect(shown('| A | Bee |\n|---|--:|\n| x | 1 |\n| long `c` | 日本 |')).toBe(
      '```\nA      |  Bee\n-------+-----\nx      |    1\nlong c | 日本\n```',
    );
  });

  test('that is wider than a window has its cells below each other', () => {
    const long = 'word '.repeat(20).trim();
    expect(shown(`| A | **B** |\n|---|---|\n| x | ${long} |\n| y | |`)).toBe(
      `- **A:** x\n  **B:** ${long}\n- **A:** y\n  B`,
    );
  });
});
