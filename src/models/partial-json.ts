import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../lib/json.ts';

/**
 * What is certain of a text of JSON that may break off: each value that is complete, and a string as far as it goes. A
 * number or a word at the very end may still grow, and is left out. Undefined where nothing is certain, or where it is no
 * JSON. Goes over the text once.
 */
export function readPartialJson(text: string): JsonValue | undefined {
  const certain = new CertainText();
  for (let at = 0; at < text.length; ) at = certain.step(text, at);
  return parseJson(text.slice(0, certain.length) + certain.closing);
}

/** How much of a text is certain, and what would make it whole. */
class CertainText {
  length = 0;
  closing = '';
  /** What closes the open brackets, the innermost first. */
  #open = '';
  /** The next string is the name of a member. */
  #isName = false;

  /** Looks at what begins at this place. Returns the place behind it. */
  step(text: string, at: number): number {
    const character = text.charAt(at);
    switch (character) {
      case '{':
      case '[':
        this.#open = (character === '{' ? '}' : ']') + this.#open;
        this.#isName = character === '{';
        this.#keep(at + 1);
        break;
      case '}':
      case ']':
        this.#open = this.#open.slice(1);
        this.#keep(at + 1);
        break;
      case ',':
        this.#isName = this.#open.startsWith('}');
        this.#keep(at);
        break;
      case ':':
        this.#isName = false;
        break;
      case '"':
        return this.#passString(text, at + 1);
    }
    return at + 1;
  }

  #passString(text: string, begin: number): number {
    const { end, isClosed } = stringFrom(text, begin);
    if (!this.#isName) this.#keep(end, isClosed ? '' : '"');
    return isClosed ? end : text.length;
  }

  #keep(length: number, closing = ''): void {
    this.length = length;
    this.closing = closing + this.#open;
  }
}

/** Where the string ends whose contents begin here: behind its quotation mark, or else where its last whole character ends. */
function stringFrom(text: string, begin: number): { readonly end: number; readonly isClosed: boolean } {
  let at = begin;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"') return { end: at + 1, isClosed: true };
    const next = at + (character === '\\' ? (text.charAt(at + 1) === 'u' ? 6 : 2) : 1);
    if (next > text.length) return { end: at, isClosed: false };
    at = next;
  }
  // Half of a character that is written as two.
  return { end: /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at - 1 : at, isClosed: false };
}

/**
 * The arguments of one call while the model writes them. Reading text that breaks off costs as much as the text is long,
 * so it is read again only when it has grown by a quarter: all readings together cost what a few of the whole do.
 */
export class PartialArguments {
  readonly name: string;
  #chunks: string[] = [];
  #length = 0;
  #readAgainAt = smallestStep;
  #lastShown = '{}';

  constructor(name: string) {
    this.name = name;
  }

  /** Everything that the model wrote so far. */
  get text(): string {
    return this.#chunks.join('');
  }

  /** Adds to the text. Returns the arguments so far if they say more than what was returned before. */
  add(delta: string): JsonObject | undefined {
    this.keep(delta);
    if (this.#length < this.#readAgainAt) return undefined;
    this.#readAgainAt = this.#length + Math.max(smallestStep, this.#length * growth);

    const { text } = this;
    return isTooDeep(text) ? undefined : this.#ifNew(readPartialJson(text));
  }

  /** Adds to the text what nobody needs to be shown. */
  keep(delta: string): void {
    this.#chunks.push(delta);
    this.#length += delta.length;
  }

  /** Takes the complete arguments. Returns them if they say more than what was returned before. */
  complete(value: unknown): JsonObject | undefined {
    return this.#ifNew(value);
  }

  #ifNew(value: unknown): JsonObject | undefined {
    if (!isJsonObject(value)) return undefined;
    const shown = JSON.stringify(value);
    if (shown === this.#lastShown) return undefined;
    this.#lastShown = shown;
    return value;
  }
}

/** In characters: fewer are not worth a reading of their own. */
const smallestStep = 8;
const growth = 0.25;

/** Brackets in each other. What is deeper is nobody's data, and overflows the stack of the code that walks it later. */
const deepest = 100;

/** Whether brackets stand too deep in each other in this text of JSON, whole or broken off. Goes over it once. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > deepest) return true;
    at = character === '"' ? endOfString(text, at) : at + 1;
  }
  return false;
}

/** The place behind the string that begins here, or the end of the text. */
function endOfString(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') return at + 1;
    if (character === '\\') at += 1;
  }
  return text.length;
}
