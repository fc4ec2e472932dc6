import { fenced, reveal } from '../../../lib/plain-text.ts';
import { type Change, cutMark, type Hunk, hunksOf, type Side } from './hunk.ts';

const mostHunks = 20;

/** In characters: about how long a diff, the lines of one side of a place, and a line get. */
const longestDiff = 3000;
const longestSide = 1000;
const longestLine = 300;

/** What is shown of a long line before its change, and of a line that does not change. */
const lead = 100;

/**
 * What changes, as a markdown block in the manner of a unified diff. Hidden characters are shown as escapes, carriage
 * returns too. It is for a look, and never much longer than 3000 characters: where something is left out it says so.
 */
export function renderDiff(change: Change): string {
  const { hunks, total } = hunksOf(change, mostHunks);
  const rows: string[] = [];
  let length = 0;
  let shown = 0;
  for (const hunk of hunks) {
    const next = rowsOf(hunk);
    length += next.join('\n').length;
    if (shown > 0 && length > longestDiff) break;
    rows.push(...next);
    shown += 1;
  }
  const rest = restOf(total - shown, change.hasMore);
  return fenced([...rows, ...rest].join('\n').toWellFormed(), 'diff');
}

function restOf(left: number, hasMore: boolean): readonly string[] {
  if (left === 0) return hasMore ? ['@@ and more places @@'] : [];
  return [`@@ and ${hasMore ? 'more than ' : ''}${left} more ${left === 1 ? 'place' : 'places'} @@`];
}

function rowsOf(hunk: Hunk): readonly string[] {
  const { oldStart, newStart, above, below, removed, added } = hunk;
  const around = above.length + below.length;
  const from = (start: number, side: Side): string => `${start - above.length},${around + side.count}`;
  const unchanged = (line: string): string => ` ${shownAround(line, 0, lead)}`;
  return [
    `@@ -${from(oldStart, removed)} +${from(newStart, added)} @@`,
    ...above.map(unchanged),
    ...sideRows('-', removed, added),
    ...sideRows('+', added, removed),
    ...below.map(unchanged),
  ];
}

function sideRows(sign: string, side: Side, other: Side): readonly string[] {
  const rows: string[] = [];
  let length = 0;
  for (const [index, line] of side.lines.entries()) {
    // Lines face each other where there are as many on both sides; the first ones always do.
    const facing = index === 0 || side.count === other.count ? other.lines[index] : undefined;
    const row = sign + shownAround(line, facing === undefined ? 0 : firstDifference(line, facing), longestLine);
    length += row.length;
    if (index > 0 && length > longestSide) break;
    rows.push(row);
  }
  const left = side.count - rows.length;
  return left === 0 ? rows : [...rows, `${sign}[… ${left} more ${left === 1 ? 'line' : 'lines'} …]`];
}

function firstDifference(line: string, other: string): number {
  let at = 0;
  while (at < line.length && line[at] === other[at]) at++;
  return at;
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
