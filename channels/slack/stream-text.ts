import { fenceAfter, type OpenFence, openFenceIn } from '../kit/markdown.ts';

/** After this many tries, wait for the rest of the line. */
const mostCuts = 20;

/** A growing text, released only up to where its formatting can no longer change, since nothing can be taken back. */
export function createStreamText() {
  let text = '';
  /** Start of the line being written. */
  let lineStart = 0;
  /** The code fence open at `lineStart`. */
  let fence: OpenFence | undefined;
  /** Start of the table that the last line belongs to, if any. */
  let tableStart: number | undefined;
  let tableRows = 0;
  let taken = 0;

  function close(line: string): void {
    const isRow = fence === undefined && isTableRow(line);
    if (isRow && tableRows === 0) tableStart = lineStart;
    tableRows = isRow ? tableRows + 1 : 0;
    if (!isRow) tableStart = undefined;
    fence = fenceAfter(fence, line);
  }

  function readyEnd(): number {
    // Whether two lines are the head of a table shows only with the third.
    if (tableStart !== undefined && tableRows <= 2) return tableStart;
    const line = text.slice(lineStart);
    if (fence !== undefined || isTableRow(line) || /^ {0,3}(?:`|~|$)/.test(line)) return lineStart;
    let cut = lastSpaceBefore(line, line.length);
    for (let tries = 0; cut > 0 && tries < mostCuts; tries += 1) {
      if (isClosed(line.slice(0, cut))) return lineStart + cut;
      cut = lastSpaceBefore(line, cut - 1);
    }
    return lineStart;
  }

  return {
    add(delta: string): void {
      text += delta;
      for (let end = text.indexOf('\n', lineStart); end !== -1; end = text.indexOf('\n', lineStart)) {
        close(text.slice(lineStart, end));
        lineStart = end + 1;
      }
    },

    /** Text that can be shown now: whole lines, and the last line up to where its formatting is closed. */
    get ready(): string {
      return text.slice(taken, Math.max(taken, readyEnd()));
    },

    /** Marks this many characters of `ready` as shown. */
    take(length: number): void {
      taken += length;
    },
  };
}

function isTableRow(line: string): boolean {
  return /^[ \t]*\|/.test(line);
}

/** The index after the space; 0 if there is none. */
function lastSpaceBefore(line: string, end: number): number {
  return end <= 0 ? 0 : line.lastIndexOf(' ', end - 1) + 1;
}

/** Whether all inline formatting opened in this part of a line is closed, judging by the marks. */
function isClosed(line: string): boolean {
  const withoutCode = line.replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '').replace(/\\./g, '');
  if (withoutCode.includes('`')) return false;
  const text = withoutCode.replace(/^[ \t]*[*+-][ \t]/, '').replace(/(?<=\w)_(?=\w)/g, '');
  if (/\[[^[\]]*$|\]\([^)]*$|<[^<>]*$/.test(text)) return false;
  return ['**', '__', '~~', '*', '_'].every((mark) => text.split(mark).length % 2 === 1);
}

/** Limit for a growing message, in characters. */
const longest = 11_500;
/** A growing message is stopped at a block's end after the first age, and anywhere after the second, in ms. */
const turnFrom = 240_000;
const turnAt = 270_000;

/** How much of the text a new message takes after its opening. */
export function cutForNew(ready: string, opening: string): number {
  return fitting(ready, longest - opening.length, true);
}

/** How much of the text a message of this age still takes; 0 if it must be stopped. */
export function cutFor(ready: string, shown: string, age: number): number {
  if (age >= turnAt || ready === '') return 0;
  const cut = fitting(ready, longest - shown.length, false);
  if (age < turnFrom) return cut;
  return isAtBlockEnd(shown) ? 0 : blockEndIn(shown, ready.slice(0, cut)) || cut;
}

/** The age at which a message with this text must be stopped, in ms. */
export function longestAge(shown: string): number {
  return isAtBlockEnd(shown) ? turnFrom : turnAt;
}

/** How much of the text fits, cut at the best place; 0 if a new message should take it. */
function fitting(text: string, room: number, isFirst: boolean): number {
  if (text.length <= room) return text.length;
  const within = text.slice(0, Math.max(0, room));
  const block = within.lastIndexOf('\n\n') + 2;
  if (block > 1 && block > room / 2) return block;
  const line = within.lastIndexOf('\n') + 1;
  if (line > 0) return line;
  if (!isFirst) return 0;
  return within.lastIndexOf(' ') + 1 || within.toWellFormed().length - (/[\ud800-\udbff]$/.test(within) ? 1 : 0);
}

/** The last end of a block in `text`, which follows `before`; 0 if there is none. */
function blockEndIn(before: string, text: string): number {
  for (let end = text.lastIndexOf('\n\n') + 2; end > 1; end = text.lastIndexOf('\n\n', end - 3) + 2) {
    if (openFenceIn(before + text.slice(0, end)) === undefined) return end;
    if (end < 3) return 0;
  }
  return 0;
}

function isAtBlockEnd(shown: string): boolean {
  return shown.endsWith('\n\n') && openFenceIn(shown) === undefined;
}
