import { describe, expect, test } from 'vitest';
import type { BoundName, ExtensionApproval } from '../../src/approval/approval.ts';
import type { JournalEntry } from '../../src/engine/journal.ts';
import { nextStep } from '../../src/engine/next.ts';
import type { Attachment, UserMessage } from '../../src/transcript.ts';
import { ada, bob, byHand, closing, done, entry, event, said, stateOf, turn } from './run-states.ts';

/** What comes next in this run, which does not go in circles. */
function next(...run: Parameters<typeof stateOf>) {
  return nextStep(stateOf(...run), () => undefined);
}

describe('a run begins', () => {
  test('with nothing to answer, there is nothing to do', () => {
    expect(next([])).toEqual({ type: 'rest' });
    expect(next([said(1), turn(1)])).toEqual({ type: 'rest' });
    expect(next([said(1), closing(1), event(2, false)])).toEqual({ type: 'rest' });
  });

  test('the first message names the run and its principal', () => {
    expect(next([said(3), said(4)])).toEqual({ type: 'ask', run: { runId: 'run3', principal: ada }, seenSeq: 4 });
  });

  test('what nobody has to answer is read along', () => {
    expect(next([event(1, false, bob), said(2), event(3, false, bob)])).toMatchObject({
      run: { runId: 'run2' },
      seenSeq: 3,
    });
  });

  test('an event that wants an answer begins one', () => {
    expect(next([event(4, true)])).toMatchObject({ type: 'ask', run: { runId: 'run4' } });
  });

  test('a message of another person, and all behind it, waits', () => {
    expect(next([said(1), said(2, bob), said(3)])).toMatchObject({ seenSeq: 1 });
    expect(next([said(1), event(2, true, bob), said(3)])).toMatchObject({ seenSeq: 1 });
  });
});

describe('a call by hand', () => {
  const handCall = { name: 'deploy', arguments: { to: 'web' } };

  test('is made in a run of its own, in the order of what was said', () => {
    const run = { runId: 'run1', principal: ada };
    expect(next([byHand(1), said(2)])).toEqual({ type: 'call-by-hand', run, seenSeq: 1, call: handCall });
    expect(next([said(1), byHand(2), said(3)])).toMatchObject({ type: 'ask', run, seenSeq: 1 });
    expect(next([event(1, false), byHand(2)])).toMatchObject({ type: 'call-by-hand', seenSeq: 2 });
  });

  test('ends its run with its result, without a model; what was said meanwhile is answered', () => {
    const call = entry('a', 'done', { result: done });
    const run = { runId: 'run1', principal: ada };
    expect(next([byHand(1), turn(1, [call])], [call])).toMatchObject({
      type: 'close',
      run,
      seenSeq: 1,
      reason: 'completed',
    });
    expect(next([byHand(1), turn(1, [call]), said(2)], [call])).toMatchObject({ type: 'ask', run, seenSeq: 2 });
    expect(next([byHand(1), turn(1, [call]), byHand(2)], [call])).toMatchObject({ type: 'close', seenSeq: 1 });
  });

  test('does not end a run of the model’s that goes on in its conversation', () => {
    const call = entry('b', 'done', { result: done });
    const turns = [turn(1, [entry('a', 'done', { result: done })]), { ...turn(2, [call]), id: 7 }];
    expect(next([byHand(1), ...turns.slice(0, 1), said(2), ...turns.slice(1)], [call])).toMatchObject({ type: 'ask' });
    expect(next([said(1), turn(1, [call]), byHand(2)], [call])).toMatchObject({ type: 'ask', seenSeq: 1 });
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
    expect(next([said(1), turn(1, calls)], calls)).toEqual({ type: 'settle', calls: [calls[1]] });
  });

  test('a call behind one that a person has to decide waits with it, unless they have let it run, or it had begun', () => {
    const approved = { id: 'p', state: 'approved' } as const;
    const nextOf = (...calls: readonly JournalEntry[]) => next([said(1), turn(1, calls)], calls);
    const waits = entry('a', 'awaiting', { approval: { id: 'q', state: 'pending' } });
    const ready = entry('b', 'ready');
    expect(nextOf(waits, ready)).toEqual({ type: 'park' });
    for (const free of [entry('c', 'ready', { approval: approved }), entry('c', 'begun')]) {
      expect(nextOf(waits, ready, free)).toEqual({ type: 'settle', calls: [free] });
    }
  });

  test('while a person has to decide, it waits', () => {
    const calls = [entry('a', 'awaiting')];
    expect(next([said(1), turn(1, calls)], calls)).toEqual({ type: 'park' });
    expect(next([said(1), turn(1, calls), event(2, false)], calls)).toEqual({ type: 'park' });
  });

  test.each([said(2), said(2, bob), event(2, true)])(
    'a person who speaks meanwhile is not kept waiting: $type of $principal',
    (news) => {
      const calls = [entry('a', 'done', { result: done }), entry('b', 'awaiting'), entry('c', 'awaiting')];
      expect(next([said(1), turn(1, calls), news], calls)).toEqual({ type: 'defer', callIds: ['b', 'c'] });
    },
  );

  test('when all calls have results, the model is asked, with what its principal has added', () => {
    const calls = [entry('a', 'done', { result: done })];
    const run = { runId: 'run1', principal: ada };
    expect(next([said(1), turn(1, calls)], calls)).toEqual({ type: 'ask', run, seenSeq: 1 });
    expect(next([said(1), turn(1, calls), said(2), said(3, bob)], calls)).toEqual({ type: 'ask', run, seenSeq: 2 });
  });
});

