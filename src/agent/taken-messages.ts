import type { TranscriptEntry } from '../transcript.ts';
import type { Ask } from './next-step.ts';
import type { RunState } from './run-store.ts';

/** The messages that a run answers, by the platform's names, the oldest first. */
export function messageIdsOf({ transcript }: RunState, { run, seenSeq }: Ask): readonly string[] {
  const isBefore = (entry: TranscriptEntry): boolean =>
    (entry.type === 'turn' && entry.runId !== run.runId) || entry.type === 'closing';
  return transcript.entries
    .slice(transcript.entries.findLastIndex(isBefore) + 1)
    .flatMap((entry) =>
      entry.type === 'user' && entry.principal === run.principal && entry.seq <= seenSeq ? (entry.messageId ?? []) : [],
    );
}
