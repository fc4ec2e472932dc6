import { describe, expect, test } from 'vitest';
import { unstoredText } from '../../../../packages/page/src/views/chat/unstored.ts';
import type { AnswerEntry, ChatEntry } from '../../../../src/features/page/wire/chat.ts';

const answer = (markdown: string, buttons: AnswerEntry['buttons'] = []): ChatEntry => ({
  type: 'answer',
  id: markdown,
  at: 1,
  markdown,
  files: [],
  buttons,
});

describe('what of a turn is not stored yet', () => {
  test.each<[string, string, readonly ChatEntry[], string]>([
    ['all of it, while nothing is', 'I begin', [], 'I begin'],
    ['all of it, behind earlier answers', 'I begin', [answer('Hello'), answer('Well')], 'I begin'],
    ['the rest, once its first text is', 'First.\n\nSecond', [answer('Hello'), answer('First.')], 'Second'],
    ['the rest behind several texts', 'One\n\nTwo\n\nThr', [answer('Hello'), answer('One'), answer('Two')], 'Thr'],
    ['nothing, once all is', 'One\n\nTwo', [answer('One'), answer('Two')], ''],
    ['all of it, if it only begins like an earlier answer', 'Yes, and more', [answer('Yes')], 'Yes, and more'],
    [
      'the rest behind a list with its buttons as a session types them',
      'Choose:\n\n- Stop: `/stop`\n\nDone',
      [answer('Choose:', [{ label: 'Stop', line: '/stop' }])],
      'Done',
    ],
    ['without the names of files', 'Here.\n\n📎 `a.png` (3 KB)\n\nAnd', [answer('Here.')], 'And'],
  ])('is %s', (_what, text, entries, expected) => {
    expect(unstoredText(text, entries)).toBe(expected);
  });
});
