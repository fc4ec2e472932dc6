import type { TranscriptEntry } from '../transcript.ts';
import { sizeOfEntry } from './entry-size.ts';
import type { Measure } from './token-gauge.ts';
import { beginningOfRun, begins } from './window.ts';

/** The oldest part of a transcript, which a summary is to stand for. */
export interface SummarySpan {
  readonly entries: readonly TranscriptEntry[];
  readonly upToTurn: number;
  readonly upToSeq: number;
}

/** How much is kept as it is: the newest so many tokens, but not more turns than that. */
export interface Kept {
  readonly tokens: number;
  readonly turns: number;
}

/**
 * What a summary can stand for. Undefined if that is nothing: the newest turn is kept, and what was said in the run that
 * is not answered yet, and nothing begins with an answer.
 */
export function spanOf(entries: readonly TranscriptEntry[], kept: Kept, measure: Measure): SummarySpan | undefined {
  const run = beginningOfRun(entries);
  const wanted = startOfKept(entries, kept, measure);
  const task = entries[run];
  const isInRun = wanted > run && task !== undefined && begins(task);
  const start = isInRun ? wanted : beginningNear(entries, wanted, run);
  const left = entries.slice(0, start).filter((entry, index) => index < run || !begins(entry));
  const upToTurn = left.reduce((id, entry) => ('id' in entry ? entry.id : id), 0);
  if (upToTurn === 0) return undefined;
  const firstSeq = entries.flatMap((entry) => ('seq' in entry ? entry.seq : []))[0] ?? 1;
  const upToSeq = left.reduce((seq, entry) => ('seq' in entry ? entry.seq : seq), firstSeq - 1);
  return { entries: left, upToTurn, upToSeq };
}

function startOfKept(entries: readonly TranscriptEntry[], { tokens, turns }: Kept, measure: Measure): number {
  const newestTurn = entries.findLastIndex((entry) => 'id' in entry);
  let size = 0;
  let count = 0;
  for (const [index, entry] of [...entries.entries()].reverse()) {
    size += sizeOfEntry(entry, measure);
    if ('id' in entry) count += 1;
    if (index < newestTurn && (size > tokens || count > turns)) return index + 1;
  }
  return 0;
}

/** What is kept begins with what somebody said: at best a little later, otherwise a little earlier. */
function beginningNear(entries: readonly TranscriptEntry[], wanted: number, run: number): number {
  const newestTurn = entries.findLastIndex((entry) => 'id' in entry);
  const latest = Math.min(run, newestTurn);
  const later = entries.findIndex((entry, index) => index >= wanted && index <= latest && begins(entry));
  if (later !== -1) return later;
  return Math.max(
    0,
    entries.findLastIndex((entry, index) => index < wanted && begins(entry)),
  );
}
