import { expect, test } from 'vitest';
import { direct } from '../support/deed.ts';
import { originOf } from '../support/store-setting.ts';
import { approvalSetting, whereIn } from './approval-setting.ts';

const ada = () => originOf('ada', direct('test'));
const asked = {
  callId: 'c1',
  toolName: 'ask',
  hash: 'h',
  question: { text: 'Which colour?', options: [], timeout: 86_400_000 },
};

test('where nothing was asked, a message costs no look into the store', async () => {
  const setting = await approvalSetting();
  expect(await setting.approvals.hear(ada(), 'hello')).toBe(false);
  expect(setting.looks).toBe(0);
});

test('a question that is not stored yet when somebody speaks is still answered later', async () => {
  const setting = await approvalSetting();
  const draft = await setting.approvals.draftQuestion(asked, whereIn());
  expect(await setting.approvals.hear(ada(), 'hello')).toBe(false);
  await setting.keep('c1', draft, whereIn());
  expect(await setting.approvals.hear(ada(), 'red')).toBe(true);
});

test('where a question has ended, messages cost no look any more', async () => {
  const setting = await approvalSetting();
  await setting.keep('c1', await setting.approvals.draftQuestion(asked, whereIn()), whereIn());
  expect(await setting.approvals.hear(ada(), 'red')).toBe(true);
  setting.clock.advance(61_000);
  await setting.approvals.hear(ada(), 'thanks');
  const before = setting.looks;
  expect(await setting.approvals.hear(ada(), 'and one thing more')).toBe(false);
  expect(setting.looks).toBe(before);
});
