import { isJsonObject, type JsonValue } from '../../lib/json.ts';
import type {
  Attachment,
  CallResult,
  Transcript,
  TranscriptEntry,
  Turn,
  TurnPart,
  UserMessage,
} from '../../transcript.ts';
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

/** The entry with its results cut to so many characters, and a word that says so. */
export function withShortResults(entry: TranscriptEntry, most: number = shortResult): TranscriptEntry {
  if (entry.type !== 'turn') return entry;
  const calls = entry.calls.map((call) =>
    call.result === undefined || call.result.text.length <= most
      ? call
      : {
          ...call,
          result: {
            ...call.result,
            text: `${call.result.text.slice(0, most).toWellFormed()}\n[shortened: this result is old]`,
          },
        },
  );
  return { ...entry, calls };
}

const shortResult = 500;

/** What the model thought on its way to an answer is of no use to it once the run is over. */
export function withoutReasoning(entry: TranscriptEntry): TranscriptEntry {
  if (entry.type !== 'turn' || entry.parts.every(({ type }) => type !== 'reasoning')) return entry;
  return { ...entry, parts: entry.parts.filter(({ type }) => type !== 'reasoning') };
}

/** The entry with each of its texts cut to so many characters at most: their beginnings and their ends are kept. */
export function squeezed(entry: TranscriptEntry, most: number): TranscriptEntry {
  switch (entry.type) {
    case 'user':
      return {
        ...{ ...entry, text: ends(entry.text, most) },
        ...{ ...quoteOf(entry, most), ...sharedOf(entry, most), ...attachmentsOf(entry, most) },
      };
    case 'event':
      return { ...entry, text: ends(entry.text, most) };
    case 'closing':
      return entry;
    case 'turn':
      return squeezedTurn(entry, most);
  }
}

type Said = Extract<TranscriptEntry, { type: 'user' }>;

function quoteOf({ quote }: Said, most: number): Pick<Said, 'quote'> {
  return quote === undefined ? {} : { quote: { ...quote, text: ends(quote.text, most) } };
}

function sharedOf({ shared }: Said, most: number): Pick<Said, 'shared'> {
  return shared === undefined ? {} : { shared: shared.map((one) => ({ ...one, text: ends(one.text, most) })) };
}

function attachmentsOf({ attachments }: Said, most: number): Pick<Said, 'attachments'> {
  if (attachments === undefined) return {};
  return {
    attachments: attachments.map((one) =>
      one.state === 'saved' && one.transcript !== undefined ? { ...one, transcript: ends(one.transcript, most) } : one,
    ),
  };
}

function squeezedTurn(turn: Turn, most: number): Turn {
  const parts = turn.parts.flatMap((part) => squeezedPart(part, most));
  const calls = turn.calls.map((call) =>
    call.result === undefined ? call : { ...call, result: { ...call.result, text: ends(call.result.text, most) } },
  );
  return { ...turn, parts, calls };
}

function squeezedPart(part: TurnPart, most: number): readonly TurnPart[] {
  switch (part.type) {
    case 'text':
      return [{ ...part, text: ends(part.text, most) }];
    // A provider that signs it wants it whole or not at all.
    case 'reasoning':
      return part.text.length <= most ? [part] : [];
    case 'call':
      return [{ ...part, arguments: squeezedValue(part.arguments, most) }];
  }
}

function squeezedValue(value: JsonValue, most: number): JsonValue {
  if (JSON.stringify(value).length <= most) return value;
  if (typeof value === 'string') return ends(value, most);
  if (!isJsonObject(value)) return {};
  const fields = Object.entries(value).slice(0, mostFields);
  const each = Math.floor(most / Math.max(1, fields.length));
  return Object.fromEntries(fields.map(([key, field]) => [ends(key, each), shortField(field, each)]));
}

function shortField(field: JsonValue, most: number): JsonValue {
  if (typeof field === 'string') return ends(field, most);
  const json = JSON.stringify(field);
  return json.length <= most ? field : ends(json, most);
}

const mostFields = 20;

/** The beginning and the end of a text, as many characters in all, with a mark between them. */
export function ends(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.max(0, Math.floor((most - mark.length) / 2));
  return `${text.slice(0, half)}${mark}${half === 0 ? '' : text.slice(-half)}`.toWellFormed();
}

const mark = ' [shortened] ';

export function sizeOf(entries: readonly TranscriptEntry[], measure: Measure): number {
  return entries.reduce((sum, entry) => sum + sizeOfEntry(entry, measure), 0);
}

/** How much room an entry takes in a request, without its pictures. */
export function sizeOfEntry(entry: TranscriptEntry, measure: Measure): number {
  switch (entry.type) {
    case 'user':
      return [entry.text, entry.quote?.text ?? '', ...(entry.shared ?? []).map(({ text }) => text)].reduce(
        (sum, words) => sum + measure(words),
        sizeOfFiles(entry, measure),
      );
    case 'event':
      return measure(entry.text) + sizeOfLines(entry.pictures, measure);
    case 'closing':
      return measure(entry.said ?? '');
    case 'turn': {
      const parts = entry.parts.reduce((sum, part) => sum + measure(wordsOf(part)), 0);
      return entry.calls.reduce((sum, { result }) => sum + sizeOfResult(result, measure), parts);
    }
  }
}

function sizeOfResult(result: CallResult | undefined, measure: Measure): number {
  return result === undefined ? 0 : measure(result.text) + sizeOfLines(result.pictures, measure);
}

function wordsOf(part: TurnPart): string {
  return part.type === 'call' ? JSON.stringify(part.arguments) : part.text;
}

function sizeOfFiles(message: UserMessage, measure: Measure): number {
  const spoken = (message.attachments ?? []).flatMap(spokenIn).reduce((sum, words) => sum + measure(words), 0);
  return spoken + sizeOfLines(message.attachments, measure);
}

function sizeOfLines(files: readonly unknown[] = [], measure: Measure): number {
  return files.reduce((sum: number) => sum + measure(fileLine), 0);
}

/** About as long as the line is that tells of a file. */
const fileLine = 'x'.repeat(100);

/** What was spoken in it, if it was made out. */
export function spokenIn(attachment: Attachment): readonly string[] {
  return attachment.state === 'saved' && attachment.transcript !== undefined ? [attachment.transcript] : [];
}
