import type { AnswerPiece } from '../answer-source.ts';

/** A piece of a call as a server sent it. */
export interface CallDelta {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly arguments: string;
  /** Gemini's, of the thoughts behind the call. */
  readonly signature: string | undefined;
}

export interface CalledTools {
  /** Throws `NamelessCall`. */
  take(delta: CallDelta): readonly AnswerPiece[];
  /** The calls as they are in the end. Throws `NamelessCall`. */
  end(): readonly AnswerPiece[];
}

/** A call has arguments, but nothing says of which tool. */
export class NamelessCall extends Error {
  override readonly name = 'NamelessCall';
}

/**
 * Puts the calls of one answer together. Pieces belong to a call by its index and id, as far as a server sends them: some use
 * an index or an id for several calls, give new ids with each piece, or send neither. What could belong to two calls is left
 * out.
 */
export function createCalledTools(key: string): CalledTools {
  return new CallAssembly(key);
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly indexes: Set<number>;
  /** As the server gave them. */
  readonly ids: Set<string>;
  readonly signature: string | undefined;
  readonly text: CallText;
}

/** What came of a call before its name. */
interface Waiting {
  id: string | undefined;
  arguments: string;
  signature: string | undefined;
}

/** In characters. The name comes with the first piece, or soon after it. */
const longestNameless = 1_000_000;
/** What a piece counts for at least. */
const shortestPiece = 100;

type Match = Call | 'new' | 'unclear';

class CallAssembly implements CalledTools {
  readonly #key: string;
  readonly #calls: Call[] = [];
  readonly #used = new Set<string>();
  /** By index. Undefined once the name is known. */
  readonly #waiting = new Map<number, Waiting | undefined>();
  /** In characters, of all that has no name yet. */
  #nameless = 0;

  constructor(key: string) {
    this.#key = key;
  }

