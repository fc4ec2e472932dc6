import { isJsonObject, type JsonValue, jsonCopy } from '../../lib/json.ts';
import type { Attachment, Call, DaemonEvent, TranscriptEntry, Turn, TurnPart, UserMessage } from '../../transcript.ts';
import type { Measure } from './token-gauge.ts';

/**
 * The newest part of a transcript that fits: always with the newest message, and with the unanswered run as long as
 * there is room. It begins with a message of a person or an event of Keyturn, and never separates a call from its
 * result. In this order, old results are shortened, and old reasoning, the oldest entries, and the oldest turns of the
 * current run (not its task) are left out; finally, texts are cut to their beginnings and ends.
 */
export function fit(entries: readonly TranscriptEntry[], room: number, measure: Measure): readonly TranscriptEntry[] {
  let kept = fromBeginning(entries);
  for (const shorten of [newestPart, withAllResultsShort, newestOfRun, squeezedInto]) {
    if (sizeOf(kept, measure) <= room) return kept;
    kept = shorten(kept, room, measure);
  }
  return kept;
}

type Shorten = (entries: readonly TranscriptEntry[], room: number, measure: Measure) => readonly TranscriptEntry[];

/** Shortens old results, and removes old reasoning. */
export function leanOf(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const run = beginningOfRun(entries);
  return entries.map((entry, index) => {
    const short = index < entries.length - fullEntries ? withShortResults(entry) : entry;
    return index < run ? withoutReasoning(short) : short;
  });
}

/** So many of the newest entries keep their results in full. */
const fullEntries = 6;

/** A partly loaded transcript may begin in the middle of a run. */
export function fromBeginning(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  return entries.slice(Math.max(0, entries.findIndex(begins)));
}

export function begins(entry: TranscriptEntry): entry is UserMessage | DaemonEvent {
  return entry.type === 'user' || entry.type === 'event';
}

/** The index at which the unanswered run begins, with its task. */
export function beginningOfRun(entries: readonly TranscriptEntry[]): number {
  const last = newestTurn(entries);
  const newest = entries[last];
  if (newest?.type !== 'turn' || newest.calls.length === 0) return last + 1;
  const first = entries.findIndex((entry) => entry.type === 'turn' && entry.runId === newest.runId);
  return newestTurn(entries.slice(0, first)) + 1;
}

/** The index of the newest turn or closing; -1 if there is none. */
export function newestTurn(entries: readonly TranscriptEntry[]): number {
  return entries.findLastIndex((entry) => !begins(entry));
}

/** Starts at the oldest message from which the rest fits; otherwise at the unanswered run. */
const newestPart: Shorten = (entries, room, measure) => {
  const lean = leanOf(entries);
  const task = lean.slice(0, beginningOfRun(lean) + 1).findLastIndex(begins);
  return fromBeginning(withoutOldest(lean, { room, measure }, (_, index) => index >= task));
};

const withAllResultsShort: Shorten = (entries) => entries.map((entry) => withShortResults(entry));

/** All messages, and the newest turns with their results: always the very newest. */
const newestOfRun: Shorten = (entries, room, measure) => {
  const last = newestTurn(entries);
  return withoutOldest(entries, { room, measure }, (entry, index) => begins(entry) || index >= last);
};

/** Cuts all texts to the same length, the longest that fits. If none does, drops the oldest messages. */
export const squeezedInto: Shorten = (entries, room, measure) => {
  let short = entries;
  for (const most of lengths) {
    short = entries.map((entry) => squeezed(entry, most));
    if (sizeOf(short, measure) <= room) return short;
  }
  // The first is the task of the run, and what a request must begin with.
  const staying = [0, short.findLastIndex(begins), newestTurn(short)];
  return withoutOldest(short, { room, measure }, (_, index) => staying.includes(index));
};

/** In characters. */
const lengths = [8000, 4000, 2000, 1000, 500, 250, 120, 60, 30];

/** Drops the oldest, except for those that stay, until the rest fits. */
function withoutOldest(
  entries: readonly TranscriptEntry[],
  { room, measure }: { readonly room: number; readonly measure: Measure },
  stays: (entry: TranscriptEntry, index: number) => boolean,
): readonly TranscriptEntry[] {
  let size = sizeOf(entries, measure);
  return entries.filter((entry, index) => {
    if (size <= room || stays(entry, index)) return true;
    size -= sizeOf([entry], measure);
    return false;
  });
}

/** Cuts the entry's results, with a note. */
export function withShortResults(entry: TranscriptEntry): TranscriptEntry {
  const isShort = ({ result }: Call): boolean => result === undefined || result.text.length <= shortResult;
  if (entry.type !== 'turn' || entry.calls.every(isShort)) return entry;
  return withResults(entry, (text) =>
    text.length <= shortResult ? text : `${text.slice(0, shortResult).toWellFormed()}\n[shortened: this result is old]`,
  );
}

/** In characters. */
const shortResult = 500;

function withResults(turn: Turn, cut: (text: string) => string): Turn {
  const calls = turn.calls.map((call) => ({
    ...call,
    result: call.result && { ...call.result, text: cut(call.result.text) },
  }));
  return { ...turn, calls };
}

