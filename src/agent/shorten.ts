import type { JsonValue } from '../lib/json.ts';
import { isJsonObject } from '../lib/json.ts';
import type { TranscriptEntry, Turn, TurnPart } from '../transcript.ts';

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
      return { ...entry, text: ends(entry.text, most), ...quoteOf(entry, most), ...attachmentsOf(entry, most) };
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
