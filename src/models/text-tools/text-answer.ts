import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { beginningOfText, readLine } from '../../lib/split/markdown-lines.ts';
import type { AnswerPart, ModelEvent } from '../language-model.ts';
import { nextReading, readJson, readPartialJson, stringFrom } from '../partial-json.ts';

/** The tags around a call in the text of an answer. */
export const callTag = { begin: '<tool_call>', end: '</tool_call>' } as const;

type CallPart = Extract<AnswerPart, { type: 'call' }>;

/**
 * Reads an answer with calls in its text, while it is written. A call is a JSON object in its tags, on a line of its
 * own, not in code or a quote. Text is shown at once, except what may become a call. `takesCalls`: whether there are
 * tools. Linear in the length of the answer, however many pieces it comes in.
 */
export function createTextAnswer(takesCalls: boolean) {
  const parts: (CallPart | { readonly type: 'text'; text: string })[] = [];
  const position = markdownPosition();
  /** What may become a call, or is one that is being written. */
  let held = '';
  /** The length of `held` at which it is read again: each reading of an open call costs as much as it is long. */
  let readAgainAt = 0;
  let calls = 0;
  /** The arguments of the open call that were shown last. */
  let shown = '{}';

  /** Takes the next piece. Gives what there is to show. */
  function* push(delta: string): Generator<ModelEvent> {
    held += delta;
    if (held.length >= readAgainAt) yield* read(false);
  }

  /** The answer has ended: text held back is shown, and an open call ends. */
  const end = (): Generator<ModelEvent> => read(true);

  function* read(isEnd: boolean): Generator<ModelEvent> {
    readAgainAt = 0;
    let delta = '';
    while (held !== '') {
      const call = takesCalls && position.mayBegin() ? callAt(held, isEnd) : 'none';
      if (call === 'unclear') break;
      if (call === 'none') {
        delta += takeText();
        continue;
      }
      yield* text(delta);
      delta = '';
      if (call.end === 'open') {
        readAgainAt = nextReading(held.length);
        yield* show(readPartialCall(call.text));
        break;
      }
      yield* endCall(call, call.end);
    }
    yield* text(delta);
  }

  /** Up to where the next call may begin. */
  function takeText(): string {
    const next = held.indexOf('<', 1);
    const taken = next === -1 ? held : held.slice(0, next);
    held = held.slice(taken.length);
    position.take(taken);
    return taken;
  }

  function* text(delta: string): Generator<ModelEvent> {
    if (delta === '') return;
    const last = parts.at(-1);
    if (last?.type === 'text') last.text += delta;
    else parts.push({ type: 'text', text: delta });
    yield { type: 'text', delta };
  }

  function* endCall({ text, length }: FoundCall, end: CallEnd): Generator<ModelEvent> {
    held = held.slice(length);
    const made = readCall(text, end);
    if (typeof made.arguments !== 'string') yield* show(made);
    calls += 1;
    shown = '{}';
    parts.push({ type: 'call', modelCallId: `call_${calls}`, ...made });
    position.takeCall();
  }

  /** Skips arguments that have not changed. */
  function* show(call: WrittenCall | undefined): Generator<ModelEvent> {
    if (call === undefined) return;
    const args = JSON.stringify(call.arguments);
    if (args !== shown) yield { type: 'partial-call', modelCallId: `call_${calls + 1}`, ...call };
    shown = args;
  }

  return {
    ...{ push, end, text },
    endsInCall: () => parts.at(-1)?.type === 'call',
    /** The parts so far, without blank text between calls. */
    parts: (): readonly AnswerPart[] => parts.filter((part) => part.type === 'call' || part.text.trim() !== ''),
  };
}

/** How a call ended: normally · not as JSON · without its closing tag, before more text · with the answer. */
type CallEnd = keyof typeof faults;

interface FoundCall {
  /** Its JSON, or what is not JSON. */
  readonly text: string;
  /** `open`: it is being written. */
  readonly end: CallEnd | 'open';
  /** With its tags. */
  readonly length: number;
}