  take(delta: CallDelta): readonly AnswerPiece[] {
    const { index, name } = delta;
    if (index === undefined || (this.#waiting.has(index) && this.#waiting.get(index) === undefined))
      return this.#takeNamed(delta);
    const waiting = this.#waiting.get(index);
    const id = waiting?.id ?? delta.id;
    const signature = waiting?.signature ?? delta.signature;
    const whole: CallDelta = { index, id, name, signature, arguments: (waiting?.arguments ?? '') + delta.arguments };
    this.#waiting.set(index, name === undefined ? whole : undefined);
    if (name !== undefined) return this.#takeNamed(whole);
    this.#nameless += shortestPiece + delta.arguments.length;
    if (this.#nameless > longestNameless) throw new NamelessCall('no name');
    return [];
  }

  end(): readonly AnswerPiece[] {
    for (const [index, waiting] of this.#waiting)
      if (waiting !== undefined) this.#takeNamed({ ...waiting, index, name: undefined });
    return inOrder(this.#calls).map(({ id, name, text, signature }) => {
      const call = { type: 'tool-call', toolCallId: id, toolName: name, input: text.value } as const;
      return signature === undefined
        ? call
        : { ...call, providerMetadata: { [this.#key]: { thoughtSignature: signature } } };
    });
  }

  #takeNamed(delta: CallDelta): readonly AnswerPiece[] {
    const match = this.#matchOf(delta);
    if (match === 'unclear') return [];
    // An empty name goes on with a call, but begins none.
    if (match === 'new' && delta.name !== undefined && delta.name.trim() === '') return [];
    const call = match === 'new' ? this.#begin(delta) : match;
    if (delta.index !== undefined) call.indexes.add(delta.index);
    if (delta.id !== undefined && delta.id.trim() !== '') call.ids.add(delta.id);
    call.text.add(delta.arguments);
    const { id } = call;
    const begun = match === 'new' ? [{ type: 'tool-input-start', id, toolName: call.name } as const] : [];
    return delta.arguments === '' ? begun : [...begun, { type: 'tool-input-delta', id, delta: delta.arguments }];
  }

  #begin({ id, name, signature }: CallDelta): Call {
    if (name === undefined) throw new NamelessCall('no name');
    const wanted = id === undefined || id.trim() === '' ? 'call' : id;
    let free = wanted;
    for (let count = 2; this.#used.has(free); count += 1) free = `${wanted}_${count}`;
    this.#used.add(free);
    const call = {
      id: free,
      name,
      indexes: new Set<number>(),
      ids: new Set<string>(),
      signature,
      text: new CallText(),
    };
    this.#calls.push(call);
    return call;
  }

  /** The call that it goes on with. */
  #matchOf({ index, id: given, name: written, arguments: text }: CallDelta): Match {
    const id = given === undefined || given.trim() === '' ? undefined : given;
    const name = written === undefined || written.trim() === '' ? undefined : written;
    const begins = name !== undefined && /^\s*[[{]/.test(text);
    const ofIndex = index === undefined ? [] : this.#calls.filter(({ indexes }) => indexes.has(index));
    const alike = ofIndex.filter((call) => name === undefined || call.name === name);
    if (id === undefined) {
      if (ofIndex.length > 0) return oneOf(alike, begins);
      return name === undefined ? oneOf(this.#calls, false) : 'new';
    }
    const ofId = this.#calls.filter(({ ids }) => ids.has(id));
    if (ofId.length === 0) {
      // A server that gives each piece an id of its own.
      if (alike.length === 0 || begins) return 'new';
      return oneOf(alike, name !== undefined && text.trim() === '');
    }
    if (index === undefined) {
      return name === undefined
        ? oneOf(ofId, false)
        : oneOf(
            ofId.filter((call) => call.name === name),
            begins,
          );
    }
    const both = oneOf(
      alike.filter((call) => ofId.includes(call)),
      begins,
    );
    if (both !== 'new' || name !== undefined) return both;
    return ofIndex.length > 0 ? 'unclear' : oneOf(ofId, false);
  }
}

/** `mayBegin`: the piece looks like the beginning of a call, so a call with whole arguments does not go on. */
function oneOf(candidates: readonly Call[], mayBegin: boolean): Match {
  const [first, second] = candidates;
  if (first === undefined) return 'new';
  if (second === undefined && !mayBegin) return first;
  const [open, other] = candidates.filter(({ text }) => !text.isWhole());
  if (open !== undefined) return other === undefined ? open : 'unclear';
  return mayBegin ? 'new' : 'unclear';
}

/** By index if each call has one; otherwise as they began. */
function inOrder(calls: readonly Call[]): readonly Call[] {
  const placed = calls.flatMap((call) => [...call.indexes].slice(0, 1).map((index) => ({ call, index })));
  return placed.length < calls.length ? calls : placed.sort((a, b) => a.index - b.index).map(({ call }) => call);
}

/** The arguments of a call while they are written. */
class CallText {
  value = '';
  #read = 0;
  #state: 'before' | 'inside' | 'whole' | 'other' = 'before';
  /** What closes the brackets that are open. */
  readonly #closing: string[] = [];
  #isInString = false;
  #isEscaped = false;

  add(text: string): void {
    this.value += text;
  }

  /** Whether an object or a list is complete: a number may always go on. Reads each character once. */
  isWhole(): boolean {
    for (; this.#read < this.value.length; this.#read += 1) this.#take(this.value.charAt(this.#read));
    return this.#state === 'whole';
  }

  #take(character: string): void {
    const closing = closingOf[character];
    if (this.#state === 'before' && closing === undefined && character.trim() !== '') this.#state = 'other';
    if (this.#state === 'before' && closing !== undefined) this.#state = 'inside';
    if (this.#state !== 'inside') return;
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isInString && character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#isInString = !this.#isInString;
    else if (this.#isInString) return;
    else if (closing !== undefined) this.#closing.push(closing);
    else if (character === '}' || character === ']') this.#close(character);
  }

  #close(character: string): void {
    if (this.#closing.pop() !== character) this.#state = 'other';
    else if (this.#closing.length === 0) this.#state = 'whole';
  }
}

const closingOf: Readonly<Record<string, string>> = { '{': '}', '[': ']' };
