import type { Transcript, TranscriptEntry, Turn } from '../transcript.ts';

/**
 * The newest part of a transcript that fits, and always all that is not answered yet. It begins with what a person or
 * Keyturn said, so that no call is parted from its result. Old results are shortened before anything is left out.
 */
export function fit(transcript: Transcript, maxCharacters: number): readonly TranscriptEntry[] {
  const whole = transcript.entries;
  if (sizeOf(whole) <= maxCharacters) return whole;
  const shortened = whole.map((entry, index) => (index < whole.length - fullEntries ? shorten(entry) : entry));

  let start = 0;
  let size = sizeOf(shortened);
  for (const [index, entry] of shortened.slice(0, beginningOfRun(shortened) + 1).entries()) {
    if (begins(entry)) start = index;
    if (begins(entry) && size <= maxCharacters) break;
    size -= sizeOfEntry(entry);
  }
  return shortened.slice(start);
}

/** So many of the newest entries keep their results in full. */
const fullEntries = 6;
const shortResult = 500;

function begins(entry: TranscriptEntry): boolean {
  return entry.type === 'user' || entry.type === 'event';
}

/** Where the newest run begins: what belongs to it is never left out. */
function beginningOfRun(entries: readonly TranscriptEntry[]): number {
  const newest = entries.findLast((entry): entry is Turn => entry.type === 'turn');
  const first = entries.findIndex((entry) => entry.type === 'turn' && entry.runId === newest?.runId);
  const before = entries.findLastIndex(
    (entry, index) => index < first && (entry.type === 'turn' || entry.type === 'closing'),
  );
  return first === -1 ? 0 : before + 1;
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
            text: `${call.result.text.slice(0, shortResult)}\n[shortened: this result is old]`,
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
