import { expect, test } from 'vitest';
import { languageOf, languageOfLocale, languageOfText } from '../../src/lib/words.ts';

test.each([
  ['zh', 'zh'],
  ['zh-CN', 'zh'],
  ['zh_TW', 'zh'],
  ['zh-Hant-HK', 'zh'],
  ['und-Hans', 'zh'],
  ['EN', 'en'],
  ['en-GB', 'en'],
  ['de', undefined],
  ['', undefined],
  ['-', undefined],
  ['x'.repeat(10_000), undefined],
  ['中文', undefined],
  [undefined, undefined],
] as const)('a platform that tells the language tag %s speaks of %s', (tag, language) => {
  expect(languageOf(tag)).toBe(language);
});

test.each([
  [{ LANG: 'zh_CN.UTF-8' }, 'zh'],
  [{ LANG: 'en_US.UTF-8', LC_MESSAGES: 'zh_CN' }, 'zh'],
  [{ LANG: 'zh_CN.UTF-8', LC_ALL: 'C.UTF-8' }, undefined],
  [{ LANG: 'zh_CN.UTF-8', LC_ALL: '' }, 'zh'],
  [{ LANG: 'POSIX' }, undefined],
  [{ LANG: 'en@euro' }, 'en'],
  [{}, undefined],
] as const)('a process in the environment %j speaks %s', (environment, language) => {
  expect(languageOfLocale(environment)).toBe(language);
});

test.each([
  ['What is the weather like?', { language: 'en', isClear: true }],
  ['ok', { language: 'en', isClear: false }],
  ['你好', { language: 'zh', isClear: false }],
  ['帮我看一下明天的天气', { language: 'zh', isClear: true }],
  ['帮我用 git rebase 合并一下这两个分支', { language: 'zh', isClear: true }],
  ['What does 你好 mean, and how is it said?', { language: 'en', isClear: true }],
  ['看看 https://example.com/a/long/path/of/words', { language: 'zh', isClear: false }],
  ['```\nconst one = two(three, four, five);\n```\n这段代码什么意思', { language: 'zh', isClear: true }],
  ['/remind me of it', { language: 'en', isClear: true }],
] as const)('the text %j is written in %j', (text, written) => {
  expect(languageOfText(text)).toEqual(written);
});

test.each([
  '',
  '42',
  '👍',
  '/stop',
  'ありがとうございます',
  '東京へ行きます',
  '고마워요',
  'Где мой файл?',
  'где file.txt',
])('the text %j says nothing of a language that we speak', (text) => {
  expect(languageOfText(text)).toBeUndefined();
});
