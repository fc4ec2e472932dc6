import { expect, test } from 'vitest';
import { plainStyle, renderFirstLine, renderMarkdown, type Style } from '../../../channels/terminal/render.ts';
import { StreamRenderer } from '../../../channels/terminal/stream-renderer.ts';

const marks: Style = {
  rendersMarkdown: true,
  bold: (text) => `<b>${text}</b>`,
  dim: (text) => `<d>${text}</d>`,
  code: (text) => `<c>${text}</c>`,
  italic: (text) => `<i>${text}</i>`,
};

const table = '| a | **b** |\n|---|--:|\n| 中文 | 1 |\n| x | 200 |';
const shownTable = 'a    |   b\n-----+----\n中文 |   1\nx    | 200';

test.each([
  ['a **b c** d', 'a <b>b c</b> d'],
  ['a __b__ d', 'a <b>b</b> d'],
  ['2 ** 3 ** 4', '2 ** 3 ** 4'],
  ['use `rm **x**` now', 'use <c>rm **x**</c> now'],
  ['`` a ` b ``', '<c>a ` b</c>'],
  ['one ` alone', 'one ` alone'],
  ['write\\_file \\*x\\*', 'write_file *x*'],
  ['\\`not code\\`', '`not code`'],
  ['## A **b** `c` ##', '<b>A b c</b>'],
  ['- one\n  * **two**\n1. three', '• one\n  • <b>two</b>\n1. three'],
  ['for *15 min* or _more_', 'for <i>15 min</i> or <i>more</i>'],
  ['2*3*4 snake_case_name * a *', '2*3*4 snake_case_name * a *'],
  ['a\n\n---\n\nb', 'a\n\n<d>———</d>\n\nb'],
  [table, shownTable],
  [`x\n${table}\ny`, `x\n${shownTable}\ny`],
  ['| no table |', '| no table |'],
  ['[a](http://b)', '[a](http://b)'],
])('%j is shown as %j', (markdown, shown) => {
  expect(renderMarkdown(markdown, marks)).toBe(shown);
});

test('a fence is indented and dim, and its marks are not shown', () => {
  expect(renderMarkdown('a\n```sh\nls **x**\n```\n**b**', marks)).toBe('a\n<d>  ls **x**</d>\n<b>b</b>');
});

test('what a change adds and takes away is coloured, in a fence that is one', () => {
  const coloured = { ...marks, added: (text: string) => `<g>${text}</g>`, removed: (text: string) => `<r>${text}</r>` };
  const shown = '<d>  @@ -1 +1 @@</d>\n<r>  -a</r>\n<g>  +b</g>\n<d>   c</d>';
  expect(renderMarkdown('```diff\n@@ -1 +1 @@\n-a\n+b\n c\n```', coloured)).toBe(shown);
  expect(renderMarkdown('```sh\n-a\n+b\n```\n+c', coloured)).toBe('<d>  -a</d>\n<d>  +b</d>\n+c');
});

test('a longer fence ends only with one as long', () => {
  expect(renderMarkdown('````\n```\n````\n**b**', marks)).toBe('<d>  ```</d>\n<b>b</b>');
});

test('a fence that is not ended lasts to the end', () => {
  expect(renderMarkdown('~~~\n**b**', marks)).toBe('<d>  **b**</d>');
});

test('a style that renders nothing leaves markdown as it is written, without backslashes before marks', () => {
  expect(renderMarkdown('**a** `b\\_`\n```\nc\\_\n```\n\\_d\\_', plainStyle)).toBe('**a** `b\\_`\n```\nc\\_\n```\n_d_');
});

test('the first line is the first that says something', () => {
  expect(renderFirstLine('\n\n**Approved** by you\n\nmore', marks)).toBe('<b>Approved</b> by you');
  expect(renderFirstLine('', marks)).toBe('');
});

test.each([
  ['**One** two *three* `four`\n\n- a\n- b `c`\n\n```sh\nls *x*\n```\n## End ##\nbye'],
  [`before\n\n${table}\n\nafter **x**`],
  [table],
  ['- `one`\n- **two**\n1. `three`'],
  ['```\nopen **x**'],
  ['a ** b * c _ d ` e'],
  ['path C:\\x\\*.txt and a\\_b, 2*3*4 <b>bold</b> https://x.example/a_b_c_ end'],
  ['中文**强调**和`代码`，以及*斜体*。\n1. 一\n2. 二'],
  ['* * *\n*text*\n***\n**'],
])('what is streamed is shown as the whole would be, however it is cut: %j', (markdown) => {
  for (let size = 1; size <= 7; size += 1) {
    const stream = new StreamRenderer(marks);
    let shown = '';
    for (let at = 0; at < markdown.length; at += size) shown += stream.push(markdown.slice(at, at + size));
    shown += stream.flush();
    expect(shown.trimEnd()).toBe(renderMarkdown(markdown, marks));
  }
});

test('prose is shown while it is written, up to a mark that has no end yet', () => {
  const stream = new StreamRenderer(marks);
  expect(['One two', ' **thr', 'ee** f', 'our'].map((piece) => stream.push(piece))).toEqual([
    'One two',
    ' ',
    '<b>three</b> f',
    'our',
  ]);
});
