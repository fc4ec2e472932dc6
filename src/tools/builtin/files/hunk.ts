/** Which lines an exchange of texts changes. Pure; takes time and room for what will be shown, not for the whole. */
import { lineNumbers, type Places } from './replacement.ts';

/** A text in which each of the places is to be exchanged. */
export interface Change extends Places {
  readonly before: string;
}

/** Lines that are exchanged, with those around them. Line numbers count from 1. */
export interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly above: readonly string[];
  readonly removed: Side;
  readonly added: Side;
  readonly below: readonly string[];
}

/** The lines of one side: the first `lines` of `count`. A very long line lacks what is far from its change. */
export interface Side {
  readonly lines: readonly string[];
  readonly count: number;
}

/** Whole lines in which places lie, as offsets; the end is that of the last line without its line end. */
interface Range {
  readonly start: number;
  end: number;
  readonly places: number[];
  /** Behind its last place there may be others, that nobody looked for. */
  readonly isOpen: boolean;
}

const context = 2;

/** What is kept of a line before its first and behind its last place, in characters: more than is shown of it. */
const slack = 1000;

/** Stands for what is not shown of a line. */
export const cutMark = '[… cut …]';

/** What is kept of a side, in characters. */
const mostKept = 20_000;

/** The first `limit` hunks of the change, and how many there are. */
export function hunksOf(whole: Change, limit: number): { readonly hunks: readonly Hunk[]; readonly total: number } {
  const change = narrowed(whole);
  const ranges = markOpen(rangesOf(change), change.hasMore);
  const shown = ranges.slice(0, limit);
  const starts = lineNumbers(
    change.before,
    shown.map(({ start }) => start),
  );
  const perPlace = lineEnds(change.newText) - lineEnds(change.oldText);
  let shift = 0;
  const hunks = shown.map((range, index) => {
    const hunk = hunkAt(change, range, { line: starts[index] ?? 1, shift, perPlace });
    shift += range.places.length * perPlace;
    return hunk;
  });
  return { hunks, total: ranges.length };
}

/** Without what the old and the new text begin and end with alike. */
function narrowed(change: Change): Change {
  const { oldText, newText, places } = change;
  const shorter = Math.min(oldText.length, newText.length);
  let head = 0;
  while (head < shorter && oldText[head] === newText[head]) head++;
  let tail = 0;
  while (tail < shorter - head && oldText.at(-1 - tail) === newText.at(-1 - tail)) tail++;
  return {
    ...change,
    places: places.map((place) => place + head),
    oldText: oldText.slice(head, oldText.length - tail),
    newText: newText.slice(head, newText.length - tail),
  };
}

function rangesOf({ before, places, oldText }: Change): readonly Range[] {
  const ranges: Range[] = [];
  for (const place of places) {
    const end = place + oldText.length;
    const open = ranges.at(-1);
    if (open === undefined || place > open.end)
      ranges.push({ start: lineStart(before, place), end: lineEnd(before, end), places: [place], isOpen: false });
    else {
      open.places.push(place);
      if (end > open.end) open.end = lineEnd(before, end);
    }
  }
  return ranges;
}

function markOpen(ranges: readonly Range[], hasMore: boolean): readonly Range[] {
  return ranges.map((range, index) => ({ ...range, isOpen: hasMore && index === ranges.length - 1 }));
}

/** Where it stands: its line, how far the lines before it have moved, and how many lines each place adds. */
interface Position {
  readonly line: number;
  readonly shift: number;
  readonly perPlace: number;
}

function hunkAt(change: Change, range: Range, { line, shift, perPlace }: Position): Hunk {
  const { before } = change;
  const { removed, added, isWhole } = keptOf(change, range);
  const same = countSame(removed, added, isWhole);
  const count = 1 + lineEnds(before.slice(range.start, range.end)) - same.top - same.bottom;
  const oldStart = line + same.top;
  const inner = (lines: readonly string[]): readonly string[] => lines.slice(same.top, lines.length - same.bottom);
  return {
    oldStart,
    newStart: oldStart + shift,
    above: linesAbove(before, skipDown(before, range.start, same.top)),
    removed: { lines: inner(removed), count },
    added: { lines: inner(added), count: count + range.places.length * perPlace },
    below: linesBelow(before, skipUp(before, range.end + 1, same.bottom)),
  };
}

interface Kept {
  readonly removed: readonly string[];
  readonly added: readonly string[];
  /** Whether the sides are complete to their ends. */
  readonly isWhole: boolean;
}

function keptOf({ before, oldText, newText }: Change, { start, end, places, isOpen }: Range): Kept {
  const from = Math.max(start, (places[0] ?? start) - slack);
  const to = Math.min(end, (places.at(-1) ?? start) + oldText.length + slack);
  let added = '';
  let at = from;
  for (const place of places) {
    // What is left out here is behind the end of what is kept.
    added += before.slice(at, Math.min(place, at + mostKept + 1)) + newText.slice(0, mostKept + 1);
    at = place + oldText.length;
    if (added.length > mostKept) break;
  }
  if (added.length <= mostKept) added += isOpen ? cutMark : before.slice(at, to);
  const isWhole = to - from <= mostKept && added.length <= mostKept && !isOpen;
  return { removed: keptLines(before.slice(from, to)), added: keptLines(added), isWhole };
}

/** Its lines, but for a last one of which only a part is kept. */
function keptLines(text: string): readonly string[] {
  const lines = text.slice(0, mostKept).split('\n');
  return text.length > mostKept && lines.length > 1 ? lines.slice(0, -1) : lines;
}

/** How many lines at both ends stay as they are. */
function countSame(removed: readonly string[], added: readonly string[], isWhole: boolean) {
  const shorter = Math.min(removed.length, added.length);
  let top = 0;
  while (top < shorter && removed[top] === added[top]) top++;
  let bottom = 0;
  while (isWhole && bottom < shorter - top && removed.at(-1 - bottom) === added.at(-1 - bottom)) bottom++;
  return { top, bottom };
}

function linesAbove(text: string, start: number): readonly string[] {
  const first = skipUp(text, start, context);
  return first === start ? [] : text.slice(first, start - 1).split('\n');
}

/** A line end at the end of the text begins no line. */
function linesBelow(text: string, start: number): readonly string[] {
  if (start >= text.length) return [];
  const rest = text.slice(start, skipDown(text, start, context));
  return (rest.endsWith('\n') ? rest.slice(0, -1) : rest).split('\n');
}

/** From the start of a line to that of the line so many below; beyond the text if there is none. */
function skipDown(text: string, start: number, lines: number): number {
  let at = start;
  for (let line = 0; line < lines && at <= text.length; line++) at = lineEnd(text, at) + 1;
  return at;
}

function skipUp(text: string, start: number, lines: number): number {
  let at = start;
  for (let line = 0; line < lines && at > 0; line++) at = lineStart(text, at - 1);
  return at;
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