/** The model does not need its reasoning once the run is over. */
export function withoutReasoning(entry: TranscriptEntry): TranscriptEntry {
  if (entry.type !== 'turn' || !entry.parts.some(({ type }) => type === 'reasoning')) return entry;
  return { ...entry, parts: entry.parts.filter(({ type }) => type !== 'reasoning') };
}

/** Cuts each text of the entry to `most` characters: its beginning and its end. */
function squeezed(entry: TranscriptEntry, most: number): TranscriptEntry {
  switch (entry.type) {
    case 'user': {
      const cut = <Said extends { readonly text: string }>(said: Said): Said => ({
        ...said,
        text: ends(said.text, most),
      });
      return {
        ...cut(entry),
        quote: entry.quote && { ...cut(entry.quote), attachments: squeezedFiles(entry.quote.attachments, most) },
        shared: entry.shared?.map(cut),
        attachments: squeezedFiles(entry.attachments, most),
      };
    }
    case 'event':
      return { ...entry, text: ends(entry.text, most) };
    case 'closing':
      return entry;
    case 'turn':
      return {
        ...withResults(entry, (text) => ends(text, most)),
        parts: entry.parts.flatMap((part) => squeezedPart(part, most)),
      };
  }
}

function squeezedFiles(files: UserMessage['attachments'], most: number): UserMessage['attachments'] {
  return files?.map((one) =>
    one.state === 'saved' && one.transcript !== undefined ? { ...one, transcript: ends(one.transcript, most) } : one,
  );
}

function squeezedPart(part: TurnPart, most: number): readonly TurnPart[] {
  switch (part.type) {
    case 'text':
      return [{ ...part, text: ends(part.text, most, ownMark) }];
    // A provider that signs reasoning accepts it whole or not at all.
    case 'reasoning':
      return part.text.length <= most ? [part] : [];
    case 'call':
      return [
        JSON.stringify(part.arguments).length <= most
          ? part
          : { ...part, arguments: squeezedArguments(part.arguments, most) },
      ];
  }
}

/** Keeps the names, since the model learns from its own calls how to make one. Providers accept only an object. */
function squeezedArguments(args: JsonValue, most: number): JsonValue {
  const shortened = { shortened: ends(JSON.stringify(args), most) };
  if (!isJsonObject(args)) return shortened;
  const short = jsonCopy(args, (_name, one) => (typeof one === 'string' ? ends(one, most / 4, ownMark) : one));
  return JSON.stringify(short).length <= most ? short : shortened;
}

/** The beginning and the end of a text, `most` characters in all, with a mark between them. */
export function ends(text: string, most: number, mark = shortenedMark): string {
  if (text.length <= most) return text;
  const half = Math.max(0, Math.floor((most - mark.length) / 2));
  return `${text.slice(0, half)}${mark}${half === 0 ? '' : text.slice(-half)}`.toWellFormed();
}

/** The same in about so many bytes, which is what tokens are counted by: in Chinese, a third of the characters. */
export function endsWithin(text: string, bytes: number): string {
  const size = Buffer.byteLength(text);
  return size <= bytes ? text : ends(text, Math.floor((bytes * text.length) / size));
}

const shortenedMark = ' [shortened] ';
/** In the model's own words, which it imitates. */
const ownMark = ' … ';

/** The size of entries in a request, without their pictures. */
export function sizeOf(entries: readonly TranscriptEntry[], measure: Measure): number {
  let size = 0;
  for (const entry of entries) {
    const whole = measure.ofAll?.(entry, () => textsOf(entry));
    size += whole ?? textsOf(entry).reduce((sum, text) => sum + measure(text), 0);
  }
  return size;
}

function textsOf(entry: TranscriptEntry): readonly string[] {
  switch (entry.type) {
    case 'user': {
      const { text, quote, shared = [], attachments = [], sentAt } = entry;
      const said = [sentAt === undefined ? '' : timeLine, text, quote?.text ?? '', ...shared.map((one) => one.text)];
      const files = [...attachments, ...(quote?.attachments ?? [])];
      return [...said, ...files.flatMap(spokenIn), ...linesOf(files)];
    }
    case 'event':
      return [entry.text, ...linesOf(entry.pictures)];
    case 'closing':
      return [entry.said ?? ''];
    case 'turn': {
      const parts = entry.parts.map((part) => (part.type === 'call' ? JSON.stringify(part.arguments) : part.text));
      const results = entry.calls.flatMap(({ result }) => result ?? []);
      return [...parts, ...results.flatMap(({ text, pictures }) => [text, ...linesOf(pictures)])];
    }
  }
}

function linesOf(files: readonly unknown[] = []): readonly string[] {
  return files.map(() => fileLine);
}

/** About as long as the line that describes a file. */
const fileLine = 'x'.repeat(100);

/** About as long as the line that tells when a message was sent. */
const timeLine = 'x'.repeat(65);

export function spokenIn(attachment: Attachment): readonly string[] {
  return attachment.state === 'saved' && attachment.transcript !== undefined ? [attachment.transcript] : [];
}
