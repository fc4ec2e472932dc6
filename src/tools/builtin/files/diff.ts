import { fenced, reveal } from '../../../lib/plain-text.ts';
import { lineNumbers, type Places } from './replacement.ts';

/** A text in which each of the places is to be exchanged. */
export interface Change extends Places {
  readonly before: string;
}

const mostHunks = 20;
const context = 2;

/** In characters: about how long a diff, the lines of one side of a place, and a line get. */
const longestDiff = 3000;
const longestSide = 1000;
const longestLine = 300;

/** What is shown of a long line before its change, and of a line that does not change. */
const lead = 100;

/** Stands for what is not shown of a line. */
const cutMark = '[… cut …]';

/**
 * What changes, as a markdown block in the manner of a unified diff. Hidden characters are shown as escapes, carriage
 * returns too. It is for a look, and never much longer than 3000 characters: where something is left out it says so.
 */
export function renderDiff(change: Change): string {
  const { before, hasMore } = change;
  const exchange = narrowed(change);
  const ranges = rangesOf(before, exchange);
  const looked = ranges.slice(0, mostHunks);
  const starts = looked.map(({ start }) => start);
  const lines = lineNumbers(before, starts);
  const rows: string[] = [];
  let [shown, length, moved] = [0, 0, 0];
  for (const [index, range] of looked.entries()) {
    // Behind the last place that was looked for, others may follow.
    const isOpen = hasMore && index === ranges.length - 1;
    const removed = `${before.slice(range.start, range.end)}\n`;
    const added = `${exchangedIn(range, before, exchange, isOpen)}\n`;
    const next = hunkRows(before, range.start, { line: lines[index] ?? 1, moved, removed, added });
    length += next.join('\n').length;
    if (shown > 0 && length > longestDiff) break;
    rows.push(...next);
    shown += 1;
    moved += lineEnds(added) - lineEnds(removed);
  }
  const rest = restOf(ranges.length - shown, hasMore);
  return fenced([...rows, ...rest].join('\n').toWellFormed(), 'diff');
}

/** Without what the old and the new text begin and end with alike. */
function narrowed({ oldText, newText, places }: Change): Omit<Places, 'hasMore'> {
  const head = sharedStart(oldText, newText);
  const tail = sharedEnd(oldText.slice(head), newText.slice(head));
  return {
    places: places.map((place) => place + head),
    oldText: oldText.slice(head, oldText.length - tail),
    newText: newText.slice(head, newText.length - tail),
  };
}

/** Whole lines in which places lie, as offsets; the end is that of the last line without its line end. */
interface Range {
  readonly start: number;
  end: number;
  readonly places: number[];
}

function rangesOf(before: string, { places, oldText }: Omit<Places, 'hasMore'>): readonly Range[] {
  const ranges: Range[] = [];
  for (const place of places) {
    const end = place + oldText.length;
    const open = ranges.at(-1);
    if (open === undefined || place > open.end)
      ranges.push({ start: lineStart(before, place), end: lineEnd(before, end), places: [place] });
    else {
      open.places.push(place);
      if (end > open.end) open.end = lineEnd(before, end);
    }
  }
  return ranges;
}

function exchangedIn(
  { start, end, places }: Range,
  before: string,
  { oldText, newText }: Omit<Places, 'hasMore'>,
  isOpen: boolean,
): string {
  let text = '';
  let at = start;
  for (const place of places) {
    text += before.slice(at, place) + newText;
    at = place + oldText.length;
  }
  return text + (isOpen ? cutMark : before.slice(at, end));
}

/** Lines that are exchanged: each side ends with a line end, or is empty. */
interface Hunk {
  /** The number of its first line, from 1 on, and by how many lines what stands before it has moved. */
  readonly line: number;
  readonly moved: number;
  readonly removed: string;
  readonly added: string;
}

function hunkRows(before: string, start: number, { line, moved, removed, added }: Hunk): readonly string[] {
  const top = lineStart(removed, sharedStart(removed, added));
  const bottom = sameLinesAtEnd(removed.slice(top), added.slice(top));
  const above = linesAbove(before, start + top);
  const below = linesBelow(before, start + removed.length - bottom);
  const [old, fresh] = [removed, added].map((text) => sideOf(text.slice(top, text.length - bottom)));
  if (old === undefined || fresh === undefined) return [];
  const first = line + lineEnds(removed.slice(0, top)) - above.length;
  const around = above.length + below.length;
  const unchanged = (text: string): string => ` ${shownAround(text, 0, lead)}`;
  return [
    `@@ -${first},${around + old.count} +${first + moved},${around + fresh.count} @@`,
    ...above.map(unchanged),
    ...sideRows('-', old, fresh),
    ...sideRows('+', fresh, old),
    ...below.map(unchanged),
  ];
}

