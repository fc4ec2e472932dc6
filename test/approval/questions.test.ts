import { expect, test } from 'vitest';
import type { Approval, Origin } from '../../src/approval/approval.ts';
import { Questions } from '../../src/approval/questions.ts';
import { ManualClock } from '../support/manual-clock.ts';

const ada: Origin = {
  key: 'm1',
  conversation: { channel: 'test', chatId: '1', kind: 'direct' },
  conversationId: 'test:1',
  principal: 'test:ada',
  name: 'Ada',
};
const request = {
  callId: 'c1',
  conversationId: ada.conversationId,
  requester: ada.principal,
  requesterName: ada.name,
  toolName: 'ask',
  hash: 'h',
  question: { text: 'Which colour?', options: [], timeout: 86_400_000 },
};

function asking() {
  const clock = new ManualClock();
  const open: Approval[] = [];
  let looks = 0;
  const store = {
    pending: async () => {
      looks += 1;
      return [...open];
    },
    find: async () => undefined,
    answer: async () => 'decided' as const,
    ask: async () => {},
    callOff: async () => {},
  };
  const ignore = (): void => {};
  const questions = new Questions({ store, clock, deadlines: { watch: ignore }, deliver: ignore, wake: ignore });
  return { clock, open, questions, looks: () => looks };
}

test('where nothing was asked, a message costs no look into the store', async () => {
  const { questions, looks } = asking();
  expect(await questions.hear(ada, 'hello')).toBe(false);
  expect(looks()).toBe(0);
});

test('a question that is not stored yet when somebody speaks is still answered later', async () => {
  const { questions, open } = asking();
  const { approval } = questions.draft(request);
  expect(await questions.hear(ada, 'hello')).toBe(false);
  open.push(approval);
  expect(await questions.hear(ada, 'red')).toBe(true);
});

test('where a question has ended, messages cost no look any more', async () => {
  const { questions, open, clock, looks } = asking();
  open.push(questions.draft(request).approval);
  expect(await questions.hear(ada, 'red')).toBe(true);
  open.pop();
  clock.advance(61_000);
  await questions.hear(ada, 'thanks');
  const before = looks();
  expect(await questions.hear(ada, 'and one thing more')).toBe(false);
  expect(looks()).toBe(before);
});