/** The call at the beginning of the text. `unclear`: it may become one. */
function callAt(text: string, isEnd: boolean): FoundCall | 'none' | 'unclear' {
  const begin = opening.exec(text)?.[0].length;
  if (begin === undefined)
    return !isEnd && (callTag.begin.startsWith(text) || halfOpening.test(text)) ? 'unclear' : 'none';
  const found = (end: FoundCall['end'], to: number, length = to): FoundCall => {
    return { text: text.slice(begin, to), end, length };
  };
  const toBeContinued = found(isEnd ? 'unfinished' : 'open', text.length);
  const json = jsonEnd(text, begin);
  if (json === undefined) return toBeContinued;
  if (json.isWhole) {
    const behind = text.slice(json.end);
    const [all = '', blanks = '', tag] = /^(\s{0,64})(<\/?tool_call>)?/.exec(behind) ?? [];
    if (tag === callTag.end) return found('closed', json.end, json.end + all.length);
    if (tag === callTag.begin) return found('closed', json.end);
    const rest = behind.trimStart();
    const mayEnd = callTag.end.startsWith(rest);
    if (isEnd && mayEnd) return found('closed', json.end, text.length);
    if ((mayEnd || callTag.begin.startsWith(rest)) && behind.length < mostBlanks)
      return isEnd ? found('closed', json.end) : toBeContinued;
    if (/[\n\r]/.test(blanks)) return found('unclosed', json.end);
  }
  // After broken JSON, everything up to the end tag belongs to the call; after whole JSON, at most the rest of the line.
  const stop = json.isWhole ? /<\/tool_call>|[\n\r]/g : /<\/tool_call>/g;
  stop.lastIndex = json.end;
  const at = stop.exec(text);
  if (at === null) return toBeContinued;
  const isTag = at[0] === callTag.end;
  return found(isTag ? 'broken' : 'unclosed', at.index, isTag ? stop.lastIndex : at.index);
}

