import { expect, test } from 'vitest';
import { spokenText } from '../../../src/features/speech/spoken-text.ts';
import { speechWords } from '../../../src/features/speech/words.ts';

const { en, zh } = { en: speechWords.en.spoken, zh: speechWords.zh.spoken };

test.each([
  ['Hello **Ada**, this is *fine*.', 'Hello Ada, this is fine.'],
  ['# Title\n\nSome `code` here.', 'Title\nSome code here.'],
  ['Look:\n\n```js\nlet a = 1;\n```\n\nDone.', `Look:\n${en.code}\nDone.`],
  ['看这里：\n\n```js\nlet a = 1;\n```', `看这里：\n${zh.code}`],
  ['これです：\n\n| a | b |\n|---|---|\n| 1 | 2 |', 'これです：\n表は本文にあります。'],
  ['여기요:\n\n| a | b |\n|---|---|\n| 1 | 2 |', '여기요:\n표는 본문에 있습니다.'],
  ['- one\n- two\n\n1. first\n2. second', 'one\ntwo\n1. first\n2. second'],
  ['See [the page](https://example.com/a?b=c).', 'See the page.'],
  ['See <https://example.com/a?b=c>.', 'See a link.'],
  ['See https://example.com/a and http://b.de/x', 'See a link and a link'],
  ['请看 https://example.com/a。', '请看 链接。'],
  ['Run `curl https://u:p@example.com/?token=abc` now.', 'Run curl a link now.'],
  ['See HTTPS://example.com/?token=abc now.', 'See a link now.'],
  ['See www.example.com/?token=abc now.', 'See a link now.'],
  ['<div>\nhttps://example.com/?token=abc\n</div>', 'a link'],
  ['Well done 🎉👍🏽!', 'Well done !'],
  ['> quoted\n\n---\n\n~~gone~~ end', 'quoted\ngone end'],
  ['2 * 3 * 4 is 24, and C:\\x', '2 * 3 * 4 is 24, and C:\\x'],
  ['🎉', ''],
  ['', ''],
  ['```\n```', en.code],
])('%j is spoken as %j', (markdown, spoken) => {
  expect(spokenText(markdown, 4000)).toBe(spoken);
});

test.each([
  [`${'A short sentence. '.repeat(20)}`, 100, /^(?:A short sentence\. ){3,4}$/, en.rest],
  ['这是一句话。'.repeat(40), 60, /^(?:这是一句话。){5,8} $/, zh.rest],
  ['word '.repeat(100), 100, /^(?:word )+$/, en.rest],
  ['x'.repeat(300), 100, /^x+ $/, en.rest],
])('what is too long ends with a sentence or a word, and says so: %j', (markdown, most, spoken, rest) => {
  const text = spokenText(markdown, most);
  expect(text.endsWith(rest)).toBe(true);
  expect(text.slice(0, -rest.length)).toMatch(spoken);
  expect(text.length).toBeLessThanOrEqual(most);
});
