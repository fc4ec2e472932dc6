import { fenceAfter, type OpenFence, openFenceIn } from '../kit/markdown.ts';

/** A line in which more is open is shown when it is whole. */
const mostCuts = 20;

/** A text that grows, of which only what will not change its look any more is given away: nothing can be taken back. */
export function createStreamText() {
  let text = '';
  /** Where the line begins that is being written. */
  let lineStart = 0;
  /** What is open there. */
  let fence: OpenFence | undefined;
  /** Where the table begins that ends there, if one does. */
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
    // What looks like the head of a table is one only with the line after the next.
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

    /** What can be shown now. Whole lines, and of the last one what has its formatting closed. */
    get ready(): string {
      return text.slice(taken, Math.max(taken, readyEnd()));
    },

    /** So many characters of `ready` are shown. */
    take(length: number): void {
      taken += length;
    },
  };
}

function isTableRow(line: string): boolean {
  return /^[ \t]*\|/.test(line);
}

/** Behind it. 0 if there is none. */
function lastSpaceBefore(line: string, end: number): number {
  return end <= 0 ? 0 : line.lastIndexOf(' ', end - 1) + 1;
}

/** Whether all formatting that begins in the beginning of a line ends in it, as far as marks can tell. */
function isClosed(line: string): boolean {
  const withoutCode = line.replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '').replace(/\\./g, '');
  if (withoutCode.includes('`')) return false;
  const text = withoutCode.replace(/^[ \t]*[*+-][ \t]/, '').replace(/(?<=\w)_(?=\w)/g, '');
  if (/\[[^[\]]*$|\]\([^)]*$|<[^<>]*$/.test(text)) return false;
  return ['**', '__', '~~', '*', '_'].every((mark) => text.split(mark).length % 2 === 1);
}

/** How much a message may hold that grows, in characters. */
const longest = 11_500;
/** A message that grows is stopped at the end of a block from this age on, and at this one anyway, in milliseconds. */
const turnFrom = 240_000;
const turnAt = 270_000;

/** How much of the text a new message takes behind its opening. */
export function cutForNew(ready: string, opening: string): number {
  return fitting(ready, longest - opening.length, true);
}

/** How much of the text a message still takes that shows something and is of that age. 0 if it has to be stopped. */
export function cutFor(ready: string, shown: string, age: number): number {
  if (age >= turnAt || ready === '') return 0;
  const cut = fitting(ready, longest - shown.length, false);
  if (age < turnFrom) return cut;
  return isAtBlockEnd(shown) ? 0 : blockEndIn(shown, ready.slice(0, cut)) || cut;
}

/** At what age a message has to be stopped that shows this, if nothing more comes, in milliseconds. */
export function longestAge(shown: string): number {
  return isAtBlockEnd(shown) ? turnFrom : turnAt;
}

/** How much of the text fits, up to the best place to cut it. 0 if nothing should be put there any more. */
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

/** How much of the text ends with a block, after what stands before it; 0 if none ends in it. */
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
