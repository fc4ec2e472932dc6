import { oneLine } from '../../../lib/plain-text.ts';
import { longestPattern } from '../file-answers.ts';

/** What paths it means. Time and memory are bounded by the lengths of pattern and path, whatever they are. */
export interface Glob {
  /** Whether the path of these names is meant. */
  matches(way: readonly string[]): boolean;
  /** Whether a path that begins with these names may be. */
  mayMatchBelow(way: readonly string[]): boolean;
  /** Whether the pattern names the folder or file literally. */
  names(name: string): boolean;
}

export type GlobParsing =
  | { readonly valid: true; readonly glob: Glob }
  /** The message tells the model what to mend. */
  | { readonly valid: false; readonly message: string };

type Alternative = readonly Segment[];

const mostAlternatives = 100;
/** Of all alternatives together, in UTF-16 units. */
const mostExpanded = 4000;

/**
 * Reads a pattern of `*`, `**`, `?`, `[a-z]`, `[!a]`, `{one,two}`; a backslash takes its meaning from the next character. One
 * without a slash is a name in any folder; one that ends with a slash means all in that folder.
 */
export function parseGlob(pattern: string): GlobParsing {
  const shown = `The pattern "${oneLine(pattern, 100)}"`;
  if (pattern.length > longestPattern) return invalid(`${shown} is too long: at most ${longestPattern} characters.`);
  if (pattern.includes('\0')) return invalid(`${shown} contains a NUL character, which no file name can.`);
  const texts = expandBraces(pattern);
  if (texts === undefined) return invalid(`${shown} has too many alternatives in braces: search in several steps.`);
  if (texts.some(leadsOut)) {
    return invalid(
      `${shown} leads outside the workspace. Give one relative to "path", without ".." and a leading "/" or "~".`,
    );
  }
  const alternatives = texts.map(parseAlternative);
  if (alternatives.some((segments) => segments.length === 0)) return invalid(`${shown} names no file.`);
  const glob: Glob = {
    matches: (way) => alternatives.some((segments) => matchesInOrder(segments, way, isMeant)),
    mayMatchBelow: (way) => alternatives.some((segments) => mayBegin(segments, way)),
    names: (name) => alternatives.some((segments) => segments.some((segment) => segment.literal === name)),
  };
  return { valid: true, glob };
}

function invalid(message: string): GlobParsing {
  return { valid: false, message };
}

function leadsOut(text: string): boolean {
  return /^\/|^~[^/]*(?:\/|$)|^[a-z]:[\\/]/i.test(text) || text.split('/').includes('..');
}

function parseAlternative(text: string): Alternative {
  const whole = text.endsWith('/') ? `${text}**` : text;
  const names = whole.split('/').filter((name) => name !== '' && name !== '.');
  const segments = names.map(parseSegment);
  // What lies in a folder is not the folder, or a file of its name.
  const last = segments.at(-1)?.isStar === true ? [parseSegment('*')] : [];
  const first = whole.includes('/') || segments.length === 0 ? [] : [parseSegment('**')];
  return [...first, ...segments, ...last];
}

function isMeant(segment: Segment, name: string): boolean {
  return segment.matches(name);
}

/** Whether the names fit the beginning of the pattern, and something of it is left. */
function mayBegin(segments: Alternative, way: readonly string[]): boolean {
  for (const [index, name] of way.entries()) {
    const segment = segments[index];
    if (segment === undefined) return false;
    if (segment.isStar) return true;
    if (!segment.matches(name)) return false;
  }
  return segments.length > way.length;
}

/** The patterns without braces that it stands for; undefined if they are too many. */
function expandBraces(pattern: string): readonly string[] | undefined {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const options = expandOnce(next);
    if (options === undefined) done.push(next);
    else open.push(...options);
    const length = [...done, ...open].reduce((sum, { length }) => sum + length, 0);
    if (done.length + open.length > mostAlternatives || length > mostExpanded) return undefined;
  }
  return done;
}

/** With the first braces that hold a comma exchanged for each of their options; undefined if there are none. */
function expandOnce(pattern: string): readonly string[] | undefined {
  for (let start = 0; start < pattern.length; start++) {
    if (pattern[start] === '\\') start++;
    else if (pattern[start] === '{') {
      const cuts = cutsOf(pattern, start);
      if (cuts !== undefined) return optionsOf(pattern, cuts);
    }
  }
  return undefined;
}

