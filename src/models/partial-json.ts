import { isDeeperThan, isJsonObject, type JsonObject, type JsonValue, parseJson } from '../lib/json.ts';

/** The value of a JSON text. Undefined if it is not JSON, or nested too deep. */
export function readJson(text: string): JsonValue | undefined {
  const value = parseJson(text);
  return value === undefined || isDeeperThan(value, deepest) ? undefined : value;
}

/** Levels of brackets. Deeper nesting is not real data, and would overflow the stack of code that walks it. */
const deepest = 100;

/**
 * Reads JSON that may be incomplete: all complete values, and a string as far as it goes. A number or word at the very
 * end may still grow, and is left out. Undefined if nothing is certain, the text is not JSON, or it is nested too deep.
 * Linear in its length.
 */
export function readPartialJson(text: string): JsonValue | undefined {
  let certain = { length: 0, closing: '' };
  /** The closing brackets needed, innermost first. */
  let open = '';
  /** The next string is a member's name. */
  let isName = false;
  const keep = (length: number, closing = ''): void => {
    certain = { length, closing: closing + open };
  };
  for (let at = 0; at < text.length && open.length <= deepest; ) {
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
  return readJson(text.slice(0, certain.length) + certain.closing);
}

/** The end of the string whose content begins here: after its closing quote, or after its last whole character. */
function stringFrom(text: string, begin: number): { readonly end: number; readonly isClosed: boolean } {
  let at = begin;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"') return { end: at + 1, isClosed: true };
    const next = at + (character === '\\' ? (text.charAt(at + 1) === 'u' ? 6 : 2) : 1);
    if (next > text.length) return { end: at, isClosed: false };
    at = next;
  }
  // Half of a surrogate pair.
  return { end: /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at - 1 : at, isClosed: false };
}

/**
 * The length at which a text that has this length is read again. Each reading costs as much as the text is long, so it
 * has to grow by a quarter: all readings together cost as much as a few of the whole.
 */
export function nextReading(length: number): number {
  return length + Math.max(smallestStep, length * growth);
}

/** In characters. */
const smallestStep = 8;
const growth = 0.25;

export type PartialArguments = ReturnType<typeof partialArguments>;

/**
 * Reads the arguments of one call while the model writes them, from all that it has written so far. Undefined if they
 * have not changed since they were last returned, or the text has hardly grown.
 */
export function partialArguments() {
  let readAgainAt = nextReading(0);
  let lastShown = '{}';
  return (text: string, isWhole = false): JsonObject | undefined => {
    if (!isWhole && text.length < readAgainAt) return undefined;
    readAgainAt = nextReading(text.length);
    const value = isWhole ? readJson(text) : readPartialJson(text);
    const shown = JSON.stringify(value);
    if (!isJsonObject(value) || shown === lastShown) return undefined;
    lastShown = shown;
    return value;
  };
}