/** A tag, and the beginning of its JSON. */
const opening = /^<tool_call>\s{0,64}(?=\{\s{0,64}["}])/;
const halfOpening = /^<tool_call>\s{0,64}(?:\{\s{0,64})?$/;

/** The space allowed before an end tag, in characters. */
const mostBlanks = 64;

/** Where the JSON object that begins here ends, or the first character that cannot be JSON. Undefined if neither. */
function jsonEnd(text: string, begin: number): { readonly end: number; readonly isWhole: boolean } | undefined {
  let depth = 0;
  for (let at = begin; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') {
      const { end, isClosed } = stringFrom(text, at + 1);
      if (!isClosed) return undefined;
      at = end - 1;
    } else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (!plain.test(character)) return { end: at, isWhole: false };
    if (depth === 0) return { end: at + 1, isWhole: true };
  }
  return undefined;
}

/** The characters between strings and brackets: space, punctuation, numbers, and the letters of true, false and null. */
const plain = /[\s\d:,.+\-Eaeflnrstu]/;

interface WrittenCall {
  readonly name: string;
  readonly arguments: JsonValue;
}

/**
 * The call in a tag. If it is unreadable or did not end normally, its arguments are a string that is never JSON and
 * begins with the reason: the tool's validation tells the model, and nothing runs.
 */
function readCall(text: string, end: CallEnd): WrittenCall {
  const value = end === 'closed' ? parseLeniently(text) : undefined;
  const call = isJsonObject(value) ? readEnvelope(value) : undefined;
  return call ?? { name: guessName(text), arguments: `${faults[end]} ${text}` };
}

/** None may begin like JSON. */
const faults = {
  closed: '(no call as JSON:)',
  broken: '(no call as JSON:)',
  unclosed: '(not closed with </tool_call>:)',
  unfinished: '(cut off:)',
} as const;

/** The call with the arguments so far. Undefined while its name may still grow. */
function readPartialCall(text: string): WrittenCall | undefined {
  const value = readPartialJson(text);
  if (!isJsonObject(value) || /^(?:name|tool|function)$/.test(Object.keys(value).at(-1) ?? '')) return undefined;
  const call = readEnvelope(value);
  return isJsonObject(call?.arguments) ? call : undefined;
}

/** In this protocol's keys, or in common ones of others. Undefined if anything is unclear. */
function readEnvelope(value: JsonObject): WrittenCall | undefined {
  const { function: inner, ...outer } = value;
  const envelope: JsonObject = isJsonObject(inner) ? { ...outer, ...inner } : value;
  const name = [envelope.name, envelope.tool, envelope.function].find((word) => typeof word === 'string');
  if (typeof name !== 'string' || name.trim() === '') return undefined;
  const key = argumentKeys.find((word) => Object.hasOwn(envelope, word));
  if (key !== undefined) return { name, arguments: readArguments(envelope[key] ?? {}) };
  // Arguments without their key: running it without any would be a different call.
  return Object.keys(envelope).every((word) => otherKeys.has(word)) ? { name, arguments: {} } : undefined;
}

const argumentKeys = ['arguments', 'parameters', 'args'] as const;
const otherKeys: ReadonlySet<string> = new Set(['name', 'tool', 'function', 'id', 'type']);

/** Some models write the arguments as a string of JSON, as OpenAI's API does. */
function readArguments(written: JsonValue): JsonValue {
  const inner = typeof written === 'string' ? readJson(written) : undefined;
  return isJsonObject(inner) ? inner : written;
}

function parseLeniently(text: string): JsonValue | undefined {
  return readJson(text) ?? (hasControls.test(text) ? readJson(escapeControls(text)) : undefined);
}

const hasControls = /\p{Cc}/u;

/** Escapes line breaks and other controls within strings, as JSON requires. */
function escapeControls(text: string): string {
  const pieces: string[] = [];
  let isString = false;
  let begin = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') isString = !isString;
    else if (isString && character === '\\') at += 1;
    else if (isString && character < ' ') {
      pieces.push(text.slice(begin, at), `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
      begin = at + 1;
    }
  }
  return [...pieces, text.slice(begin)].join('');
}

/** Guesses the tool, so that its validation tells the model. */
function guessName(text: string): string {
  const found = /"(?:name|tool|function)"\s*:\s*"([^"\\]{1,64})"/.exec(text.slice(0, 1000))?.[1];
  return found ?? 'unnamed';
}

/**
 * Tracks whether a call may begin at the end of a streamed text: at the start of a line, outside fences, inline code,
 * quotes, list markers and indented code. Where Markdown is ambiguous, it may not. Reads each character a bounded
 * number of times.
 */
function markdownPosition() {
  let reading = beginningOfText;
  let line = '';
  /** The length of the backtick run that opened inline code in the paragraph; 0 if none is open. */
  let openCode = 0;
  /** After a line that may be a fence or not: from there on it is unknown what is code. */
  let isDoubtful = false;

  function mayBegin(): boolean {
    return line.length < 4 && /^ *$/.test(line) && reading.fence === undefined && openCode === 0 && !isDoubtful;
  }

  function take(text: string): void {
    for (const piece of text.split(/(?<=\n)/)) {
      line += piece;
      if (piece.endsWith('\n')) endLine();
    }
  }

  function endLine(): void {
    const { next } = readLine(line, reading);
    const isCode = next.fence !== undefined || (reading.fence !== undefined && next.last === 'closes-fence');
    isDoubtful ||= !isCode && likeFence.test(line);
    openCode = isCode || next.last === 'blank' ? 0 : codeOpenBehind(line, openCode);
    reading = next;
    line = '';
  }

  /** A call has ended: the text after it counts as the start of a line. */
  function takeCall(): void {
    line = '';
  }

  return { mayBegin, take, takeCall };
}

/** Indented too far for a fence, but perhaps meant as one. */
const likeFence = /^\s*(?:(?:[-*+]|\d+[.)])\s+)*(?:`{3,}[^`]*|~{3,}.*)$/s;

function codeOpenBehind(line: string, before: number): number {
  let open = before;
  const marks = /\\.|`+/gs;
  for (let mark = marks.exec(line); mark !== null; mark = marks.exec(line)) {
    const [{ length }] = mark;
    const isEscape = mark[0].startsWith('\\');
    // A backslash in code is literal.
    if (isEscape && open > 0) marks.lastIndex = mark.index + 1;
    else if (!isEscape && open === 0) open = length;
    else if (open === length) open = 0;
  }
  return open;
}
