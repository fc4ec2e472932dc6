import { describe, expect, test } from 'vitest';
import type { BoundName, ExtensionApproval } from '../../src/approval/approval.ts';
import type { JournalEntry } from '../../src/engine/journal.ts';
import { nextStep } from '../../src/engine/next.ts';
import { ada, bob, closing, done, entry, event, said, stateOf, turn } from './run-states.ts';

const notStuck = (): undefined => undefined;

describe('a run begins', () => {
  test('with nothing to answer, there is nothing to do', () => {
    expect(nextStep(stateOf([]), notStuck)).toEqual({ type: 'rest' });
    expect(nextStep(stateOf([said(1), turn(1)]), notStuck)).toEqual({ type: 'rest' });
    expect(nextStep(stateOf([said(1), closing(1), event(2, false)]), notStuck)).toEqual({ type: 'rest' });
  });

  test('the first message names the run and its principal', () => {
    expect(nextStep(stateOf([said(3), said(4)]), notStuck)).toEqual({
      type: 'ask',
      run: { runId: 'run3', principal: ada },
      seenSeq: 4,
    });
  });

  test('what nobody has to answer is read along', () => {
    expect(nextStep(stateOf([event(1, false, bob), said(2), event(3, false, bob)]), notStuck)).toMatchObject({
      run: { runId: 'run2' },
      seenSeq: 3,
    });
  });

  test('an event that wants an answer begins one', () => {
    expect(nextStep(stateOf([event(4, true)]), notStuck)).toMatchObject({ type: 'ask', run: { runId: 'run4' } });
  });

  test('a message of another person, and all behind it, waits', () => {
    expect(nextStep(stateOf([said(1), said(2, bob), said(3)]), notStuck)).toMatchObject({ seenSeq: 1 });
    expect(nextStep(stateOf([said(1), event(2, true, bob), said(3)]), notStuck)).toMatchObject({ seenSeq: 1 });
  });
});

describe('a run goes on', () => {
  test.each(['ready', 'begun'] as const)('a call that is %s is settled, the first one first', (state) => {
    const calls = [
      entry('a', 'done', { result: done }),
      entry('b', state),
      entry('c', 'awaiting'),
      entry('d', 'ready'),
    ];
    expect(nextStep(stateOf([said(1), turn(1, calls)], calls), notStuck)).toEqual({
      type: 'settle',
      calls: [calls[1]],
    });
  });

  test('a call behind one that a person has to decide waits with it, unless they have let it run, or it had begun', () => {
    const approved = { id: 'p', state: 'approved' } as const;
    const next = (...calls: readonly JournalEntry[]) => nextStep(stateOf([said(1), turn(1, calls)], calls), notStuck);
    const waits = entry('a', 'awaiting', { approval: { id: 'q', state: 'pending' } });
    const ready = entry('b', 'ready');
    expect(next(waits, ready)).toEqual({ type: 'park' });
    for (const free of [entry('c', 'ready', { approval: approved }), entry('c', 'begun')]) {
      expect(next(waits, ready, free)).toEqual({ type: 'settle', calls: [free] });
    }
  });

  test('while a person has to decide, it waits', () => {
    const calls = [entry('a', 'awaiting')];
    expect(nextStep(stateOf([said(1), turn(1, calls)], calls), notStuck)).toEqual({ type: 'park' });
    expect(nextStep(stateOf([said(1), turn(1, calls), event(2, false)], calls), notStuck)).toEqual({ type: 'park' });
  });

  test.each([said(2), said(2, bob), event(2, true)])(
    'a person who speaks meanwhile is not kept waiting: $type of $principal',
    (news) => {
      const calls = [entry('a', 'done', { result: done }), entry('b', 'awaiting'), entry('c', 'awaiting')];
      expect(nextStep(stateOf([said(1), turn(1, calls), news], calls), notStuck)).toEqual({
        type: 'defer',
        callIds: ['b', 'c'],
      });
    },
  );

  test('when all calls have results, the model is asked, with what its principal has added', () => {
    const calls = [entry('a', 'done', { result: done })];
    const run = { runId: 'run1', principal: ada };
    expect(nextStep(stateOf([said(1), turn(1, calls)], calls), notStuck)).toEqual({ type: 'ask', run, seenSeq: 1 });
    expect(nextStep(stateOf([said(1), turn(1, calls), said(2), said(3, bob)], calls), notStuck)).toEqual({
      type: 'ask',
      run,
      seenSeq: 2,
    });
  });
});