describe('a run that has asked whether it may go on', () => {
  const run = { runId: 'run1', principal: 'test:ada' };
  const calls = [entry('a', 'done', { result: done })];
  const entries = [said(1), turn(1, calls)];

  test.each(['turns', 'tokens-per-day'] as const)('waits, where it is about %s', (bound) => {
    const extensions = [goingOn(bound, 'pending')];
    expect(next(entries, calls, { extensions })).toEqual({ type: 'park' });
    expect(next([said(1)], [], { extensions })).toEqual({ type: 'park' });
  });

  test('about turns, ends when somebody says more, which is left for another run', () => {
    const step = next([...entries, said(2)], calls, { extensions: [goingOn('turns', 'pending')] });
    expect(step).toEqual({ type: 'close', run, seenSeq: 1, reason: 'limit' });
  });

  test('about a budget, goes on waiting when somebody says more, and says so', () => {
    const waiting = goingOn('cost-per-run', 'pending');
    const step = next([...entries, said(2)], calls, { extensions: [waiting] });
    expect(step).toEqual({ type: 'park', waiting });
  });

  test('goes on when somebody has allowed it, with what was said meanwhile', () => {
    const step = next([...entries, said(2)], calls, { extensions: [goingOn('tokens-per-run', 'approved')] });
    expect(step).toEqual({ type: 'ask', run, seenSeq: 2 });
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
    cardConversationIds: ['test:ada'],
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
    expect(next([said(1), turn(1, calls)], calls)).toMatchObject({ type: 'close', reason: 'expired', seenSeq: 1 });
  });

  test.each([[approved], [denied]])('but somebody was there who decided another call', (other) => {
    const calls = [expired, other];
    expect(next([said(1), turn(1, calls)], calls)).toMatchObject({ type: 'ask' });
  });

  test('but somebody has spoken', () => {
    expect(next([said(1), turn(1, [expired]), said(2)], [expired])).toMatchObject({ type: 'ask' });
  });
});

describe('what is older comes first', () => {
  test('a deferred call that was decided is settled before anything else', () => {
    const lateCalls = [entry('x', 'ready', { deferred: true }), entry('y', 'ready', { deferred: true })];
    const calls = [entry('a', 'ready')];
    const step = next([said(1), turn(1, calls), said(2)], calls, { lateCalls });
    expect(step).toEqual({ type: 'settle', calls: [lateCalls[0]] });
  });

  test('a call that had begun in a run which is over is written off', () => {
    const calls = [entry('a', 'begun')];
    const step = next([said(1), turn(1, calls), closing(1)], calls, { leftBehind: calls });
    expect(step).toEqual({ type: 'write-off', call: calls[0] });
  });
});

describe('what was sent', () => {
  const file = { kind: 'file' as const, name: 'a.txt' };
  const pending: Attachment = { ...file, state: 'pending' };
  const saved: Attachment = { ...file, state: 'saved', path: 'received/1-a.txt' };
  const missing: Attachment = { ...file, state: 'missing', note: 'it is gone' };
  const voice: Attachment = { kind: 'voice', state: 'saved', path: 'received/1-voice.ogg' };
  const heard: Attachment = { ...voice, transcript: 'hello' };
  const unheard: Attachment = { ...voice, note: 'the server is down' };

  function sent(seq: number, attachments: readonly Attachment[], principal = ada, text = ''): UserMessage {
    return { ...said(seq, principal), text, attachments };
  }

  test('is fetched before the model is asked, that of other people when it is their turn', () => {
    const step = next([sent(1, [saved, pending]), said(2), sent(3, [missing]), sent(4, [pending], bob)]);
    const run = { runId: 'run1', principal: ada };
    expect(step).toEqual({ type: 'fetch', run, seenSeq: 3, seqs: [1] });
    const then = next([sent(1, [saved, missing]), said(2), turn(2), sent(4, [pending], bob)]);
    expect(then).toMatchObject({ type: 'fetch', run: { runId: 'run4' }, seqs: [4] });
  });

  test('is fetched too when it joins a run', () => {
    const calls = [entry('a', 'done', { result: done })];
    const step = next([said(1), turn(1, calls), sent(2, [pending])], calls);
    expect(step).toMatchObject({ type: 'fetch', run: { runId: 'run1' }, seenSeq: 2, seqs: [2] });
  });

  test('and is there, or never will be, keeps nobody waiting', () => {
    expect(next([sent(1, [saved]), sent(2, [missing])])).toMatchObject({ type: 'ask', seenSeq: 2 });
  });

  test('and was left behind by a run that is over is not fetched any more', () => {
    expect(next([sent(1, [pending]), closing(1), said(2)])).toMatchObject({ type: 'ask' });
  });

  test.each([
    [[sent(1, [unheard])]],
    [[sent(1, [{ kind: 'voice', state: 'missing', note: 'it is gone' }]), event(2, false)]],
    [[sent(1, [{ ...unheard, kind: 'audio' }])]],
  ])('and says nothing that could be made out is not asked about', (entries) => {
    expect(next(entries)).toMatchObject({ type: 'close', reason: 'failed', seenSeq: entries.length });
  });

  test.each([
    [[sent(1, [heard])]],
    [[sent(1, [unheard, saved])]],
    [[sent(1, [unheard], ada, 'listen')]],
    [[sent(1, [unheard]), said(2)]],
    [[sent(1, [unheard]), event(2, true)]],
    [[sent(1, [{ ...voice, kind: 'audio' }])]],
    [[sent(1, [missing])]],
  ])('and says anything is asked about', (entries) => {
    expect(next(entries)).toMatchObject({ type: 'ask' });
  });
});
