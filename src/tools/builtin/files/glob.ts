/*
 * Patterns for the names of files. A matcher of our own: those of libraries make regular expressions, which take for ever
 * on hostile patterns, and cannot tell whether a folder is worth a look.
 */
import { oneLine } from '../../../lib/plain-text.ts';
import { longestPattern } from '../file-answers.ts';

const mostAlternatives = 100;
/** Of all alternatives together, in UTF-16 units. */
const mostExpanded = 4000;

/**
 * Reads a pattern of `*`, `**`, `?`, `[a-z]`, `[!a]`, `{one,two}`; a backslash takes its meaning from the next character. One
 * without a slash is a name in any folder; one that ends with a slash means all in that folder. What cannot be read gives
 * words for the model instead, on what to mend. Paths are given by their names from where a walk begins. Time and memory are bounded by the lengths of pattern and path.
 */
export function parseGlob(pattern: string) {
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
    /** Whether there can be a match in the folder with this path. */
    mayHold(path: readonly string[]): boolean {
      const name = path.at(-1) ?? '';
      return (!passedOver.includes(name) || named.has(name)) && alternatives.some((parts) => mayBegin(parts, path));
    },
  };
}

const passedOver = ['.git', 'node_modules', '.keyturn'];

function leadsOut(text: string): boolean {
  return /^\/|^~[^/]*(?:\/|$)|^[a-z]:[\\/]/i.test(text) || text.split('/').includes('..');
}

/** The first braces with a comma and no others with one in them: what stands before, in and behind them. */
const braces =
  /^((?:\\.|[^\\])*?)\{((?:\\.|\{(?:\\.|[^\\{},])*\}|[^\\{},])*(?:,(?:\\.|\{(?:\\.|[^\\{},])*\}|[^\\{},])*)+)\}(.*)$/s;
const comma = /(?<=(?:^|[^\\])(?:\\\\)*),/;

/** The patterns without braces that it stands for; undefined if they are too many. */
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

/** What a pattern says of the next of the items that it is matched with: any number of them, or one that fits. */
type Part = '*' | ((item: string) => boolean);

/** For each name of a path; `**` is any number of them. */
function parseAlternative(text: string): readonly Part[] {
  const whole = text.endsWith('/') ? `${text}**` : text;
  const names = whole.split('/').filter((name) => name !== '' && name !== '.');
  const first = whole.includes('/') || names.length === 0 ? [] : ['**'];
  // What lies in a folder is not the folder, or a file of its name.
  const last = names.at(-1) === '**' ? ['*'] : [];
  return [...first, ...names, ...last].map((name) => (name === '**' ? '*' : parseName(name)));
}

const tokenPattern = /\\(?<escaped>.)|\[(?:[!^](?<except>.[^\]]*)|(?<among>[^!^][^\]]*))\]|(?<plain>.)/gsu;

/** For each character of a name. What is not closed is taken as it stands. */
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

/** Whether the names fit the beginning of the pattern, and something of it is left. */
function mayBegin(parts: readonly Part[], path: readonly string[]): boolean {
  for (const [index, name] of path.entries()) {
    const part = parts[index];
    if (part === '*') return true;
    if (part?.(name) !== true) return false;
  }
  return parts.length > path.length;
}

/**
 * Whether the parts fit the items, from the first to the last. Only the last star is tried again, which is enough, so that it
 * takes at most as many steps as there are pairs of a part and an item.
 */
function matchesInOrder(parts: readonly Part[], items: readonly string[]): boolean {
  let at = { part: 0, item: 0 };
  /** Where the last star ends, and the next item that it may take. */
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