describe('a run that has asked whether it may go on', () => {
  const run = { runId: 'run1', principal: 'test:ada' };
  const calls = [entry('a', 'done', { result: done })];
  const entries = [said(1), turn(1, calls)];

  test.each(['turns', 'tokens-per-day'] as const)('waits, where it is about %s', (bound) => {
    const extensions = [goingOn(bound, 'pending')];
    expect(nextStep(stateOf(entries, calls, { extensions }), notStuck)).toEqual({ type: 'park' });
    expect(nextStep(stateOf([said(1)], [], { extensions }), notStuck)).toEqual({ type: 'park' });
  });

  test('about turns, ends when somebody says more, which is left for another run', () => {
    const state = stateOf([...entries, said(2)], calls, { extensions: [goingOn('turns', 'pending')] });
    expect(nextStep(state, notStuck)).toEqual({ type: 'close', run, seenSeq: 1, reason: 'limit' });
  });

  test('about a budget, goes on waiting when somebody says more, and says so', () => {
    const waiting = goingOn('cost-per-run', 'pending');
    const state = stateOf([...entries, said(2)], calls, { extensions: [waiting] });
    expect(nextStep(state, notStuck)).toEqual({ type: 'park', waiting });
  });

  test('goes on when somebody has allowed it, with what was said meanwhile', () => {
    const state = stateOf([...entries, said(2)], calls, { extensions: [goingOn('tokens-per-run', 'approved')] });
    expect(nextStep(state, notStuck)).toEqual({ type: 'ask', run, seenSeq: 2 });
  });
});

function goingOn(bound: BoundName, state: 'pending' | 'approved'): ExtensionApproval {
  return {
    type: 'extension',
    id: 'x',
    conversationId: 'test:ada',
    requester: 'test:ada',
    requesterName: 'Ada',
    toolName: 'go on',
    description: 'go on',
    state,
    createdAt: 0,
    expiresAt: 1,
    extension: { runId: 'run1', bound, until: 10, seenSeq: 1 },
    places: ['test:ada'],
  };
}

describe('nobody decides', () => {
  const expired = entry('a', 'done', {
    result: { outcome: 'expired', text: '' },
    approval: { id: 'x', state: 'expired' },
  });
  const approved = entry('b', 'done', { result: done, approval: { id: 'y', state: 'approved' } });
  const denied = entry('c', 'done', {
    result: { outcome: 'denied', text: '' },
    approval: { id: 'z', state: 'denied' },
  });

  test('the run ends without a request', () => {
    const free = entry('d', 'done', { result: done });
    const calls = [expired, free];
    expect(nextStep(stateOf([said(1), turn(1, calls)], calls), notStuck)).toMatchObject({
      type: 'close',
      reason: 'expired',
      seenSeq: 1,
    });
  });

  test.each([[approved], [denied]])('but somebody was there who decided another call', (other) => {
    const calls = [expired, other];
    expect(nextStep(stateOf([said(1), turn(1, calls)], calls), notStuck)).toMatchObject({ type: 'ask' });
  });

  test('but somebody has spoken', () => {
    expect(nextStep(stateOf([said(1), turn(1, [expired]), said(2)], [expired]), notStuck)).toMatchObject({
      type: 'ask',
    });
  });
});

describe('what is older comes first', () => {
  test('a deferred call that was decided is settled before anything else', () => {
    const deferred = [entry('x', 'ready', { deferred: true }), entry('y', 'ready', { deferred: true })];
    const calls = [entry('a', 'ready')];
    const state = stateOf([said(1), turn(1, calls), said(2)], calls, { deferred });
    expect(nextStep(state, notStuck)).toEqual({ type: 'settle', calls: [deferred[0]] });
  });

  test('a call that had begun in a run which is over is written off', () => {
    const calls = [entry('a', 'begun')];
    const state = stateOf([said(1), turn(1, calls), closing(1)], calls, { leftBehind: calls });
    expect(nextStep(state, notStuck)).toEqual({
      type: 'write-off',
      call: calls[0],
    });
  });
});
