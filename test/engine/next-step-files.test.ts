import { describe, expect, test } from 'vitest';
import { nextStep } from '../../src/engine/next.ts';
import type { Attachment, UserMessage } from '../../src/transcript.ts';
import { ada, bob, closing, done, entry, event, said, stateOf, turn } from './run-states.ts';

const notStuck = (): undefined => undefined;

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
    const state = stateOf([sent(1, [saved, pending]), said(2), sent(3, [missing]), sent(4, [pending], bob)]);
    const run = { runId: 'run1', principal: ada };
    expect(nextStep(state, notStuck)).toEqual({ type: 'fetch', run, seenSeq: 3, seqs: [1] });
    const then = stateOf([sent(1, [saved, missing]), said(2), turn(2), sent(4, [pending], bob)]);
    expect(nextStep(then, notStuck)).toMatchObject({ type: 'fetch', run: { runId: 'run4' }, seqs: [4] });
  });

  test('is fetched too when it joins a run', () => {
    const calls = [entry('a', 'done', { result: done })];
    const state = stateOf([said(1), turn(1, calls), sent(2, [pending])], calls);
    expect(nextStep(state, notStuck)).toMatchObject({ type: 'fetch', run: { runId: 'run1' }, seenSeq: 2, seqs: [2] });
  });

  test('and is there, or never will be, keeps nobody waiting', () => {
    expect(nextStep(stateOf([sent(1, [saved]), sent(2, [missing])]), notStuck)).toMatchObject({
      type: 'ask',
      seenSeq: 2,
    });
  });

  test('and was left behind by a run that is over is not fetched any more', () => {
    expect(nextStep(stateOf([sent(1, [pending]), closing(1), said(2)]), notStuck)).toMatchObject({ type: 'ask' });
  });

  test.each([
    [[sent(1, [unheard])]],
    [[sent(1, [{ kind: 'voice', state: 'missing', note: 'it is gone' }]), event(2, false)]],
    [[sent(1, [{ ...unheard, kind: 'audio' }])]],
  ])('and says nothing that could be made out is not asked about', (entries) => {
    expect(nextStep(stateOf(entries), notStuck)).toMatchObject({
      type: 'close',
      reason: 'failed',
      seenSeq: entries.length,
    });
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
    expect(nextStep(stateOf(entries), notStuck)).toMatchObject({ type: 'ask' });
  });
});
