import { expect, test } from 'vitest';
import { approvalWords } from '../../../packages/page/src/components/approval/words.ts';
import { counted } from '../../../packages/page/src/lib/catalogue.ts';
import { timelineWords } from '../../../packages/page/src/views/activity/timeline/words.ts';
import { activityWords } from '../../../packages/page/src/views/activity/words.ts';
import { chatWords } from '../../../packages/page/src/views/chat/words.ts';

test('a number stands with the noun that it takes', () => {
  expect(['1', 1, 0, 2, '1.2K', '1,001'].map((count) => counted(count, 'call'))).toEqual([
    '1 call',
    '1 call',
    '0 calls',
    '2 calls',
    '1.2K calls',
    '1,001 calls',
  ]);
});

test('nothing is told of one as of several', () => {
  const one = [
    activityWords.en.sums({ turns: 1, calls: 1, tokens: '1', cost: undefined }),
    activityWords.en.troubles(1),
    timelineWords.en.tokens({ input: '1', cached: undefined, output: '7' }),
    approvalWords.en.longText({ characters: '1', lines: '1' }),
    approvalWords.en.changeSummary({ removed: '1', added: '1' }),
    approvalWords.en.moreRows({ count: '1' }),
    chatWords.en.waits(1),
    chatWords.en.tooManyFiles(1),
  ];
  for (const told of one) expect(told).not.toMatch(/\b1 (?:more )?(?:turn|call|token|character|line|file|decision)s\b/);
});
