/** What an edit of a file replaces, or why it can't, and how the change looks. Pure. */
import { fenced, reveal } from '../../../lib/plain-text.ts';
import type { Language } from '../../../lib/words.ts';
import { formatSize, wholeEnd } from '../../text.ts';
import { findLookAlike } from './look-alikes.ts';
import { type EditFault, fileWords } from './words.ts';

/** With the line ends of the content. */
export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
}

/** An edit that can be done, or cannot: `reason` is for the model, `fault` for people. */
export type FoundText = ({ readonly type: 'found'; readonly count: number } & Replacement) | ImpossibleEdit;

export interface ImpossibleEdit {
  readonly type: 'impossible';
  readonly reason: string;
  readonly fault: EditFault;
}

/** Longer files are not searched for similar text, and have no preview: that would take too much memory. */
export const longestShown = 1_000_000;

/** How many matches are looked at for their lines, and how many lines are named. */
const mostPlacesNamed = 1000;
const mostLinesNamed = 10;

/**
 * Finds the one match of the old text, or all. If the file has only `\r\n`, `\n` matches that. Also impossible if the
 * content would exceed `mostBytes` in UTF-8. Builds no text.
 */
export function find(
  content: string,
  texts: Replacement & { readonly replaceAll: boolean },
  mostBytes: number,
): FoundText {
  const isWindows = content.includes('\r\n') && !/(?<!\r)\n/.test(content);
  const [oldText = '', newText = ''] = [texts.oldText, texts.newText].map((text) =>
    isWindows ? text.replaceAll(/\r?\n/g, '\r\n') : text,
  );
  if (oldText === newText)
    return impossible('old_text and new_text are the same, so there is nothing to change.', { why: 'unchanged' });
  let count = 0;
  // As `split` finds them: matches do not overlap.
  for (let at = content.indexOf(oldText); at !== -1; at = content.indexOf(oldText, at + oldText.length)) count += 1;
  if (count === 0) return notFound(content, oldText);
  if (count > 1 && !texts.replaceAll)
    return impossible(ambiguous(content, oldText, count), { why: 'ambiguous', count });
  const growth = Buffer.byteLength(newText) - Buffer.byteLength(oldText);
  if (Buffer.byteLength(content) + count * growth > mostBytes)
    return impossible(
      `The file would become larger than ${formatSize(mostBytes)}, the most that can be written. Put in less, or split the file.`,
      { why: 'too-large', most: mostBytes },
    );
  return { type: 'found', count, oldText, newText };
}

export function exchange(content: string, { oldText, newText }: Replacement): string {
  return content.split(oldText).join(newText);
}

export function impossible(reason: string, fault: EditFault): ImpossibleEdit {
  return { type: 'impossible', reason, fault };
}

function ambiguous(content: string, oldText: string, count: number): string {
  const places = [...placesOf(content, oldText, mostPlacesNamed)];
  const lines = [...new Set(places.map(({ first }) => first + 1))];
  const named = `${lines.slice(0, mostLinesNamed).join(', ')}${lines.length > mostLinesNamed ? ', …' : ''}`;
  return `old_text stands ${count} times in the file, on ${lines.length === 1 ? 'line' : 'lines'} ${named}. Give more of the text around it, so that it is found once, or set replace_all to true.`;
}

/** Names the line where the same text stands with other characters, and in what it differs. */
function notFound(content: string, oldText: string): ImpossibleEdit {
  const found = content.length > longestShown ? undefined : findLookAlike(content, oldText);
  if (found === undefined) {
    const reason = 'old_text is not in the file. Read the file again and copy the text exactly.';
    return impossible(reason, { why: 'absent' });
  }
  const { start, end, differences, isHidden } = found;
  const [first, last] = [start, end].map((offset) => linesIn(content.slice(0, offset)));
  const text = content.split('\n').slice(first, (last ?? 0) + 1);
  const line = (first ?? 0) + 1;
  return impossible(
    `old_text is not in the file as written, but the same text with other ${listWords(differences)} begins on line ${line}. Copy it exactly:\n${text.join('\n')}${isHidden ? escapesIn(content.slice(start, end)) : ''}`,
    { why: 'look-alike', line },
  );
}

function listWords(items: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(items);
}

/** The text with escapes that JSON has, if it is short. */
function escapesIn(text: string): string {
  if (text.length > longestSide) return '';
  const escapeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `\nThe same with escapes: ${text.replace(/[^\x20-\x7e\n\t]/g, escapeOf)}`;
}

/** The number of line ends. */
function linesIn(text: string): number {
  return text.split('\n').length - 1;
}

/** The first and the last line of each match, from 0. */
function* placesOf(content: string, oldText: string, most = Number.POSITIVE_INFINITY) {
  const height = linesIn(oldText);
  let [line, at] = [0, 0];
  let next = content.indexOf(oldText);
  for (let count = 0; next !== -1 && count < most; count += 1) {
    line += linesIn(content.slice(at, next));
    at = next;
    yield { first: line, last: line + height };
    next = content.indexOf(oldText, next + oldText.length);
  }
}

const mostHunks = 20;
const context = 2;

/** Rough limits in characters: of a diff, of one side of a hunk, and of a line. */
const longestDiff = 3000;
const longestSide = 1000;
const longestLine = 300;

/** How much of a long line is shown before its change, and of an unchanged line. */
const lead = 100;

/**
 * An edit as a markdown block like a unified diff, for people. Hidden characters and carriage returns are shown as escapes. Not
 * much longer than 3000 characters: it says what is left out. For contents up to `longestShown`.
 */
