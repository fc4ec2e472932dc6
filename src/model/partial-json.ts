import { type JsonValue, parseJson } from '../lib/json.ts';

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
