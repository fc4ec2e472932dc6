import { expect, test } from 'vitest';
import { approvalSetting } from '../engine/approval-setting.ts';
import { direct } from '../support/deed.ts';
import { originOf } from '../support/store-setting.ts';

/** A call that waits for Ada, with what a worker's run that answers it would store. */
async function askedCall() {
  const setting = await approvalSetting();
  const { callId, id, conversationId } = await setting.ask();
  const { store, approvals, clock } = setting;
  const worker = { type: 'agent', name: 'scout' } as const;
  const subRun = { callId, toolName: 'deploy', parentId: conversationId, rootId: conversationId, worker, above: [] };
  const place = { conversationId: `sub:${callId}`, subRun: { ...subRun, title: 'deploy', form: 'text' as const } };
  return {
    begin: () => store.runs.begin(callId, clock.now()),
    approve: () => approvals.decide(originOf('ada', direct('test')), id, { type: 'once' }),
    ends: (text: string) =>
      store.runs.endSubRun({ ...place, result: { outcome: 'success', text }, cardNote: text, at: clock.now() }),
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
