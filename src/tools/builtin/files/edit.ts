/** What an edit of a file replaces, or why it can't, and how the change looks. Pure. */
import { fenced, reveal } from '../../../lib/plain-text.ts';
import { formatSize, wholeEnd } from '../../text.ts';

interface Replacement {
  readonly oldText: string;
  readonly newText: string;
}

/** Where the old text is in a content, and its replacement. The texts have the content's line ends. */
export interface Matches extends Replacement {
  /** Ascending: all, or the first `mostMatches`. */
  readonly offsets: readonly number[];
  readonly hasMore: boolean;
}

const mostMatches = 1000;
const mostLinesNamed = 10;

/** Longer files are not searched for similar text, which takes a step per character. */
const longestSearched = 1_000_000;

/**
 * Finds the one match of the old text, or all. If the file has only `\r\n`, `\n` matches that. Also impossible if the
 * content would exceed `mostBytes` in UTF-8. Builds no text.
 */
export function find(content: string, texts: Replacement & { readonly replaceAll: boolean }, mostBytes: number) {
  const isWindows = content.includes('\r\n') && !/(?<!\r)\n/.test(content);
  const [oldText, newText] = [texts.oldText, texts.newText].map((text) =>
    isWindows ? text.replaceAll(/\r?\n/g, '\r\n') : text,
  );
  if (oldText === undefined || newText === undefined || oldText === newText)
    return impossible('old_text and new_text are the same, so there is nothing to change.');
  const offsets: number[] = [];
  let count = 0;
  // As `split` finds them: matches do not overlap.
  for (let at = content.indexOf(oldText); at !== -1; at = content.indexOf(oldText, at + oldText.length)) {
    if (count < mostMatches) offsets.push(at);
    count += 1;
  }
  const found = { offsets, hasMore: count > mostMatches, oldText, newText };
  if (count === 0) return impossible(notFound(content, oldText));
  if (count > 1 && !texts.replaceAll) return impossible(ambiguous(content, found));
  const growth = Buffer.byteLength(newText) - Buffer.byteLength(oldText);
  if (Buffer.byteLength(content) + count * growth > mostBytes)
    return impossible(
      `The file would become larger than ${formatSize(mostBytes)}, the most that can be written. Put in less, or split the file.`,
    );
  return { type: 'found', ...found } as const;
}

export function exchange(content: string, { oldText, newText }: Replacement): string {
  return content.split(oldText).join(newText);
}

/** `3`, or `more than 1000`. */
export function numberOfPlaces({ offsets, hasMore }: Matches): string {
  return hasMore ? `more than ${offsets.length}` : `${offsets.length}`;
}

function impossible(reason: string) {
  return { type: 'impossible', reason } as const;
}

/** The line of each offset, from 1; the offsets ascend. */
function lineNumbers(content: string, offsets: readonly number[]): readonly number[] {
  let line = 1;
  let end = content.indexOf('\n');
  return offsets.map((offset) => {
    while (end !== -1 && end < offset) {
      line += 1;
      end = content.indexOf('\n', end + 1);
    }
    return line;
  });
}

function ambiguous(content: string, found: Matches): string {
  const lines = [...new Set(lineNumbers(content, found.offsets))];
  const named = `${lines.slice(0, mostLinesNamed).join(', ')}${lines.length > mostLinesNamed ? ', …' : ''}`;
  return `old_text stands ${numberOfPlaces(found)} times in the file, on ${lines.length === 1 ? 'line' : 'lines'} ${named}. Give more of the text around it, so that it is found once, or set replace_all to true.`;
}

/** Names the line where the old text is found if white space is ignored. */
function notFound(content: string, oldText: string): string {
  const wanted = content.length > longestSearched ? '' : oldText.replaceAll(/\s/g, '');
  const at = wanted === '' ? -1 : content.replaceAll(/\s/g, '').indexOf(wanted);
  if (at === -1) return 'old_text is not in the file. Read the file again and copy the text exactly.';
  const offsets = Array.from(content.matchAll(/\S/g), ({ index }) => index);
  const [start = 0, end = 0] = [offsets[at], offsets[at + wanted.length - 1]];
  const [first] = lineNumbers(content, [start]);
  const text = content.slice(lineStart(content, start), lineEnd(content, end));
  return `old_text is not in the file as written, but the same text with other spaces or line ends begins on line ${first}. Copy it exactly:\n${text}`;
}

const mostHunks = 20;
const context = 2;

/** Rough limits in characters: of a diff, of one side of a hunk, and of a line. */
const longestDiff = 3000;
const longestSide = 1000;
const longestLine = 300;

/** How much of a long line is shown before its change, and of an unchanged line. */
const lead = 100;

const cutMark = '[… cut …]';

/**
 * An edit as a markdown block like a unified diff. Hidden characters and carriage returns are shown as escapes. Not
 * much longer than 3000 characters: it says what is left out. Time and memory grow with the changed lines only; a
 * library would need the whole file.
 */
