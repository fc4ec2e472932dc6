import { isJsonObject, type JsonValue } from '../../lib/json.ts';
import type { ToolDefinition } from '../../transcript.ts';
import type { AnswerPart, ModelEvent } from '../language-model.ts';
import { nextReading, readPartialJson } from '../partial-json.ts';
import { bareCalls } from './bare-calls.ts';
import { callsIn, isBroken, type WrittenCall } from './call-envelope.ts';
import { createKnownTools } from './known-tools.ts';
import { leadsToCall, showsText } from './leading-words.ts';
import { markdownPosition } from './markdown-position.ts';
import { allCalls, closersAt, markedCalls, type Scan } from './marked-calls.ts';

/** The tags around a call in the text of an answer. */
export const callTag = { begin: '<tool_call>', end: '</tool_call>' } as const;

type CallPart = Extract<AnswerPart, { type: 'call' }>;

interface TextAnswerOptions {
  readonly tools: readonly ToolDefinition[];
  /** Tools that it may call as well, though it was not told of them. */
  readonly undeclared?: readonly ToolDefinition[] | undefined;
  /** What people have read of it already: it goes on from there. */
  readonly before: string;
  /**
   * `anywhere`: the model was asked to write its calls into the text · `end`: it was not, so only calls that end the answer
   * count, and without the marks of a format only those that are all of it.
   */
  readonly reads: 'anywhere' | 'end';
}

/**
 * Reads an answer with calls in its text, while it is written, in any of the forms that models know. A call stands on a line of
 * its own, not in code or a quote. Text is shown at once, except what may become a call. Linear in the length of the answer; in
 * which pieces it comes changes nothing but when text is shown.
 */