/** How long the whole lines are with which both end. */
function sameLinesAtEnd(one: string, other: string): number {
  const length = sharedEnd(one, other);
  const starts = [one, other].map((text) => text.slice(0, text.length - length));
  const isWhole = starts.every((start) => start === '' || start.endsWith('\n'));
  return isWhole ? length : one.length - lineEnd(one, one.length - length) - 1;
}

/** The lines of one side: the first of `count`, as far as they can be shown. */
interface Side {
  readonly lines: readonly string[];
  readonly count: number;
}

function sideOf(text: string): Side {
  const count = lineEnds(text);
  return { lines: text.split('\n', Math.min(count, longestSide)), count };
}

function sideRows(sign: string, side: Side, other: Side): readonly string[] {
  const rows: string[] = [];
  let length = 0;
  for (const [index, line] of side.lines.entries()) {
    // Lines face each other where there are as many on both sides; the first ones always do.
    const facing = index === 0 || side.count === other.count ? other.lines[index] : undefined;
    const row = sign + shownAround(line, facing === undefined ? 0 : sharedStart(line, facing), longestLine);
    length += row.length;
    if (index > 0 && length > longestSide) break;
    rows.push(row);
  }
  const left = side.count - rows.length;
  return left === 0 ? rows : [...rows, `${sign}[… ${left} more ${left === 1 ? 'line' : 'lines'} …]`];
}

/** The line with its hidden characters shown: all of it, or if that is too long, what is around the change. */
function shownAround(line: string, change: number, limit: number): string {
  const all = line.length <= limit ? reveal(line) : undefined;
  if (all !== undefined && all.length <= limit) return all;
  const middle = characterStart(line, change);
  const before = fitting(Array.from(line.slice(0, middle).slice(-lead)).reverse(), lead).reverse();
  const after = fitting(Array.from(line.slice(middle, middle + limit)), limit - lead);
  const start = middle - sizeOf(before);
  const end = middle + sizeOf(after);
  return `${start > 0 ? cutMark : ''}${reveal(before.join(''))}${reveal(after.join(''))}${end < line.length ? cutMark : ''}`;
}

/** As many of the characters as can be shown in the room. */
function fitting(characters: readonly string[], room: number): string[] {
  let length = 0;
  return characters.filter((character) => {
    length += reveal(character).length;
    return length <= room;
  });
}

function sizeOf(characters: readonly string[]): number {
  return characters.join('').length;
}

/** The place, or one before it where it would halve a character. */
function characterStart(text: string, at: number): number {
  const isTail = /^[\udc00-\udfff]/.test(text.charAt(at)) && /^[\ud800-\udbff]/.test(text.charAt(at - 1));
  return isTail ? at - 1 : at;
}

function restOf(left: number, hasMore: boolean): readonly string[] {
  if (left === 0) return hasMore ? ['@@ and more places @@'] : [];
  return [`@@ and ${hasMore ? 'more than ' : ''}${left} more ${left === 1 ? 'place' : 'places'} @@`];
}

function linesAbove(text: string, start: number): readonly string[] {
  let first = start;
  for (let line = 0; line < context && first > 0; line++) first = lineStart(text, first - 1);
  return first === start ? [] : text.slice(first, start - 1).split('\n');
}

/** A line end at the end of the text begins no line. */
function linesBelow(text: string, start: number): readonly string[] {
  if (start >= text.length) return [];
  let end = start;
  for (let line = 0; line < context && end <= text.length; line++) end = lineEnd(text, end) + 1;
  const rest = text.slice(start, end);
  return (rest.endsWith('\n') ? rest.slice(0, -1) : rest).split('\n');
}

/** How many characters both begin with. */
function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

function sharedEnd(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  let length = 0;
  while (length < shorter && one.at(-1 - length) === other.at(-1 - length)) length++;
  return length;
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
