import type { Transcript, TranscriptEntry, UserMessage } from '../transcript.ts';
import { spokenIn } from './speech.ts';

/**
 * The newest part of a transcript that fits, and always all that is not answered yet. It begins with what a person or
 * Keyturn said, so that no call is parted from its result. Old results are shortened before anything is left out, and all
 * of them if that is not enough.
 */
export function fit(transcript: Transcript, maxCharacters: number): readonly TranscriptEntry[] {
  const whole = fromBeginning(transcript.entries);
  if (sizeOf(whole) <= maxCharacters) return whole;
  const shortened = whole.map((entry, index) => (index < whole.length - fullEntries ? shorten(entry) : entry));

  let start = 0;
  let size = sizeOf(shortened);
  for (const [index, entry] of shortened.slice(0, beginningOfRun(shortened) + 1).entries()) {
    if (begins(entry)) start = index;
    if (begins(entry) && size <= maxCharacters) break;
    size -= sizeOfEntry(entry);
  }
  // Even one run can be too long: a request that does not fit would fail, and so would every later one.
  const kept = shortened.slice(start);
  return sizeOf(kept) <= maxCharacters ? kept : kept.map(shorten);
}

/** So many of the newest entries keep their results in full. */
const fullEntries = 6;
const shortResult = 500;

/** A transcript that was cut off when it was read may begin in the middle of a run. */
function fromBeginning(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  return entries.slice(Math.max(0, entries.findIndex(begins)));
}

function begins(entry: TranscriptEntry): boolean {
  return entry.type === 'user' || entry.type === 'event';
}

/** Where the run begins that is not answered yet: what belongs to it is never left out. */
function beginningOfRun(entries: readonly TranscriptEntry[]): number {
  const last = entries.findLastIndex(isTurnOrClosing);
  const newest = entries[last];
  if (newest?.type !== 'turn' || newest.calls.length === 0) return last + 1;
  const first = entries.findIndex((entry) => entry.type === 'turn' && entry.runId === newest.runId);
  return entries.findLastIndex((entry, index) => index < first && isTurnOrClosing(entry)) + 1;
}

function isTurnOrClosing(entry: TranscriptEntry): boolean {
  return entry.type === 'turn' || entry.type === 'closing';
}

function shorten(entry: TranscriptEntry): TranscriptEntry {
  if (entry.type !== 'turn') return entry;
  const calls = entry.calls.map((call) =>
    call.result === undefined || call.result.text.length <= shortResult
      ? call
      : {
          ...call,
          result: {
            ...call.result,
            text: `${call.result.text.slice(0, shortResult).toWellFormed()}\n[shortened: this result is old]`,
          },
        },
  );
  return { ...entry, calls };
}

function sizeOf(entries: readonly TranscriptEntry[]): number {
  return entries.reduce((sum, entry) => sum + sizeOfEntry(entry), 0);
}

function sizeOfEntry(entry: TranscriptEntry): number {
  switch (entry.type) {
    case 'user':
      return entry.text.length + sizeOfFiles(entry);
    case 'event':
      return entry.text.length;
    case 'closing':
      return 0;
    case 'turn': {
      const parts = entry.parts.reduce(
        (sum, part) => sum + (part.type === 'call' ? JSON.stringify(part.arguments).length : part.text.length),
        0,
      );
      return entry.calls.reduce((sum, call) => sum + (call.result?.text.length ?? 0), parts);
    }
  }
}

function sizeOfFiles(message: UserMessage): number {
  const spoken = spokenIn(message).reduce((sum, words) => sum + words.length, 0);
  return spoken + (message.attachments ?? []).length * fileLineLength;
}

/** About as long as the line is that tells of a file. */
const fileLineLength = 100;