export function createTextAnswer({ tools: declared, undeclared = [], before, reads }: TextAnswerOptions) {
  const parts: (CallPart | { readonly type: 'text'; text: string })[] = [];
  const known = createKnownTools([...declared, ...undeclared]);
  const position = markdownPosition();
  /** What may become a call, or is one that is being written. */
  let held = '';
  /** The length of `held` at which it is read again: each reading of an open call costs as much as it is long. */
  let readAgainAt = 0;
  /** Right behind a call, where more marks of its format may stand. */
  let isBehindCall = false;
  /** Behind a call and the blanks after it. */
  let isAfterCall = false;
  let calls = 0;
  /** The arguments of the open call that were shown last. */
  let shown = '{}';
  position.take(before);

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
      if (isBehindCall) {
        if (!takeMarks(isEnd)) break;
        continue;
      }
      const found = scan(isEnd);
      if (found === 'open') {
        if (held.length > shortest) readAgainAt = nextReading(held.length);
        yield* text(delta);
        delta = '';
        if (reads === 'anywhere') yield* show(readPartialCall());
        break;
      }
      if ('text' in found) {
        if (isAfterCall && held.length < longestMarks && held.trim() !== '' && onlyMarks.test(held)) {
          // What a model has botched behind its call is no text.
          if (isEnd) held = '';
          break;
        }
        isAfterCall = false;
        delta += takeText(found.text);
        continue;
      }
      yield* text(delta);
      delta = '';
      held = held.slice(found.length);
      for (const call of found.calls) yield* endCall(call);
      position.takeCall();
      isBehindCall = true;
      isAfterCall = true;
    }
    yield* text(delta);
  }

  /** Takes marks behind a call. Whether all of them are there. */
  function takeMarks(isEnd: boolean): boolean {
    const length = closersAt(held, isEnd);
    if (length === 'open') return false;
    held = held.slice(length);
    if (length > 0) return true;
    // Another mark may come behind the blanks.
    if (!isEnd && held.length < shortest && held.trim() === '') return false;
    isBehindCall = false;
    return true;
  }

  /** What stands at the beginning of what is held. */
  function scan(isEnd: boolean): Scan {
    const place = known.names.length === 0 ? 'none' : position.place();
    if (place === 'none') return { text: 1 };
    const scanning = { tools: known, isEnd };
    const lastWords = position.lastWords();
    if (place === 'sentence')
      return startsMark(held, lastWords) ? ifLast(allCalls(held, scanning), isEnd) : { text: 1 };
    const isShown = showsText(lastWords);
    const marked = reads === 'end' ? ifLast(allCalls(held, scanning), isEnd) : markedCalls(held, scanning);
    if (marked === 'open' || 'calls' in marked) return isShown && marked !== 'open' ? { text: marked.length } : marked;
    const mayBeBare = lastWords === '' || (reads === 'anywhere' && !position.isNested() && leadsToCall(lastWords));
    if (!mayBeBare) return marked;
    const bare = ifLast(
      allCalls(held, { ...scanning, isAll: reads === 'anywhere' && lastWords === '' }, bareCalls),
      isEnd,
    );
    return bare !== 'open' && 'text' in bare ? { text: Math.max(bare.text, marked.text) } : bare;
  }

  /** Calls that count only if nothing follows them. */
  function ifLast(found: Scan, isEnd: boolean): Scan {
    if (found === 'open' || 'text' in found) return found;
    if (held.slice(found.length).trim() !== '') return { text: found.length };
    return isEnd ? found : 'open';
  }

  /** At least so much, and up to where the next call may begin. */
  function takeText(least: number): string {
    const indent = position.place() === 'line' ? (/^ {1,4}/.exec(held)?.[0].length ?? 0) : 0;
    const taken = held.slice(0, indent >= least ? indent : nextPlace(held, least));
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

  function* endCall({ name, arguments: args }: WrittenCall): Generator<ModelEvent> {
    if (typeof args !== 'string') yield* show({ name, arguments: args });
    calls += 1;
    shown = '{}';
    parts.push({ type: 'call', modelCallId: `call_${calls}`, name, arguments: args });
  }

  /** The call that is being written as it is taught, with the arguments so far. Undefined while its name may still grow. */
  function readPartialCall(): { readonly name: string; readonly arguments: JsonValue } | undefined {
    const begin = /^<tool_call>\s{0,64}(?=\{)/.exec(held)?.[0].length;
    const value = begin === undefined ? undefined : readPartialJson(held.slice(begin));
    if (!isJsonObject(value) || /^(?:name|tool|function)$/.test(Object.keys(value).at(-1) ?? '')) return undefined;
    const call = callsIn(value, known)?.[0];
    return call !== undefined && isJsonObject(call.arguments) ? call : undefined;
  }

  /** Skips arguments that have not changed. */
  function* show(call: { readonly name: string; readonly arguments: JsonValue } | undefined): Generator<ModelEvent> {
    if (call === undefined) return;
    const args = JSON.stringify(call.arguments);
    const { name } = call;
    if (args !== shown)
      yield { type: 'partial-call', modelCallId: `call_${calls + 1}`, name, arguments: call.arguments };
    shown = args;
  }

  return {
    ...{ push, end, text },
    endsInCall: () => parts.at(-1)?.type === 'call',
    /** The parts so far, without blank text between calls. */
    parts: (): readonly AnswerPart[] => parts.filter((part) => part.type === 'call' || part.text.trim() !== ''),
    /** Whether calls were written, and none of them so that it can be read. */
    isUnreadable: () => calls > 0 && parts.every((part) => part.type !== 'call' || isBroken(part)),
  };
}

/** Up to this length, what is held is read again with each piece. */
const shortest = 64;

/** Marks of any kind, whole or not, and hardly a word between them. Whatever begins such a text is such a text. */
const onlyMarks =
  /^[\s`'",;|]{0,16}(?:(?:<[^<>\s]{0,60}>|\[\/?[A-Z_]{1,24}\])\s*)*(?:<[^<>\s]{0,60}|\[\/?[A-Z_]{0,24}|<[|｜/]\S*(?:\s\S*){0,2})?$/i;
const longestMarks = 240;

/** Where the next call may begin: on a new line, or at a mark. */
function nextPlace(text: string, from: number): number {
  if (text[from - 1] === '\n') return from;
  const next = /[\n<[]/g;
  next.lastIndex = from;
  const found = next.exec(text);
  if (found === null) return text.length;
  return found[0] === '\n' ? found.index + 1 : found.index;
}

/** A mark that may stand behind a sentence: a special token, or a tag. Tags behind a colon are as often explained. */
function startsMark(text: string, lastWords: string): boolean {
  if (/^(?:<[|｜]|\[(?:t|$))/i.test(text) || text === '<') return true;
  return /^<[a-z]/i.test(text) && !/[:：]\s*$/.test(lastWords);
}
