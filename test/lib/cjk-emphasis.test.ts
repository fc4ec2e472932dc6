import { expect, test } from 'vitest';
import { spaceEmphasis } from '../../src/lib/cjk-emphasis.ts';

const hair = '\u200a';

test.each([
  ['bold that ends with a full-width mark', '这是**重点：**后面', `这是**重点：**${hair}后面`],
  ['bold that begins with a quote', '前面**“引用”**后面', `前面${hair}**“引用”**${hair}后面`],
  ['struck words in brackets', '前~~（旧）~~后', `前${hair}~~（旧）~~${hair}后`],
])('%s gets a hair space beside it, so that CommonMark takes its stars for marks', (_what, markdown, spaced) => {
  expect(spaceEmphasis(markdown)).toBe(spaced);
});

test.each([
  ['English text', 'it is **bold.** Yes'],
  ['Chinese words without punctuation inside', '这是**重点**后面'],
  ['code', '用`**a：**后`吧'],
  ['an escaped star', '这是\\*\\*重点：\\*\\*后'],
  ['a fence', '```\n这是**重点：**后面\n```'],
])('%s stays as it is', (_what, markdown) => {
  expect(spaceEmphasis(markdown)).toBe(markdown);
});