/** Where the braces that open here open, are divided, and close; undefined if they do not, or have one option only. */
function cutsOf(pattern: string, start: number): readonly number[] | undefined {
  const cuts = [start];
  let depth = 0;
  for (let index = start; index < pattern.length; index++) {
    const character = pattern[index];
    if (character === '\\') index++;
    else if (character === '{') depth++;
    else if (character === ',' && depth === 1) cuts.push(index);
    else if (character === '}' && --depth === 0) return cuts.length === 1 ? undefined : [...cuts, index];
  }
  return undefined;
}

function optionsOf(pattern: string, cuts: readonly number[]): readonly string[] {
  const head = pattern.slice(0, cuts[0]);
  const tail = pattern.slice((cuts.at(-1) ?? 0) + 1);
  return cuts.slice(1).map((end, index) => `${head}${pattern.slice((cuts[index] ?? 0) + 1, end)}${tail}`);
}

/** Whether there can be anything in the folder that the pattern means. `way`: its names from where the walk began. */
export function mayHold(glob: Glob, way: readonly string[]): boolean {
  const name = way.at(-1) ?? '';
  return glob.mayMatchBelow(way) && (!passedOver.includes(name) || glob.names(name));
}

const passedOver = ['.git', 'node_modules', '.keyturn'];

/** The part of a glob pattern between two slashes. */
interface Segment {
  /** It is `**`: any names, or none. */
  readonly isStar: boolean;
  /** The name that it stands for, if it is only one. */
  readonly literal: string | undefined;
  matches(name: string): boolean;
}

/** What a pattern says of the next of the items that it is matched with. */
interface Part {
  /** Any number of items, rather than one. */
  readonly isStar: boolean;
}

interface Token extends Part {
  /** Undefined if it stands for more than one character. */
  readonly literal?: string;
  fits(character: string): boolean;
}

const star: Token = { isStar: true, fits: () => true };
const anyCharacter: Token = { isStar: false, fits: () => true };

/** Reads `*`, `?`, `[a-z]`, `[!a]` and escaped characters. What is not closed is taken as it stands. */
function parseSegment(text: string): Segment {
  const tokens = tokensOf(Array.from(text));
  const letters = tokens.flatMap(({ literal }) => (literal === undefined ? [] : [literal]));
  return {
    isStar: text === '**',
    literal: letters.length === tokens.length ? letters.join('') : undefined,
    matches: (name) => matchesInOrder(tokens, Array.from(name), (token, character) => token.fits(character)),
  };
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

function tokensOf(characters: readonly string[]): readonly Token[] {
  const tokens: Token[] = [];
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? '';
    const end = character === '[' ? endOfClass(characters, index) : undefined;
    if (character === '*') tokens.push(star);
    else if (character === '?') tokens.push(anyCharacter);
    else if (end !== undefined) {
      tokens.push(classOf(characters.slice(index + 1, end)));
      index = end;
    } else if (character === '\\' && index + 1 < characters.length) {
      index += 1;
      tokens.push(literalOf(characters[index] ?? ''));
    } else tokens.push(literalOf(character));
  }
  return tokens;
}

function literalOf(literal: string): Token {
  return { isStar: false, literal, fits: (character) => character === literal };
}

/** A bracket right at the beginning is one of the characters. */
function endOfClass(characters: readonly string[], start: number): number | undefined {
  const first = isNegation(characters[start + 1]) ? start + 2 : start + 1;
  const end = characters.indexOf(']', first + 1);
  return end === -1 ? undefined : end;
}

function isNegation(character: string | undefined): boolean {
  return character === '!' || character === '^';
}

function classOf(content: readonly string[]): Token {
  const negated = isNegation(content[0]);
  const ranges = rangesOf(negated ? content.slice(1) : content);
  return {
    isStar: false,
    fits: (character) => ranges.some(([from, to]) => from <= character && character <= to) !== negated,
  };
}

function rangesOf(content: readonly string[]): readonly (readonly [string, string])[] {
  const ranges: [string, string][] = [];
  for (let index = 0; index < content.length; index++) {
    const from = content[index] ?? '';
    const to = content[index + 2];
    const isRange = content[index + 1] === '-' && to !== undefined;
    ranges.push([from, isRange ? to : from]);
    if (isRange) index += 2;
  }
  return ranges;
}
