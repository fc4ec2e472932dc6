import type { JournalEntry } from '../agent/run-store.ts';
import { deferredResult, goesOnResult, hookChangedNote } from '../approval/call-results.ts';
import type { Call, CallResult, DaemonEvent, Transcript, TranscriptEntry, UserMessage } from '../transcript.ts';
import type { TurnRow } from './tables/turns.ts';

/** The rows of one conversation, each kind with the oldest first. */
export interface TranscriptRows {
  readonly read: readonly (UserMessage | DaemonEvent)[];
  readonly turns: readonly TurnRow[];
  readonly calls: readonly { readonly turnId: number; readonly entry: JournalEntry }[];
}

/**
 * Puts the rows in the order in which the model saw them: what came in stands before the first turn that had seen it, and
 * what none has seen stands at the end, however the rows were stored in time.
 */
export function toTranscript({ read, turns, calls }: TranscriptRows): Transcript {
  const entries: TranscriptEntry[] = [];
  let next = 0;
  for (const turn of turns) {
    for (let message = read[next]; message !== undefined && message.seq <= turn.seenSeq; message = read[next]) {
      entries.push(message);
      next += 1;
    }
    entries.push(
      toEntry(
        turn,
        calls.filter(({ turnId }) => turnId === turn.id).map(({ entry }) => asTranscriptCall(entry)),
      ),
    );
  }
  return { entries: [...entries, ...read.slice(next)] };
}

function toEntry(turn: TurnRow, calls: readonly Call[]): TranscriptEntry {
  const { id, seenSeq } = turn;
  switch (turn.type) {
    case 'turn':
      return { type: 'turn', id, runId: turn.runId, principal: turn.principal, seenSeq, parts: turn.parts, calls };
    case 'closing':
      return { type: 'closing', id, seenSeq, reason: turn.reason };
  }
}

/** In its place in the transcript, a deferred call keeps its placeholder: what became of it follows as an event. */
function asTranscriptCall(entry: JournalEntry): Call {
  const { id, name, arguments: args, state, deferred } = entry;
  const result = readResult(entry);
  return { id, name, arguments: args, state, deferred, ...(result === undefined ? {} : { result }) };
}

/** What the model reads of it, if there is something by now. */
function readResult({ id, deferred, approval, result, changedBy }: JournalEntry): CallResult | undefined {
  const placeholder = approval === undefined ? goesOnResult : deferredResult;
  const read: CallResult | undefined = deferred ? { outcome: 'deferred', text: placeholder(id) } : result;
  if (read === undefined || changedBy === undefined) return read;
  return { ...read, text: `${read.text}\n${hookChangedNote()}` };
}
