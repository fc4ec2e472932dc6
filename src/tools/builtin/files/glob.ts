/*
 * Patterns for file names. Has its own matcher: libraries build regular expressions, which run forever on hostile
 * patterns, and cannot tell whether a folder may hold a match.
 */
import { oneLine } from '../../../lib/plain-text.ts';
import { longestPattern } from '../file-answers.ts';

const mostAlternatives = 100;
/** For all alternatives together, in UTF-16 units. */
const mostExpanded = 4000;

/** Paths are lists of names from the start of a walk. */
export interface Glob {
  matches(path: readonly string[]): boolean;
  /** Whether a folder with this path can hold a match. */
  mayHold(path: readonly string[]): boolean;
}

/**
 * Parses a pattern of `*`, `**`, `?`, `[a-z]`, `[!a]`, `{one,two}` and escapes by backslash. Without a slash it matches
 * a name in any folder; with a final slash, everything in that folder. Returns a message for the model if it is
 * invalid. Pattern and path length bound time and memory.
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
  if (alternatives.some((parts) => parts.length === 0)) return `${shown} names no file.`;
  const named = new Set(texts.flatMap((text) => text.split('/')));
  return {
    matches: (path: readonly string[]) => alternatives.some((parts) => matchesInOrder(parts, path)),
    mayHold(path) {
      const name = path.at(-1) ?? '';
      return (!passedOver.includes(name) || named.has(name)) && alternatives.some((parts) => mayBegin(parts, path));
    },
  };
}

const passedOver = ['.git', 'node_modules', '.keyturn'];

function leadsOut(text: string): boolean {
  return /^\/|^~[^/]*(?:\/|$)|^[a-z]:[\\/]/i.test(text) || text.split('/').includes('..');
}

/** The first braces with a comma and no other such braces inside: the text before, in and after them. */
const braces =
  /^((?:\\.|[^\\])*?)\{((?:\\.|\{(?:\\.|[^\\{},])*\}|[^\\{},])*(?:,(?:\\.|\{(?:\\.|[^\\{},])*\}|[^\\{},])*)+)\}(.*)$/s;
const comma = /(?<=(?:^|[^\\])(?:\\\\)*),/;

/** All alternatives, without braces; undefined if there are too many. */
function expandBraces(pattern: string): readonly string[] | undefined {
  const done = new Set<string>();
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [, before = '', inner, behind = ''] = braces.exec(next) ?? [];
    if (inner === undefined) done.add(next);
    else open.push(...inner.split(comma).map((each) => before + each + behind));
    const length = [...done, ...open].reduce((sum, { length }) => sum + length, 0);
    if (done.size + open.length > mostAlternatives || length > mostExpanded) return undefined;
  }
  return [...done];
}

/** Matches one item that fits, or any number of items. */
type Part = '*' | ((item: string) => boolean);

/** One part per name of a path; `**` matches any number of names. */
function parseAlternative(text: string): readonly Part[] {
  const whole = text.endsWith('/') ? `${text}**` : text;
  const names = whole.split('/').filter((name) => name !== '' && name !== '.');
  const first = whole.includes('/') || names.length === 0 ? [] : ['**'];
  // A folder's content is neither the folder itself nor a file of its name.
  const last = names.at(-1) === '**' ? ['*'] : [];
  return [...first, ...names, ...last].map((name) => (name === '**' ? '*' : parseName(name)));
}

const tokenPattern = /\\(?<escaped>.)|\[(?:[!^](?<except>.[^\]]*)|(?<among>[^!^][^\]]*))\]|(?<plain>.)/gsu;

/** One part per character of a name. Unclosed brackets are literal. */
function parseName(text: string): Part {
  const parts = Array.from(text.matchAll(tokenPattern), ({ groups = {} }): Part => {
    const { escaped, except, among, plain } = groups;
    if (plain === '*') return '*';
    if (plain === '?') return () => true;
    const literal = escaped ?? plain;
    if (literal !== undefined) return (character) => character === literal;
    const ranges = Array.from((except ?? among ?? '').matchAll(/(.)-(.)|(.)/gsu), ([, from, to, one = '']) => [
      from ?? one,
      to ?? one,
    ]);
    return (character) =>
      ranges.some(([from = '', to = '']) => from <= character && character <= to) === (except === undefined);
  });
  return (name) => matchesInOrder(parts, Array.from(name));
}

/** Whether the names match the start of the pattern, and something of it is left. */
function mayBegin(parts: readonly Part[], path: readonly string[]): boolean {
  for (const [index, name] of path.entries()) {
    const part = parts[index];
    if (part === '*') return true;
    if (part?.(name) !== true) return false;
  }
  return parts.length > path.length;
}

/**
 * Whether the parts match the items from first to last. Only the last star is retried, which is enough: so there are at
 * most as many steps as pairs of a part and an item.
 */
function matchesInOrder(parts: readonly Part[], items: readonly string[]): boolean {
  let at = { part: 0, item: 0 };
  /** The part after the last star, and the item to resume it with. */
  let retry: typeof at | undefined;
  while (at.item < items.length) {
    const wanted = parts[at.part];
    if (wanted === '*') {
      at = { part: at.part + 1, item: at.item };
      retry = at;
    } else if (wanted?.(items[at.item] ?? '') === true) at = { part: at.part + 1, item: at.item + 1 };
    else if (retry === undefined) return false;
    else {
      retry = { part: retry.part, item: retry.item + 1 };
      at = retry;
    }
  }
  return parts.slice(at.part).every((part) => part === '*');
}