export function renderDiff(before: string, texts: Replacement, language: Language): string {
  const words = fileWords[language];
  const lines = before.split('\n');
  const ranges = changedRanges(before, texts.oldText);
  const rows: string[] = [];
  let [shown, length, moved] = [0, 0, 0];
  for (const { first, last } of ranges.slice(0, mostHunks)) {
    const removed = lines.slice(first, last + 1);
    const added = exchange(removed.join('\n'), texts).split('\n');
    const next = hunkRows(lines, { first, moved, removed, added }, words);
    length += next.join('\n').length;
    if (shown > 0 && length > longestDiff) break;
    rows.push(...next);
    shown += 1;
    moved += added.length - removed.length;
  }
  const left = ranges.length - shown;
  if (left > 0) rows.push(`@@ ${words.morePlaces(left)} @@`);
  return fenced(rows.join('\n').toWellFormed(), 'diff');
}

/** The same for a file that gets another content, as one change; all of it is new where there was none. */
export function renderWhole(before: string | undefined, content: string, language: Language): string {
  const removed = before === undefined || before === '' ? [] : before.split('\n');
  // That the last line has an end, as usual, is no line of its own in a new file.
  const shownContent = removed.length === 0 ? content.replace(/\n$/, '') : content;
  const added = content === '' ? [] : shownContent.split('\n');
  const rows = newFirst(hunkRows(removed, { first: 0, moved: 0, removed, added }, fileWords[language]));
  // Nothing stands around what is new.
  const shown = removed.length === 0 ? rows.slice(1) : rows;
  return fenced(shown.join('\n').toWellFormed(), 'diff');
}

/** Of a long change, a card shows only the beginning: what will be there counts more than what goes. */
function newFirst(rows: readonly string[]): readonly string[] {
  const at = rows.findIndex((row) => row.startsWith('-'));
  const end = rows.findLastIndex((row) => row.startsWith('+')) + 1;
  if (at === -1 || end <= at) return rows;
  const changed = rows.slice(at, end);
  const [fresh, old] = [changed.filter((row) => row.startsWith('+')), changed.filter((row) => !row.startsWith('+'))];
  return [...rows.slice(0, at), ...fresh, ...old, ...rows.slice(end)];
}

type FileWords = (typeof fileWords)['en'];

/** The lines that change: matches on the same line are one place. */
function changedRanges(before: string, oldText: string) {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const place of placesOf(before, oldText)) {
    const open = ranges.at(-1);
    if (open !== undefined && place.first <= open.last) open.last = place.last;
    else ranges.push(place);
  }
  return ranges;
}

interface Hunk {
  /** Its first line, from 0, and by how many lines earlier changes have moved it. */
  readonly first: number;
  readonly moved: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

function hunkRows(
  lines: readonly string[],
  { first, moved, removed, added }: Hunk,
  words: FileWords,
): readonly string[] {
  const top = sharedStart(removed, added);
  const bottom = sharedStart(removed.slice(top).toReversed(), added.slice(top).toReversed());
  const [old, fresh] = [removed.slice(top, removed.length - bottom), added.slice(top, added.length - bottom)];
  const [start, end] = [first + top, first + removed.length - bottom];
  const above = lines.slice(Math.max(0, start - context), start);
  // A final line end starts no line.
  const below = lines.slice(end, Math.min(end + context, lines.at(-1) === '' ? lines.length - 1 : lines.length));
  const [line, around] = [start - above.length + 1, above.length + below.length];
  const unchanged = (text: string): string => ` ${shownAround(text, { change: 0, limit: lead }, words)}`;
  return [
    `@@ -${line},${around + old.length} +${line + moved},${around + fresh.length} @@`,
    ...above.map(unchanged),
    ...sideRows('-', { side: old, other: fresh }, words),
    ...sideRows('+', { side: fresh, other: old }, words),
    ...below.map(unchanged),
  ];
}

/** One side of a change, and the one that it faces. */
interface Sides {
  readonly side: readonly string[];
  readonly other: readonly string[];
}

function sideRows(sign: string, { side, other }: Sides, words: FileWords): readonly string[] {
  const rows: string[] = [];
  let length = 0;
  for (const [index, line] of side.entries()) {
    // Lines are paired if both sides have equally many; the first lines always are.
    const facing = index === 0 || side.length === other.length ? other[index] : undefined;
    const change = facing === undefined ? 0 : sharedStart(line, facing);
    const row = sign + shownAround(line, { change, limit: longestLine }, words);
    length += row.length;
    if (index > 0 && length > longestSide) break;
    rows.push(row);
  }
  const left = side.length - rows.length;
  return left === 0 ? rows : [...rows, `${sign}[${words.moreLines(left)}]`];
}

interface LinePart {
  /** Where the change begins. */
  readonly change: number;
  readonly limit: number;
}

/** The line with hidden characters revealed: all of it, or the part around the change if that is too long. */
function shownAround(line: string, { change, limit }: LinePart, { cut }: FileWords): string {
  const all = line.length <= limit ? reveal(line) : undefined;
  if (all !== undefined && all.length <= limit) return all;
  const middle = wholeEnd(line, change);
  const before = fitting(Array.from(line.slice(Math.max(0, middle - lead), middle)).reverse(), lead).reverse();
  const after = fitting(Array.from(line.slice(middle, middle + limit)), limit - lead);
  const [head, tail] = [before.join(''), after.join('')];
  const isCutAfter = middle + tail.length < line.length;
  const mark = `[${cut}]`;
  return `${middle > head.length ? mark : ''}${reveal(head)}${reveal(tail)}${isCutAfter ? mark : ''}`;
}

function fitting(characters: readonly string[], room: number): string[] {
  let length = 0;
  return characters.filter((character) => {
    length += reveal(character).length;
    return length <= room;
  });
}

/** How many characters or lines are the same at the beginning. */
function sharedStart(one: ArrayLike<string>, other: ArrayLike<string>): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
