import type { JsonValue } from '../../lib/json.ts';

/** `open`: it goes on behind the end of the text. `bad`: it is none. */
export type Read<Value> = { readonly value: Value; readonly end: number } | 'open' | 'bad';

/**
 * Reads a value as models write it where JSON is asked for: with single or typographic quotes, names without quotes, a comma
 * too many, line breaks in strings, `True`, `None`, strings of Python. One brace may be missing at the very end, before a tag.
 * `bad` if it is nested deeper than 100 levels. Linear in its length.
 */
export function looseValue(text: string, begin: number, depth = 0): Read<JsonValue> {
  const at = behindBlanks(text, begin);
  const character = text.charAt(at);
  if (character === '') return 'open';
  if (character === '{') return depth >= deepest ? 'bad' : looseObject(text, at + 1, depth + 1);
  if (character === '[') return depth >= deepest ? 'bad' : looseList(text, at + 1, depth + 1);
  return quotes.has(character) ? looseString(text, at) : looseWord(text, at);
}

/** As in `readJson`. */
const deepest = 100;

/** The index of the first character from here that is no blank. */
export function behindBlanks(text: string, begin: number): number {
  blank.lastIndex = begin;
  blank.exec(text);
  return blank.lastIndex;
}

const blank = /[\s\uFEFF]*/y;

function looseObject(text: string, begin: number, depth: number): Read<JsonValue> {
  const entries: [string, JsonValue][] = [];
  for (let at = begin; ; ) {
    at = behindBlanks(text, at);
    if (text[at] === '}') return { value: Object.fromEntries(entries), end: at + 1 };
    const key = looseKey(text, at);
    if (typeof key === 'string') return key;
    at = behindBlanks(text, key.end);
    if (at >= text.length) return 'open';
    if (text[at] !== ':') return 'bad';
    const member = looseValue(text, at + 1, depth);
    if (typeof member === 'string') return member;
    entries.push([key.value, member.value]);
    at = behindBlanks(text, member.end);
    const next = text.charAt(at);
    if (next === '') return 'open';
    if (next === ',') at += 1;
    else if (next !== '}') {
      if (/^[<[]$/.test(text.slice(at))) return 'open';
      // The last brace is forgotten more often than any other.
      const isForgotten = depth === 1 && text[member.end - 1] === '}' && endTag.test(text.slice(at, at + 3));
      return isForgotten ? { value: Object.fromEntries(entries), end: at } : 'bad';
    }
  }
}

const endTag = /^(?:<[/|｜]|\[\/|\[E)/;

function looseKey(text: string, at: number): Read<string> {
  if (quotes.has(text.charAt(at))) return looseString(text, at);
  bareKey.lastIndex = at;
  const [key = ''] = bareKey.exec(text) ?? [];
  if (at + key.length >= text.length) return 'open';
  return key === '' ? 'bad' : { value: key, end: at + key.length };
}

const bareKey = /[A-Za-z_$][\w$-]{0,63}/y;

function looseList(text: string, begin: number, depth: number): Read<JsonValue> {
  const items: JsonValue[] = [];
  for (let at = begin; ; ) {
    at = behindBlanks(text, at);
    if (text[at] === ']') return { value: items, end: at + 1 };
    const item = looseValue(text, at, depth);
    if (typeof item === 'string') return item;
    items.push(item.value);
    at = behindBlanks(text, item.end);
    const next = text.charAt(at);
    if (next === '') return 'open';
    if (next === ',') at += 1;
    else if (next !== ']') return 'bad';
  }
}

/** Marks that begin a string, and those that end it. */
const quotes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['‘', '’'],
]);

function looseString(text: string, at: number): Read<string> {
  const mark = text.charAt(at);
  const close = quotes.get(mark) ?? mark;
  const triple = mark.repeat(3);
  const isStraight = mark === close;
  if (isStraight && text.length - at < 3 && triple.startsWith(text.slice(at)) && text.length - at > 1) return 'open';
  if (isStraight && text.startsWith(triple, at)) {
    const end = text.indexOf(triple, at + 3);
    return end === -1 ? 'open' : { value: text.slice(at + 3, end), end: end + 3 };
  }
  const pieces: string[] = [];
  const stop = stops.get(close) ?? /["\\]/g;
  for (let from = at + 1; ; ) {
    stop.lastIndex = from;
    const found = stop.exec(text);
    if (found === null) return 'open';
    pieces.push(text.slice(from, found.index));
    if (found[0] === close) return { value: pieces.join(''), end: found.index + 1 };
    const escaped = escapeAt(text, found.index);
    if (escaped === undefined) return 'open';
    pieces.push(escaped.value);
    from = escaped.end;
  }
}

const stops: ReadonlyMap<string, RegExp> = new Map([
  ['"', /["\\]/g],
  ["'", /['\\]/g],
  ['”', /[”\\]/g],
  ['’', /[’\\]/g],
]);

function escapeAt(text: string, at: number): { readonly value: string; readonly end: number } | undefined {
  const character = text.charAt(at + 1);
  if (character === '') return undefined;
  if (character === 'u') {
    const digits = text.slice(at + 2, at + 6);
    if (/^[\da-f]{4}$/i.test(digits)) return { value: String.fromCharCode(Number.parseInt(digits, 16)), end: at + 6 };
    if (at + 6 > text.length) return undefined;
  }
  // What is no escape keeps its backslash, as in Python.
  return { value: escapes.get(character) ?? `\\${character}`, end: at + 2 };
}

const escapes: ReadonlyMap<string, string> = new Map([
  ...[...'ntrbf'].map((letter) => [letter, JSON.parse(`"\\${letter}"`)] as const),
  ...[...'"\'\\/'].map((mark) => [mark, mark] as const),
  ['\n', ''],
]);

/** A number, or one of the words for true, false and nothing. At the very end of the text it may still grow. */
function looseWord(text: string, at: number): Read<JsonValue> {
  word.lastIndex = at;
  const [written = ''] = word.exec(text) ?? [];
  if (written === '') return 'bad';
  const end = at + written.length;
  if (end >= text.length) return 'open';
  const value = words.get(written.toLowerCase());
  if (value !== undefined) return { value, end };
  return number.test(written) ? { value: Number(written), end } : 'bad';
}

const word = /[\w.+-]{1,400}/y;
const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const words: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['none', null],
  ['undefined', null],
]);
