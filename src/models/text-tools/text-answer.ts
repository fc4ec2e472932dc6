import { isJsonObject, type JsonValue } from '../../lib/json.ts';
import type { ToolDefinition } from '../../transcript.ts';
import type { AnswerPart, ModelEvent } from '../language-model.ts';
import { nextReading, readPartialJson } from '../partial-json.ts';
import { bareCalls } from './bare-calls.ts';
import { callsIn, isBroken, type WrittenCall } from './call-envelope.ts';
import { createKnownTools, type KnownTools } from './known-tools.ts';
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
export interface TextAnswer {
  /** Takes the next piece. Gives what there is to show. */
  push(delta: string): Generator<ModelEvent>;
  /** The answer has ended: text held back is shown, and an open call ends. */
  end(): Generator<ModelEvent>;
  /** Adds text that is no call. */
  text(delta: string): Generator<ModelEvent>;
  endsInCall(): boolean;
  /** The parts so far, without blank text between calls. */
  parts(): readonly AnswerPart[];
  /** Whether calls were written, and none of them so that it can be read. */
  isUnreadable(): boolean;
}

export function createTextAnswer(options: TextAnswerOptions): TextAnswer {
  return new AnswerReader(options);
}

class AnswerReader implements TextAnswer {
  readonly #parts: (CallPart | { readonly type: 'text'; text: string })[] = [];
  readonly #known: KnownTools;
  readonly #position = markdownPosition();
  readonly #reads: TextAnswerOptions['reads'];
  /** What may become a call, or is one that is being written. */
  #held = '';
  /** The length of `held` at which it is read again: each reading of an open call costs as much as it is long. */
  #readAgainAt = 0;
  /** Right behind a call, where more marks of its format may stand. */
  #isBehindCall = false;
  /** Behind a call and the blanks after it. */
  #isAfterCall = false;
  #calls = 0;
  /** The arguments of the open call that were shown last. */
  #shown = '{}';

  constructor({ tools: declared, undeclared = [], before, reads }: TextAnswerOptions) {
    this.#known = createKnownTools([...declared, ...undeclared]);
    this.#reads = reads;
    this.#position.take(before);
  }

