import { expect, test } from 'vitest';
import { plainStyle, renderFirstLine, renderMarkdown, type Style } from '../../../channels/terminal/render.ts';

const marks: Style = {
  rendersMarkdown: true,
  bold: (text) => `<b>${text}</b>`,
  dim: (text) => `<d>${text}</d>`,
  code: (text) => `<c>${text}</c>`,
};

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
  ['- one\n  1. two', '- one\n  1. two'],
  ['[a](http://b)', '[a](http://b)'],
])('%j is shown as %j', (markdown, shown) => {
  expect(renderMarkdown(markdown, marks)).toBe(shown);
});

test('a fence is indented and dim, and its marks are not shown', () => {
  expect(renderMarkdown('a\n```sh\nls **x**\n```\n**b**', marks)).toBe('a\n<d>  ls **x**</d>\n<b>b</b>');
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
