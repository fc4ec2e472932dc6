import { describe, expect, test } from 'vitest';
import { countSyncs } from '../support/count-syncs.ts';
import { direct } from '../support/deed.ts';
import { originOf } from '../support/store-setting.ts';
import { type ApprovalSetting, approvalSetting } from './approval-setting.ts';

function reminders(setting: ApprovalSetting): readonly unknown[] {
  return setting
    .rows(`SELECT conversation_id AS place FROM outbox WHERE kind = 'notice' ORDER BY seq`)
    .map(({ place }) => place);
}

describe('an approval that nobody decides', () => {
  test('is ended at its time: the call, the card and the audit say so, and the run goes on', async () => {
    const setting = await approvalSetting();
    await setting.ask();
    await setting.pass(29);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
    await setting.pass(1);
    expect(setting.rows('SELECT state, decided_by FROM approvals')).toEqual([
      { state: 'expired', decided_by: 'keyturn' },
    ]);
    expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'expired' }]);
    expect(setting.cards()).toEqual([{ place: 'test:ada', markdown: expect.stringMatching(/^⌛/), pressable: 0 }]);
    expect(setting.woken).toEqual(['test:ada']);
    expect(setting.clock.waits).toEqual([]);
  });

  test('is ended together with all that are due: each conversation goes on once', async () => {
    const setting = await approvalSetting();
    for (const hash of ['h1', 'h2', 'h3']) await setting.ask({ hash });
    await setting.ask({ in: direct('test', 'bob') });
    await setting.pass(30);
    expect(setting.rows('SELECT DISTINCT state FROM approvals')).toEqual([{ state: 'expired' }]);
    expect(setting.woken.toSorted()).toEqual(['test:ada', 'test:bob']);
  });

  test('lets its run go on as soon as its end can be seen, though the disk does not answer', async () => {
    const setting = await approvalSetting();
    await setting.ask();
    const syncs = countSyncs();
    syncs.hold();
    setting.clock.advance(30 * 60_000);
    const attended = setting.approvals.attend();
    await expect.poll(() => setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'expired' }]);
    expect(setting.woken).toEqual(['test:ada']);
    syncs.release();
    await attended;
    expect(setting.woken).toEqual(['test:ada']);
  });

  test('is ended by the next process if its time came in between', async () => {
    const setting = await approvalSetting();
    await setting.ask();
    setting.clock.advance(3_600_000);
    await setting.restart();
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'expired' }]);
    expect(reminders(setting)).toEqual([]);
  });

  test('is ended once, though a decision comes in the same instant', async () => {
    const setting = await approvalSetting();
    const { id } = await setting.ask();
    setting.clock.advance(30 * 60_000);
    const decision = setting.approvals.decide(originOf('ada', direct('test')), id, { type: 'once' });
    await Promise.all([decision, setting.approvals.attend()]);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'expired' }]);
    expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'expired' }]);
    expect(setting.woken).toEqual(['test:ada']);
  });

  test('is left alone once it is decided', async () => {
    const setting = await approvalSetting();
    const { id } = await setting.ask();
    await setting.approvals.decide(originOf('ada', direct('test')), id, { type: 'once' });
    await setting.pass(60);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'approved' }]);
    expect(reminders(setting)).toEqual([]);
  });
});

describe('the time of an approval', () => {
  test('begins when its card stands in its chat, however late that is', async () => {
    const setting = await approvalSetting();
    const { id } = await setting.ask({ isShown: false });
    await setting.pass(8 * 60);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
    expect(reminders(setting)).toEqual([]);
    await setting.show();
    await setting.pass(14);
    expect(reminders(setting)).toEqual([]);
    await setting.pass(1);
    expect(reminders(setting)).toEqual(['test:ada']);
    await setting.restart();
    await setting.pass(14);
    expect(setting.rows('SELECT id, state FROM approvals')).toEqual([{ id, state: 'pending' }]);
    await setting.pass(1);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'expired' }]);
  });

  test('does not begin again with a second card, nor with a change of it', async () => {
    const setting = await approvalSetting({ approvers: ['test:ada', 'test:zoe'] });
    await setting.speak('zoe');
    await setting.ask({ in: direct('test', 'bob'), isShown: false });
    const [first, second] = setting.rows(`SELECT id FROM outbox WHERE kind = 'card' AND buttons IS NOT NULL`);
    for (const row of [first, second]) {
      await setting.store.outbox.delivered(String(row?.id), 1, [{ id: 'm' }], setting.clock.now());
      await setting.pass(10);
    }
    await setting.pass(10);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'expired' }]);
  });

  test('is over after a day in which nothing could be shown anywhere', async () => {
    const setting = await approvalSetting();
    await setting.ask({ isShown: false });
    await setting.pass(24 * 60 - 1);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
    await setting.pass(1);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'expired' }]);
  });
});

describe('a reminder', () => {
  test('comes once, half way through', async () => {
    const setting = await approvalSetting();
    await setting.ask();
    setting.clock.advance(15 * 60_000 - 1);
    await setting.approvals.attend();
    expect(reminders(setting)).toEqual([]);
    await setting.pass(1);
    await setting.pass(5);
    await setting.pass(5);
    expect(reminders(setting)).toEqual(['test:ada']);
  });

  test('comes by itself: the timer is set when it is asked', async () => {
    const setting = await approvalSetting();
    await setting.ask();
    expect(setting.clock.waits).toEqual([15 * 60_000]);
    await setting.pass(15);
    expect(setting.clock.waits).toEqual([15 * 60_000]);
  });

  test('comes after a restart, and not again if it had come', async () => {
    const setting = await approvalSetting();
    await setting.ask();
    setting.clock.advance(20 * 60_000);
    await setting.restart();
    expect(reminders(setting)).toEqual(['test:ada']);
    await setting.restart();
    await setting.pass(5);
    expect(reminders(setting)).toEqual(['test:ada']);
    expect(setting.clock.waits).toEqual([10 * 60_000]);
  });

  test('comes where the cards are', async () => {
    const setting = await approvalSetting({ approvers: ['test:ada', 'test:zoe'] });
    await setting.speak('zoe');
    await setting.ask({ in: direct('test', 'bob') });
    await setting.pass(16);
    expect(reminders(setting)).toEqual(['test:ada', 'test:zoe']);
  });
});

test('two who look at the same time remind once', async () => {
  const setting = await approvalSetting();
  const { id: approvalId } = await setting.ask();
  const draft = (id: string) =>
    ({ conversationId: 'test:ada', message: { id, kind: 'notice', markdown: 'still' } }) as const;
  await setting.store.approvals.remind([{ approvalId, draft: draft('one') }], 5);
  await setting.store.approvals.remind([{ approvalId, draft: draft('two') }], 6);
  expect(reminders(setting)).toEqual(['test:ada']);
});

test('what could not be stored is tried again in a minute', async () => {
  const setting = await approvalSetting();
  await setting.ask();
  setting.clock.advance(15 * 60_000);
  await setting.approvals.attend();
  await setting.store.close();
  setting.clock.advance(15 * 60_000);
  await setting.approvals.attend();
  expect(setting.clock.waits).toContain(60_000);
});
