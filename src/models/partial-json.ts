import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../lib/json.ts';

/**
 * What is certain of a text of JSON that may break off: each value that is complete, and a string as far as it goes. A
 * number or a word at the very end may still grow, and is left out. Undefined where nothing is certain, or where it is no
 * JSON. Goes over the text once.
 */
export function readPartialJson(text: string): JsonValue | undefined {
  let certain = { length: 0, closing: '' };
  /** What closes the open brackets, the innermost first. */
  let open = '';
  /** The next string is the name of a member. */
  let isName = false;
  const keep = (length: number, closing = ''): void => {
    certain = { length, closing: closing + open };
  };
  for (let at = 0; at < text.length; ) {
    const character = text.charAt(at);
    at += 1;
    switch (character) {
      case '{':
      case '[':
        open = (character === '{' ? '}' : ']') + open;
        isName = character === '{';
        keep(at);
        break;
      case '}':
      case ']':
        open = open.slice(1);
        keep(at);
        break;
      case ',':
        isName = open.startsWith('}');
        keep(at - 1);
        break;
      case ':':
        isName = false;
        break;
      case '"': {
        const { end, isClosed } = stringFrom(text, at);
        if (!isName) keep(end, isClosed ? '' : '"');
        at = isClosed ? end : text.length;
      }
    }
  }
  return parseJson(text.slice(0, certain.length) + certain.closing);
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

export type PartialArguments = ReturnType<typeof partialArguments>;

/**
 * The arguments of one call while the model writes them. Reading text that breaks off costs as much as the text is long,
 * so it is read again only when it has grown by a quarter: all readings together cost what a few of the whole do.
 */
export function partialArguments() {
  let text = '';
  let readAgainAt = smallestStep;
  let lastShown = '{}';

  /** Adds to the text. Returns the arguments so far if they say more than what was returned before. */
  function add(delta: string): JsonObject | undefined {
    text += delta;
    if (text.length < readAgainAt) return undefined;
    readAgainAt = text.length + Math.max(smallestStep, text.length * growth);
    return isTooDeep(text) ? undefined : ifNew(readPartialJson(text));
  }

  /** Takes the complete arguments. Returns them if they say more than what was returned before. */
  function ifNew(value: unknown): JsonObject | undefined {
    if (!isJsonObject(value)) return undefined;
    const shown = JSON.stringify(value);
    if (shown === lastShown) return undefined;
    lastShown = shown;
    return value;
  }

  /** `text`: everything that the model wrote so far. */
  return { text: () => text, add, complete: ifNew };
}

/** In characters: fewer are not worth a reading of their own. */
const smallestStep = 8;
const growth = 0.25;

/** Brackets in each other. What is deeper is nobody's data, and overflows the stack of the code that walks it later. */
const deepest = 100;

/** Whether brackets stand too deep in each other in this text of JSON, whole or broken off. Goes over it once. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    else if (character === '"') at = stringFrom(text, at + 1).end - 1;
    if (depth > deepest) return true;
  }
  return false;
}
