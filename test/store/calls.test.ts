import { expect, test } from 'vitest';
import { approvalSetting, asked, whereIn } from '../engine/approval-setting.ts';
import { direct } from '../support/deed.ts';
import { originOf } from '../support/store-setting.ts';

/** A call that waits for Ada, with what a worker's run that answers it would store. */
async function askedCall() {
  const setting = await approvalSetting();
  const { callId, id, conversationId } = await setting.ask();
  const { store, approvals, clock } = setting;
  const worker = { type: 'agent', name: 'scout' } as const;
  const subRun = { callId, toolName: 'deploy', parentId: conversationId, rootId: conversationId, worker, above: [] };
  const subRunIds = { conversationId: `sub:${callId}`, subRun: { ...subRun, title: 'deploy', form: 'text' as const } };
  const notice = { conversationId, message: { id: 'n1', kind: 'notice', markdown: 'x' } } as const;
  const extension = { runId: 'r1', bound: 'turns', until: 9, seenSeq: 1 } as const;
  return {
    setting,
    subRunIds,
    begin: () => store.runs.begin(callId, clock.now()),
    approve: () => approvals.decide(originOf('ada', direct('test')), id, { type: 'once' }),
    begins: (untrusted?: readonly string[]) =>
      store.runs.beginSubRun({
        untrusted,
        ...{ ...subRunIds, conversation: direct('test'), principal: 'test:ada', principalName: 'Ada', task: 'deploy' },
        ...{ inBackground: false, mostRunning: 9, at: clock.now() },
      }),
    asksAgain: async () => store.runs.reopen(callId, await approvals.draftPermission([asked(callId)], whereIn())),
    asksToGoOn: async (after: number) =>
      store.runs.askToGoOn(
        await approvals.draftExtension({ extension, reason: () => 'Enough.', description: () => 'go on' }, whereIn()),
        after,
      ),
    keeps: (said: string) =>
      store.runs.keepSaid({ conversationId, after: 0, said, messages: [notice], at: clock.now() }),
    ends: (text: string) =>
      store.runs.endSubRun({
        ...subRunIds,
        result: { outcome: 'success', text },
        cardNote: () => text,
        at: clock.now(),
      }),
    call: () => setting.rows('SELECT state, result FROM calls'),
    begun: () => setting.rows(`SELECT 1 FROM audit WHERE kind = 'call-begun'`).length,
  };
}

test('a call begins once, and not before a person has allowed it', async () => {
  const { begin, approve, call, begun } = await askedCall();
  expect(await begin()).toBe(false);
  expect(call()).toEqual([{ state: 'awaiting', result: null }]);
  await approve();
  expect(await begin()).toBe(true);
  expect(await begin()).toBe(false);
  expect(begun()).toBe(1);
});

test('what a worker brings back ends a call that waits for it, once, and none that has begun', async () => {
  const waiting = await askedCall();
  expect((await waiting.ends('first')).toWake).toHaveLength(1);
  expect((await waiting.ends('second')).toWake).toEqual([]);
  expect(waiting.call()).toEqual([{ state: 'done', result: 'first' }]);
  const running = await askedCall();
  await running.approve();
  await running.begin();
  expect((await running.ends('too early')).toWake).toEqual([]);
  expect(running.call()).toEqual([{ state: 'begun', result: null }]);
});

test('what comes too late for its call or its run changes nothing', async () => {
  const late = await askedCall();
  const { setting, begin, approve } = late;
  const left = () => ['approvals', 'outbox', 'conversations', 'inbox'].map((t) => setting.rows(`SELECT * FROM ${t}`));
  const before = left();
  expect(await late.asksAgain()).toBe(false);
  expect(await late.asksToGoOn(0)).toBe('outdated');
  expect(await late.keeps('once upon')).toBe(false);
  expect(await late.begins()).toBe('outdated');
  expect(left()).toEqual(before);
  await approve();
  await begin();
  // The run has gone on.
  await setting.ask();
  expect(await late.begins()).toBe('outdated');
});

test('a sub-run has read from the beginning what its instructions come from, and its parent has not', async () => {
  const { setting, approve, begin, begins, subRunIds } = await askedCall();
  await approve();
  await begin();
  expect(await begins(['evil.example'])).toBe('begun');
  expect((await setting.store.inbox.labelsOf(subRunIds.conversationId)).sources).toEqual(['evil.example']);
  expect((await setting.store.inbox.labelsOf(subRunIds.subRun.parentId)).sources).toEqual([]);
});
