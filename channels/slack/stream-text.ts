import { beginningOfText, readLine } from '../../src/lib/split/markdown-lines.ts';

/** After this many tries, wait for the rest of the line. */
const mostCuts = 20;

/** A growing text, released only up to where its formatting can no longer change, since nothing can be taken back. */
export function createStreamText() {
  let text = '';
  /** Start of the line being written. */
  let lineStart = 0;
  /** The state at `lineStart`. */
  let reading = beginningOfText;
  /** Start of the table that the last line belongs to, if any. */
  let tableStart: number | undefined;
  let tableRows = 0;
  let readyTo = 0;

  function close(line: string): void {
    const isRow = reading.fence === undefined && isTableRow(line);
    if (isRow && tableRows === 0) tableStart = lineStart;
    tableRows = isRow ? tableRows + 1 : 0;
    if (!isRow) tableStart = undefined;
    reading = readLine(`${line}\n`, reading).next;
  }

  function readyEnd(): number {
    // Whether two lines are the head of a table shows only with the third.
    if (tableStart !== undefined && tableRows <= 2) return tableStart;
    const line = text.slice(lineStart);
    if (reading.fence !== undefined || isTableRow(line) || /^ {0,3}(?:`|~|$)/.test(line)) return lineStart;
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
      readyTo = Math.max(readyTo, readyEnd());
      return text.slice(0, readyTo);
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
