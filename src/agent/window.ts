import type { Transcript, TranscriptEntry } from '../transcript.ts';
import { sizeOf, sizeOfEntry } from './entry-size.ts';
import { squeezed, withoutReasoning, withShortResults } from './shorten.ts';
import type { Measure } from './token-gauge.ts';

/**
 * The newest part of a transcript that fits, the newest message always with it, and what is not answered yet as long as
 * there is room. It begins with what a person or Keyturn said, and no call is parted from its result. Old results are
 * shortened first, then old reasoning is left out, then the oldest entries, then the oldest turns of the run that goes
 * on, whose task stays; at last, texts are cut to their beginnings and ends.
 */
export function fit({ entries }: Transcript, room: number, measure: Measure): readonly TranscriptEntry[] {
  const whole = fromBeginning(entries);
  if (sizeOf(whole, measure) <= room) return whole;
  const lean = leanOf(whole);
  const kept = newestPart(lean, room, measure);
  if (sizeOf(kept, measure) <= room) return kept;
  const short = kept.map((entry) => withShortResults(entry));
  if (sizeOf(short, measure) <= room) return short;
  const part = newestOfRun(short, room, measure);
  return sizeOf(part, measure) <= room ? part : squeezedInto(part, room, measure);
}

/** The same without what is needed least: old results in full, and old reasoning. */
export function leanOf(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const run = beginningOfRun(entries);
  return entries.map((entry, index) => {
    const short = index < entries.length - fullEntries ? withShortResults(entry) : entry;
    return index < run ? withoutReasoning(short) : short;
  });
}

/** So many of the newest entries keep their results in full. */
const fullEntries = 6;

/** A transcript that was cut off when it was read may begin in the middle of a run. */
export function fromBeginning(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  return entries.slice(Math.max(0, entries.findIndex(begins)));
}

export function begins(entry: TranscriptEntry): boolean {
  return entry.type === 'user' || entry.type === 'event';
}

/** Where the run begins that is not answered yet, with its task. */
export function beginningOfRun(entries: readonly TranscriptEntry[]): number {
  const last = newestTurn(entries);
  const newest = entries[last];
  if (newest?.type !== 'turn' || newest.calls.length === 0) return last + 1;
  const first = entries.findIndex((entry) => entry.type === 'turn' && entry.runId === newest.runId);
  return entries.findLastIndex((entry, index) => index < first && isTurnOrClosing(entry)) + 1;
}

function newestTurn(entries: readonly TranscriptEntry[]): number {
  return entries.findLastIndex(isTurnOrClosing);
}

function isTurnOrClosing(entry: TranscriptEntry): boolean {
  return entry.type === 'turn' || entry.type === 'closing';
}

/** From the first beginning on with which it fits; if none does, from the run on that is not answered yet. */
function newestPart(entries: readonly TranscriptEntry[], room: number, measure: Measure): readonly TranscriptEntry[] {
  let start = 0;
  let size = sizeOf(entries, measure);
  for (const [index, entry] of entries.slice(0, beginningOfRun(entries) + 1).entries()) {
    if (begins(entry)) start = index;
    if (begins(entry) && size <= room) break;
    size -= sizeOfEntry(entry, measure);
  }
  return entries.slice(start);
}

/** What was said, and the newest turns with their results: the newest of all always. */
function newestOfRun(entries: readonly TranscriptEntry[], room: number, measure: Measure): readonly TranscriptEntry[] {
  const last = newestTurn(entries);
  let size = sizeOf(entries, measure);
  return entries.filter((entry, index) => {
    if (size <= room || begins(entry) || index >= last) return true;
    size -= sizeOfEntry(entry, measure);
    return false;
  });
}

/** Cuts all texts to the same length: the longest with which they fit. If none is enough, the oldest messages go. */
function squeezedInto(entries: readonly TranscriptEntry[], room: number, measure: Measure): readonly TranscriptEntry[] {
  for (const most of lengths) {
    const short = entries.map((entry) => squeezed(entry, most));
    if (sizeOf(short, measure) <= room) return short;
  }
  const shortest = entries.map((entry) => squeezed(entry, lengths.at(-1) ?? 0));
  const newestMessage = shortest.findLastIndex(begins);
  const last = newestTurn(shortest);
  let size = sizeOf(shortest, measure);
  const kept = shortest.filter((entry, index) => {
    // The first is what the run is for, and what a request begins with.
    if (size <= room || index === 0 || index === newestMessage || index === last) return true;
    size -= sizeOfEntry(entry, measure);
    return false;
  });
  return kept;
}

/** In characters. */
const lengths = [8000, 4000, 2000, 1000, 500, 250, 120, 60, 30];
