import { cleanLabels } from '../../src/approval/verdict.ts';
import type { JournalEntry, RunState } from '../../src/engine/journal.ts';
import type { CallResult, Closing, DaemonEvent, TranscriptEntry, Turn, UserMessage } from '../../src/transcript.ts';

export const ada = 'test:ada';
export const bob = 'test:bob';
export const done: CallResult = { outcome: 'success', text: 'ok' };

/** A person has said something. */
export function said(seq: number, principal = ada): UserMessage {
  return { type: 'user', seq, principal, name: principal, text: 'words' };
}

/** Keyturn tells the model something. */
export function event(seq: number, wantsAnswer: boolean, principal = ada): DaemonEvent {
  return { type: 'event', seq, principal, text: 'event', wantsAnswer };
}

/** A person has called a tool by hand. */
export function byHand(seq: number, principal = ada): DaemonEvent {
  return { ...event(seq, true, principal), handCall: { name: 'deploy', arguments: { to: 'web' } } };
}

/** A call, as the journal has it. */
export function entry(id: string, state: JournalEntry['state'], more: Partial<JournalEntry> = {}): JournalEntry {
  const fields = {
    name: 'deploy',
    arguments: {},
    deferred: false,
    runId: 'run1',
    principal: ada,
    principalName: 'Ada',
  };
  return { id, state, ...fields, ...more };
}

/** The model has answered. */
export function turn(seenSeq: number, calls: readonly JournalEntry[] = []): Turn {
  return { type: 'turn', id: seenSeq, runId: 'run1', principal: ada, seenSeq, parts: [], calls };
}

/** A run was stopped. */
export function closing(seenSeq: number): Closing {
  return { type: 'closing', id: seenSeq + 100, seenSeq, reason: 'stopped' };
}

/** A run as it was stored. The journal holds the calls of the transcript. */
export function stateOf(
  entries: readonly TranscriptEntry[],
  journal: readonly JournalEntry[] = [],
  more: Partial<RunState> = {},
): RunState {
  return {
    conversationId: 'test:ada',
    conversation: { channel: 'test', chatId: 'ada', kind: 'direct' },
    transcript: { entries },
    journal: new Map(journal.map((found) => [found.id, found])),
    lateCalls: [],
    leftBehind: [],
    labels: cleanLabels,
    pinned: [],
    turnsOfRun: 1,
    spent: { runId: 'none', tokens: 0, cost: 0 },
    extensions: [],
    isOpen: true,
    isBegun: true,
    newestTurn: 0,
    ...more,
  };
}
