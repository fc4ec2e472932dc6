/*
 * Patterns for the names of files. A matcher of our own: those of libraries make regular expressions, which take for ever
 * on hostile patterns, and cannot tell whether a folder is worth a look.
 */
import { oneLine } from '../../../lib/plain-text.ts';
import { longestPattern } from '../file-answers.ts';

/** What paths a pattern means. A path is given by its names from where a walk begins. */
export interface Glob {
  matches(path: readonly string[]): boolean;
  /** Whether there can be a match in the folder with this path. */
  mayHold(path: readonly string[]): boolean;
}

const mostAlternatives = 100;
/** Of all alternatives together, in UTF-16 units. */
const mostExpanded = 4000;

/**
 * Reads a pattern of `*`, `**`, `?`, `[a-z]`, `[!a]`, `{one,two}`; a backslash takes its meaning from the next character. One
 * without a slash is a name in any folder; one that ends with a slash means all in that folder. What cannot be read gives
 * words for the model instead, on what to mend. Time and memory are bounded by the lengths of pattern and path.
 */
export function parseGlob(pattern: string): Glob | string {
  const shown = `The pattern "${oneLine(pattern, 100)}"`;
  if (pattern.length > longestPattern) return `${shown} is too long: at most ${longestPattern} characters.`;
  if (pattern.includes('\0')) return `${shown} contains a NUL character, which no file name can.`;
  const texts = expandBraces(pattern);
  if (texts === undefined) return `${shown} has too many alternatives in braces: search in several steps.`;
  if (texts.some(leadsOut)) {
    return `${shown} leads outside the workspace. Give one relative to "path", without ".." and a leading "/" or "~".`;
  }
  const alternatives = texts.map(parseAlternative);
  if (alternatives.some((segments) => segments.length === 0)) return `${shown} names no file.`;
  return {
    matches: (path) =>
      alternatives.some((segments) => matchesInOrder(segments, path, ({ tokens }, name) => fits(tokens, name))),
    mayHold(path) {
      const name = path.at(-1) ?? '';
      const isNamed = (segments: readonly Segment[]): boolean => segments.some(({ literal }) => literal === name);
      if (passedOver.includes(name) && !alternatives.some(isNamed)) return false;
      return alternatives.some((segments) => mayBegin(segments, path));
    },
  };
}

const passedOver = ['.git', 'node_modules', '.keyturn'];

function leadsOut(text: string): boolean {
  return /^\/|^~[^/]*(?:\/|$)|^[a-z]:[\\/]/i.test(text) || text.split('/').includes('..');
}

/** The patterns without braces that it stands for; undefined if they are too many. */
function expandBraces(pattern: string): readonly string[] | undefined {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [start, ...ends] = firstBraces(next);
    if (start === undefined) done.push(next);
    let from = start ?? 0;
    for (const end of ends) {
      open.push(next.slice(0, start) + next.slice(from + 1, end) + next.slice((ends.at(-1) ?? 0) + 1));
      from = end;
    }
    const length = [...done, ...open].reduce((sum, { length }) => sum + length, 0);
    if (done.length + open.length > mostAlternatives || length > mostExpanded) return undefined;
  }
  return done;
}

/** Where the first braces with a comma open, are divided, and close; empty if there are none. */
function firstBraces(pattern: string): readonly number[] {
  for (let start = 0; start < pattern.length; start++) {
    if (pattern[start] === '\\') start++;
    else if (pattern[start] === '{') {
      const cuts = [start];
      let depth = 0;
      for (let index = start; index < pattern.length; index++) {
        const character = pattern[index];
        if (character === '\\') index++;
        else if (character === '{') depth++;
        else if (character === ',' && depth === 1) cuts.push(index);
        else if (character === '}' && --depth === 0) {
          if (cuts.length > 1) return [...cuts, index];
          break;
        }
      }
    }
  }
  return [];
}

