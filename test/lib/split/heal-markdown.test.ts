import { expect, test } from 'vitest';
import { healMarkdown } from '../../../src/lib/split/heal-markdown.ts';

test.each([
  ['bold', 'so **very imp', 'so **very imp**'],
  ['italic', 'so *very imp', 'so *very imp*'],
  ['struck out', 'so ~~very imp', 'so ~~very imp~~'],
  ['code', 'so `very imp', 'so `very imp`'],
  ['code in bold', '**use `foo', '**use `foo`**'],
  ['a link without its address', 'see [the page](https://exa', 'see the page'],
  ['an image without its address', 'see ![the pic](https://exa', 'see'],
  ['a fence', 'so:\n```js\nconst a = `**', 'so:\n```js\nconst a = `**\n```'],
  ['a fence of tildes', '~~~\na\n', '~~~\na\n~~~'],
  ['a fence in a list', '- so:\n  ```js\n  a', '- so:\n  ```js\n  a\n  ```'],
  ['a longer fence', '````md\n```\na', '````md\n```\na\n````'],
])('unfinished markdown: %s is closed', async (_what, open, healed) => {
  expect(await healMarkdown(open)).toBe(healed);
});

test.each([
  ['its head alone', 'so:\n\n| a | b |\n'],
  ['its head and a part of the line below', 'so:\n\n| a | b |\n| - | -'],
])('a table is held back while there is only %s', async (_what, begun) => {
  expect(await healMarkdown(begun)).toBe('so:');
});

test('a table is shown when it is sure to be one, and a line that is none', async () => {
  expect(await healMarkdown('| a | b |\n| - | - |\n')).toBe('| a | b |\n| - | - |');
  expect(await healMarkdown('| a | b |\nand so')).toBe('| a | b |\nand so');
  expect(await healMarkdown('| a | b |\n| - | - |\n| 1 |')).toBe('| a | b |\n| - | - |\n| 1 |');
});

test('what is open in an earlier block stays as it is', async () => {
  expect(await healMarkdown('2 ** 3\n\nand **bold')).toBe('2 ** 3\n\nand **bold**');
  expect(await healMarkdown('```\na `b\n\n**c\n```\nso **b')).toBe('```\na `b\n\n**c\n```\nso **b**');
});

test.each([
  'plain',
  '**a** *b* ~~c~~ `d` [e](https://f.g)',
  'snake_case and 2 * 3 and 20~25',
  '- > 25\n- b',
  '```js\n**a\n\n`b\n```',
  'a\n\n```\nb\n```\n\nc',
  '> quoted',
  '1. a\n2. b',
  '| a | b |\n| - | - |\n| 1 | 2 |',
])('a text that is whole stays as it is: %j', async (whole) => {
  expect(await healMarkdown(whole)).toBe(whole);
  expect(await healMarkdown(`${whole}\n\n`)).toBe(whole);
});