  *push(delta: string): Generator<ModelEvent> {
    this.#held += delta;
    if (this.#held.length >= this.#readAgainAt) yield* this.#read(false);
  }

  end(): Generator<ModelEvent> {
    return this.#read(true);
  }

  *#read(isEnd: boolean): Generator<ModelEvent> {
    this.#readAgainAt = 0;
    let delta = '';
    while (this.#held !== '') {
      if (this.#isBehindCall) {
        if (!this.#takeMarks(isEnd)) break;
        continue;
      }
      const found = this.#scan(isEnd);
      if (found === 'open') {
        if (this.#held.length > shortest) this.#readAgainAt = nextReading(this.#held.length);
        yield* this.text(delta);
        delta = '';
        if (this.#reads === 'anywhere') yield* this.#show(this.#readPartialCall());
        break;
      }
      if ('text' in found) {
        if (
          this.#isAfterCall &&
          this.#held.length < longestMarks &&
          this.#held.trim() !== '' &&
          onlyMarks.test(this.#held)
        ) {
          // What a model has botched behind its call is no text.
          if (isEnd) this.#held = '';
          break;
        }
        this.#isAfterCall = false;
        delta += this.#takeText(found.text);
        continue;
      }
      yield* this.text(delta);
      delta = '';
      this.#held = this.#held.slice(found.length);
      for (const call of found.calls) yield* this.#endCall(call);
      this.#position.takeCall();
      this.#isBehindCall = true;
      this.#isAfterCall = true;
    }
    yield* this.text(delta);
  }

  /** Takes marks behind a call. Whether all of them are there. */
  #takeMarks(isEnd: boolean): boolean {
    const length = closersAt(this.#held, isEnd);
    if (length === 'open') return false;
    this.#held = this.#held.slice(length);
    if (length > 0) return true;
    // Another mark may come behind the blanks.
    if (!isEnd && this.#held.length < shortest && this.#held.trim() === '') return false;
    this.#isBehindCall = false;
    return true;
  }

  /** What stands at the beginning of what is held. */
  #scan(isEnd: boolean): Scan {
    const place = this.#known.names.length === 0 ? 'none' : this.#position.place();
    if (place === 'none') return { text: 1 };
    const scanning = { tools: this.#known, isEnd };
    const lastWords = this.#position.lastWords();
    if (place === 'sentence')
      return startsMark(this.#held, lastWords) ? this.#ifLast(allCalls(this.#held, scanning), isEnd) : { text: 1 };
    const isShown = showsText(lastWords);
    const marked =
      this.#reads === 'end' ? this.#ifLast(allCalls(this.#held, scanning), isEnd) : markedCalls(this.#held, scanning);
    if (marked === 'open' || 'calls' in marked) return isShown && marked !== 'open' ? { text: marked.length } : marked;
    const mayBeBare =
      lastWords === '' || (this.#reads === 'anywhere' && !this.#position.isNested() && leadsToCall(lastWords));
    if (!mayBeBare) return marked;
    const bare = this.#ifLast(
      allCalls(this.#held, { ...scanning, isAll: this.#reads === 'anywhere' && lastWords === '' }, bareCalls),
      isEnd,
    );
    return bare !== 'open' && 'text' in bare ? { text: Math.max(bare.text, marked.text) } : bare;
  }

  /** Calls that count only if nothing follows them. */
  #ifLast(found: Scan, isEnd: boolean): Scan {
    if (found === 'open' || 'text' in found) return found;
    if (this.#held.slice(found.length).trim() !== '') return { text: found.length };
    return isEnd ? found : 'open';
  }

  /** At least so much, and up to where the next call may begin. */
  #takeText(least: number): string {
    const indent = this.#position.place() === 'line' ? (/^ {1,4}/.exec(this.#held)?.[0].length ?? 0) : 0;
    const taken = this.#held.slice(0, indent >= least ? indent : nextPlace(this.#held, least));
    this.#held = this.#held.slice(taken.length);
    this.#position.take(taken);
    return taken;
  }

  *text(delta: string): Generator<ModelEvent> {
    if (delta === '') return;
    const last = this.#parts.at(-1);
    if (last?.type === 'text') last.text += delta;
    else this.#parts.push({ type: 'text', text: delta });
    yield { type: 'text', delta };
  }

  *#endCall({ name, arguments: args }: WrittenCall): Generator<ModelEvent> {
    if (typeof args !== 'string') yield* this.#show({ name, arguments: args });
    this.#calls += 1;
    this.#shown = '{}';
    this.#parts.push({ type: 'call', modelCallId: `call_${this.#calls}`, name, arguments: args });
  }

  /** The call that is being written as it is taught, with the arguments so far. Undefined while its name may still grow. */
  #readPartialCall(): { readonly name: string; readonly arguments: JsonValue } | undefined {
    const begin = /^<tool_call>\s{0,64}(?=\{)/.exec(this.#held)?.[0].length;
    const value = begin === undefined ? undefined : readPartialJson(this.#held.slice(begin));
    if (!isJsonObject(value) || /^(?:name|tool|function)$/.test(Object.keys(value).at(-1) ?? '')) return undefined;
    const call = callsIn(value, this.#known)?.[0];
    return call !== undefined && isJsonObject(call.arguments) ? call : undefined;
  }

  /** Skips arguments that have not changed. */
  *#show(call: { readonly name: string; readonly arguments: JsonValue } | undefined): Generator<ModelEvent> {
    if (call === undefined) return;
    const args = JSON.stringify(call.arguments);
    const { name } = call;
    if (args !== this.#shown)
      yield { type: 'partial-call', modelCallId: `call_${this.#calls + 1}`, name, arguments: call.arguments };
    this.#shown = args;
  }

  endsInCall(): boolean {
    return this.#parts.at(-1)?.type === 'call';
  }

  parts(): readonly AnswerPart[] {
    return this.#parts.filter((part) => part.type === 'call' || part.text.trim() !== '');
  }

  isUnreadable(): boolean {
    return this.#calls > 0 && this.#parts.every((part) => part.type !== 'call' || isBroken(part));
  }
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
