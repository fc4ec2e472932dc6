import { expect, test } from 'vitest';
import type { CallDraft } from '../../src/engine/journal.ts';
import { direct } from '../support/deed.ts';
import { newStore, originOf, rowsOf, said } from '../support/store-setting.ts';

const home = direct('test');
const id = 'test:ada';

/** How often a run is counted as tried after a turn with calls of these states; the process died once before. */
async function triesAfter(states: readonly CallDraft['state'][]): Promise<unknown> {
  const { store, file } = await newStore();
  await store.inbox.accept(said(originOf('ada', home), 'go'));
  await store.attempts.beginWork(id, 0);
  await store.attempts.recover();
  await store.attempts.beginWork(id, 1);
  const calls = states.map((state, position): CallDraft => {
    const call = { id: `c${position}`, modelCallId: `m${position}`, name: 'look', arguments: {}, hash: 'h', state };
    return state === 'done' ? { ...call, result: { outcome: 'success', text: 'seen' } } : call;
  });
  const run = { conversationId: id, runId: 'r1', principal: id, after: 0, seenSeq: 1, messages: [], at: 0 };
  const took = { usage: { inputTokens: 0, outputTokens: 0 }, model: 'main', day: '2026-03-04' };
  expect(await store.runs.storeTurn({ ...run, ...took, parts: [], calls })).toBe('stored');
  return rowsOf(file, `SELECT number FROM attempts WHERE kind = 'run'`)[0]?.number;
}

test.each<[CallDraft['state'][], number]>([
  [['done'], 0],
  [['awaiting'], 0],
  [['awaiting', 'done'], 0],
  [['begun'], 2],
  [['ready', 'done'], 2],
  [['awaiting', 'begun'], 2],
])(
  'a turn whose calls are %j leaves a run at %i tries: a call that still runs could kill the process',
  async (states, tries) => {
    expect(await triesAfter(states)).toBe(tries);
  },
);
