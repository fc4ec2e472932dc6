import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../lib/json.ts';
import { safeError } from './safe-error.ts';
import type { Scrubber } from './scrub.ts';

/** Fields whose values are words of ours. */
const plainFields: ReadonlySet<string> = new Set([
  'status',
  'state',
  'kind',
  'type',
  'outcome',
  'code',
  'event',
  'stage',
  'signal',
]);
const longestWord = 60;

/** What is shown of a log, and how much of it is no line of the log. */
export interface SafeLog {
  readonly lines: readonly JsonObject[];
  /** Lines that are no JSON: the first ones, which have the claim code. */
  readonly leftOut: number;
}

/** The last lines, each with its message if Keyturn's code has it, its figures and where an error came from; free texts and ids are not shown. */
export function safeLog(lines: readonly string[], most: number, scrubber: Scrubber): SafeLog {
  const entries = lines.map((line) => parseJson(line)).filter(isJsonObject);
  return {
    lines: entries.slice(-most).map((entry) => safeEntry(entry, scrubber)),
    leftOut: lines.length - entries.length,
  };
}

function safeEntry({ level, time, msg, ...fields }: JsonObject, scrubber: Scrubber): JsonObject {
  const rest = Object.entries(fields).map(([key, value]) => [
    scrubber.text(key.slice(0, longestWord)),
    safeField(key, value, scrubber),
  ]);
  const at = typeof time === 'number' ? { time: new Date(time).toISOString() } : {};
  const known = typeof level === 'number' ? { level } : {};
  const said = typeof msg === 'string' ? { msg: scrubber.own.hasText(msg) ? msg : leftOut(msg) } : {};
  return { ...known, ...at, ...said, ...Object.fromEntries(rest) };
}

function safeField(key: string, value: JsonValue, scrubber: Scrubber): JsonValue {
  if (value === null || typeof value === 'boolean') return value;
  if (key === 'err' && isJsonObject(value)) return safeError(value, scrubber);
  if (isId(key) && (typeof value === 'string' || typeof value === 'number')) return scrubber.id(String(value));
  if (typeof value === 'number')
    return Math.abs(value) < 1e5 || /secs|ms|bytes|tokens|cost|count/i.test(key) ? value : '<number>';
  if (typeof value !== 'string') return Array.isArray(value) ? `<${value.length} entries>` : '<object>';
  if (key === 'channel') return channelWords(value, scrubber);
  return plainFields.has(key) && /^[\w.-]+$/.test(value) ? scrubber.text(value.slice(0, longestWord)) : leftOut(value);
}

/** Each plugin may name its channel as it likes. */
export function channelWords(name: string, { own, id }: Pick<Scrubber, 'own' | 'id'>): string {
  return own.channels.has(name) ? name : id(name);
}

function leftOut(text: string): string {
  return `<text of ${text.length}>`;
}

function isId(key: string): boolean {
  return /(?:id|key|conversation|principal|person|sender|chat|run|call|approval|device|actor|slot)s?$/i.test(key);
}
