import type { TranscriptEntry } from '../transcript.ts';
import { sizeOf, sizeOfEntry } from './entry-size.ts';
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
  /** Of what is not kept, about so many tokens at once, the oldest, where a place is found to part it. */
  readonly most?: number;
}

/**
 * What a summary can stand for. Undefined if that is nothing: the newest turn is kept, and what was said in the run that
 * is not answered yet, and nothing begins with an answer.
 */
export function spanOf(entries: readonly TranscriptEntry[], kept: Kept, measure: Measure): SummarySpan | undefined {
  const { most = Number.POSITIVE_INFINITY } = kept;
  const run = beginningOfRun(entries);
  const wanted = startOfKept(entries, kept, measure);
  const task = entries[run];
  const isInRun = wanted > run && task !== undefined && begins(task);
  const end = isInRun ? wanted : beginningNear(entries, wanted, run);
  const span = spanUpTo(entries, end, run);
  if (span === undefined || sizeOf(span.entries, measure) <= most) return span;
  const places = { run: isInRun ? run : entries.length, end, least: most / 2 };
  const start = partingPlace(entries, places, measure);
  return spanUpTo(entries, start, run) ?? span;
}

function spanUpTo(entries: readonly TranscriptEntry[], start: number, run: number): SummarySpan | undefined {
  const left = entries.slice(0, start).filter((entry, index) => index < run || !begins(entry));
  const upToTurn = left.reduce((id, entry) => ('id' in entry ? entry.id : id), 0);
  if (upToTurn === 0) return undefined;
  const firstSeq = entries.flatMap((entry) => ('seq' in entry ? entry.seq : []))[0] ?? 1;
  const upToSeq = left.reduce((seq, entry) => ('seq' in entry ? entry.seq : seq), firstSeq - 1);
  return { entries: left, upToTurn, upToSeq };
}

/** The first place with so much before it at which something new begins: a turn, in the run that is not answered yet. */
function partingPlace(
  entries: readonly TranscriptEntry[],
  { run, end, least }: { readonly run: number; readonly end: number; readonly least: number },
  measure: Measure,
): number {
  let size = 0;
  const place = entries.slice(0, end).findIndex((entry, index) => {
    if (size >= least && (index > run ? 'id' in entry : begins(entry))) return true;
    size += sizeOfEntry(entry, measure);
    return false;
  });
  return place === -1 ? end : place;
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