/** What a pattern says of the next of the items that it is matched with. */
interface Part {
  /** Any number of items, rather than one. */
  readonly isStar: boolean;
}

/** The part of a pattern between two slashes. `**` is a star: any names, or none. */
interface Segment extends Part {
  readonly tokens: readonly Token[];
  /** The name that it stands for, if it is only one. */
  readonly literal: string | undefined;
}

interface Token extends Part {
  /** Undefined if it stands for more than one character. */
  readonly literal?: string;
  fits(character: string): boolean;
}

function parseAlternative(text: string): readonly Segment[] {
  const whole = text.endsWith('/') ? `${text}**` : text;
  const names = whole.split('/').filter((name) => name !== '' && name !== '.');
  const segments = names.map(parseSegment);
  // What lies in a folder is not the folder, or a file of its name.
  const last = segments.at(-1)?.isStar === true ? [parseSegment('*')] : [];
  const first = whole.includes('/') || segments.length === 0 ? [] : [parseSegment('**')];
  return [...first, ...segments, ...last];
}

const tokenPattern = /\\(?<escaped>.)|\[(?:[!^](?<except>.[^\]]*)|(?<among>[^!^][^\]]*))\]|(?<plain>.)/gsu;

/** What is not closed is taken as it stands. */
function parseSegment(text: string): Segment {
  const tokens = Array.from(text.matchAll(tokenPattern), ({ groups = {} }): Token => {
    const { escaped, except, among, plain } = groups;
    if (plain === '*') return { isStar: true, fits: () => true };
    if (plain === '?') return { isStar: false, fits: () => true };
    const literal = escaped ?? plain;
    if (literal !== undefined) return { isStar: false, literal, fits: (character) => character === literal };
    const ranges = Array.from((except ?? among ?? '').matchAll(/(.)-(.)|(.)/gsu), ([, from, to, one = '']) => [
      from ?? one,
      to ?? one,
    ]);
    const isAmong = (character: string): boolean =>
      ranges.some(([from = '', to = '']) => from <= character && character <= to);
    return { isStar: false, fits: (character) => isAmong(character) === (except === undefined) };
  });
  const isLiteral = tokens.every(({ literal }) => literal !== undefined);
  return {
    isStar: text === '**',
    tokens,
    literal: isLiteral ? tokens.map(({ literal }) => literal).join('') : undefined,
  };
}

function fits(tokens: readonly Token[], name: string): boolean {
  return matchesInOrder(tokens, Array.from(name), (token, character) => token.fits(character));
}

/** Whether the names fit the beginning of the pattern, and something of it is left. */
function mayBegin(segments: readonly Segment[], path: readonly string[]): boolean {
  for (const [index, name] of path.entries()) {
    const segment = segments[index];
    if (segment === undefined) return false;
    if (segment.isStar) return true;
    if (!fits(segment.tokens, name)) return false;
  }
  return segments.length > path.length;
}

/**
 * Whether the parts fit the items, from the first to the last. Only the last star is tried again, which is enough, so that it
 * takes at most as many steps as there are pairs of a part and an item.
 */
function matchesInOrder<P extends Part, Item>(
  parts: readonly P[],
  items: readonly Item[],
  fits: (part: P, item: Item) => boolean,
): boolean {
  let [part, item] = [0, 0];
  let retry: { readonly part: number; readonly item: number } | undefined;
  while (item < items.length) {
    const [wanted, found] = [parts[part], items[item]];
    if (wanted?.isStar === true) {
      retry = { part: part + 1, item };
      part += 1;
    } else if (wanted !== undefined && found !== undefined && fits(wanted, found)) {
      part += 1;
      item += 1;
    } else if (retry === undefined) {
      return false;
    } else {
      // The star takes one item more.
      retry = { part: retry.part, item: retry.item + 1 };
      part = retry.part;
      item = retry.item;
    }
  }
  return parts.slice(part).every(({ isStar }) => isStar);
}