export function renderDiff({ before, ...matches }: Matches & { readonly before: string }): string {
  const { hasMore } = matches;
  const ranges = rangesOf(before, matches);
  const looked = ranges.slice(0, mostHunks);
  const starts = looked.map(({ start }) => start);
  const lines = lineNumbers(before, starts);
  const rows: string[] = [];
  let [shown, length, moved] = [0, 0, 0];
  for (const [index, range] of looked.entries()) {
    const removed = before.slice(range.start, range.end).split('\n');
    // Beyond the last match that was found, there may be more.
    const added = replacedIn(before, range, matches, hasMore && index === ranges.length - 1).split('\n');
    const next = hunkRows(before, range, { line: lines[index] ?? 1, moved, removed, added });
    length += next.join('\n').length;
    if (shown > 0 && length > longestDiff) break;
    rows.push(...next);
    shown += 1;
    moved += added.length - removed.length;
  }
  const left = ranges.length - shown;
  if (left > 0) rows.push(`@@ and ${hasMore ? 'more than ' : ''}${left} more ${left === 1 ? 'place' : 'places'} @@`);
  else if (hasMore) rows.push('@@ and more places @@');
  return fenced(rows.join('\n').toWellFormed(), 'diff');
}

/** Whole lines with replacements, as offsets; the end excludes the last line end. The matches are in `first` to `last`. */
interface Range {
  readonly start: number;
  readonly first: number;
  last: number;
  end: number;
}

function rangesOf(before: string, { offsets, oldText }: Matches): readonly Range[] {
  const ranges: Range[] = [];
  for (const offset of offsets) {
    const last = offset + oldText.length;
    const end = lineEnd(before, last);
    const open = ranges.at(-1);
    if (open !== undefined && offset <= open.end) Object.assign(open, { last, end });
    else ranges.push({ start: lineStart(before, offset), first: offset, last, end });
  }
  return ranges;
}

function replacedIn(before: string, { start, first, last, end }: Range, matches: Matches, isOpen: boolean): string {
  const replaced = exchange(before.slice(first, last), matches);
  return before.slice(start, first) + replaced + (isOpen ? cutMark : before.slice(last, end));
}

interface Hunk {
  /** The number of its first line, from 1, and by how many lines earlier changes have moved it. */
  readonly line: number;
  readonly moved: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

function hunkRows(before: string, range: Range, { line, moved, removed, added }: Hunk): readonly string[] {
  const most = Math.min(removed.length, added.length);
  let top = 0;
  while (top < most && removed[top] === added[top]) top += 1;
  let bottom = 0;
  while (bottom < most - top && removed.at(-1 - bottom) === added.at(-1 - bottom)) bottom += 1;
  const above = linesAbove(before, range.start + sizeOf(removed.slice(0, top)));
  const below = linesBelow(before, range.end + 1 - sizeOf(removed.slice(removed.length - bottom)));
  const [old, fresh] = [removed.slice(top, removed.length - bottom), added.slice(top, added.length - bottom)];
  const first = line + top - above.length;
  const around = above.length + below.length;
  const unchanged = (text: string): string => ` ${shownAround(text, 0, lead)}`;
  return [
    `@@ -${first},${around + old.length} +${first + moved},${around + fresh.length} @@`,
    ...above.map(unchanged),
    ...sideRows('-', old, fresh),
    ...sideRows('+', fresh, old),
    ...below.map(unchanged),
  ];
}

/** Including their line ends. */
function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, { length }) => sum + length + 1, 0);
}

function sideRows(sign: string, side: readonly string[], other: readonly string[]): readonly string[] {
  const rows: string[] = [];
  let length = 0;
  for (const [index, line] of side.entries()) {
    // Lines are paired if both sides have equally many; the first lines always are.
    const facing = index === 0 || side.length === other.length ? other[index] : undefined;
    const row = sign + shownAround(line, facing === undefined ? 0 : sharedStart(line, facing), longestLine);
    length += row.length;
    if (index > 0 && length > longestSide) break;
    rows.push(row);
  }
  const left = side.length - rows.length;
  return left === 0 ? rows : [...rows, `${sign}[… ${left} more ${left === 1 ? 'line' : 'lines'} …]`];
}

/** The line with hidden characters revealed: all of it, or the part around the change if that is too long. */
function shownAround(line: string, change: number, limit: number): string {
  const all = line.length <= limit ? reveal(line) : undefined;
  if (all !== undefined && all.length <= limit) return all;
  const middle = wholeEnd(line, change);
  const before = fitting(Array.from(line.slice(Math.max(0, middle - lead), middle)).reverse(), lead).reverse();
  const after = fitting(Array.from(line.slice(middle, middle + limit)), limit - lead);
  const [head, tail] = [before.join(''), after.join('')];
  const isCutAfter = middle + tail.length < line.length;
  return `${middle > head.length ? cutMark : ''}${reveal(head)}${reveal(tail)}${isCutAfter ? cutMark : ''}`;
}

function fitting(characters: readonly string[], room: number): string[] {
  let length = 0;
  return characters.filter((character) => {
    length += reveal(character).length;
    return length <= room;
  });
}

function linesAbove(text: string, start: number): readonly string[] {
  let first = start;
  for (let line = 0; line < context && first > 0; line++) first = lineStart(text, first - 1);
  return first === start ? [] : text.slice(first, start - 1).split('\n');
}

/** A final line end starts no line. */
function linesBelow(text: string, start: number): readonly string[] {
  if (start >= text.length) return [];
  let end = start;
  for (let line = 0; line < context && end <= text.length; line++) end = lineEnd(text, end) + 1;
  return text.slice(start, end).replace(/\n$/, '').split('\n');
}

function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}
