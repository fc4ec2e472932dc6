import { expect, test } from 'vitest';
import { readShortAnswer } from '../../src/lib/yes-or-no.ts';

test.each([
  ...[
    'yes',
    'Yes.',
    'YES!!',
    'ok',
    'OK 👍',
    'okay',
    'y',
    'go',
    'go ahead',
    'do it, yes',
    'yes please',
    'approve',
    'Approve it',
    'allow this',
  ],
  ...[
    '好',
    '好的。',
    '好的，谢谢',
    '同意',
    '可以',
    '行',
    '没问题！',
    '允許',
    'ＯＫ',
    'はい',
    'はい、お願いします',
    '承認',
    '네',
    '네.',
    '예',
    '승인',
  ],
  ...['好的~', '好好好', '好啦', '我批准', 'はーい', 'ok的', 'はい〜', 'OKです', 'オッケーです', 'ok 🙏', '好的😊'],
  ...['👍', '👍🏽', '👍👍', '✅', '✔️', '"yes"', '“ok”', 'Yes :)', 'oui', 'ja', 'sí', 'да'],
])('%s is a yes', (text) => {
  expect(readShortAnswer(text)).toEqual({ type: 'yes' });
});

test.each([
  ...['no', 'No.', 'nope', 'deny', 'stop', 'no thanks', 'No, thank you', 'nein', 'нет'],
  ...[
    '不用了',
    '不批准',
    '承認しない',
    'disapprove',
    '不了，谢谢',
    '先别',
    '停',
    'いえ',
    'ダメだ',
    '안 돼',
    '안 돼요',
    '하지 마세요',
    '그만',
    "no, don't do it",
  ],
  ...['不', '不要。', '不行！', '别', '不同意', '拒绝', '拒絕', 'いいえ', 'だめ', '아니요', '거절', '👎', '👎🏿', '❌'],
])('%s is a no', (text) => {
  expect(readShortAnswer(text)).toEqual({ type: 'no' });
});

test.each([
  ['no, use the other folder', 'use the other folder'],
  ['No\nuse B', 'use B'],
  ['No: wrong host', 'wrong host'],
  ['deny because of cost', 'because of cost'],
  ['no, why do you ask?', 'why do you ask?'],
  ['👎 too risky', 'too risky'],
  ['不，用另一个文件夹', '用另一个文件夹'],
  ['不要，太危险', '太危险'],
  ['いいえ、別のファイルで', '別のファイルで'],
  ['아니요, 다른 폴더로', '다른 폴더로'],
  ["don't touch prod", "don't touch prod"],
  ['不要用那个文件夹', '不要用那个文件夹'],
  ['不同意这样做', '不同意这样做'],
  ['いいえやめて', 'いいえやめて'],
  ['하지 마 위험해', '하지 마 위험해'],
  ['no, that is not ok', 'that is not ok'],
  ['no, please continue without it', 'please continue without it'],
])('%s is a no with a reason', (text, reason) => {
  expect(readShortAnswer(text)).toEqual({ type: 'no', reason });
});

test.each([
  ...[
    '',
    '?',
    '。',
    'hello',
    'yes?',
    'ok?',
    '行吗？',
    '可以吗？',
    'yes but only a',
    'ok, but first show me',
    'not ok',
    'not now',
  ],
  ...[
    'no problem',
    'no worries, go',
    'no idea',
    'no yes',
    'yes no',
    'no, ok',
    'yesterday',
    'nobody',
    'notes',
    'I said yes',
    'y/n',
  ],
  ...[
    'let it go',
    'sure?!',
    'ok?!',
    'No. 3 is fine',
    'No wait, yes',
    'no, I mean yes',
    'no, just do it',
    "don't ask, just do it",
    'no need to ask',
  ],
  // Yes in one language, thanks or no in another; and what politely declines.
  ...['tak', 'いいです', '了解', '結構です', '别的都可以', '别问了，直接做', '不用确认', '不是，可以的', '不，没问题'],
  ...['不错', '不知道', '不客气', '行动', '好像不对', 'go to the shop', `yes ${'x'.repeat(3000)}`],
])('%s is neither', (text) => {
  expect(readShortAnswer(text)).toBeUndefined();
});
