import { fenceAfter, type OpenFence } from '../outgoing/fences.ts';

/** A line in which more is open is shown when it is whole. */
const mostCuts = 20;

/** A text that grows, of which only what will not change its look any more is given away: nothing can be taken back. */
export class StreamText {
  #text = '';
  /** Where the line begins that is being written. */
  #lineStart = 0;
  /** What is open there. */
  #fence: OpenFence | undefined;
  /** Where the table begins that ends there, if one does. */
  #tableStart: number | undefined;
  #tableRows = 0;
  #taken = 0;

  add(delta: string): void {
    this.#text += delta;
    for (;;) {
      const lineEnd = this.#text.indexOf('\n', this.#lineStart);
      if (lineEnd === -1) return;
      this.#close(this.#text.slice(this.#lineStart, lineEnd));
      this.#lineStart = lineEnd + 1;
    }
  }

  /** What can be shown now. Whole lines, and of the last one what has its formatting closed. */
  get ready(): string {
    return this.#text.slice(this.#taken, Math.max(this.#taken, this.#readyEnd()));
  }

  /** So many characters of `ready` are shown. */
  take(length: number): void {
    this.#taken += length;
  }

  #close(line: string): void {
    const isRow = this.#fence === undefined && isTableRow(line);
    if (isRow && this.#tableRows === 0) this.#tableStart = this.#lineStart;
    this.#tableRows = isRow ? this.#tableRows + 1 : 0;
    if (!isRow) this.#tableStart = undefined;
    this.#fence = fenceAfter(this.#fence, line);
  }

  #readyEnd(): number {
    // What looks like the head of a table is one only with the line after the next.
    if (this.#tableStart !== undefined && this.#tableRows <= 2) return this.#tableStart;
    const line = this.#text.slice(this.#lineStart);
    if (this.#fence !== undefined || isTableRow(line) || /^ {0,3}(?:`|~|$)/.test(line)) return this.#lineStart;
    let cut = lastSpaceBefore(line, line.length);
    for (let tries = 0; cut > 0 && tries < mostCuts; tries += 1) {
      if (isClosed(line.slice(0, cut))) return this.#lineStart + cut;
      cut = lastSpaceBefore(line, cut - 1);
    }
    return this.#lineStart;
  }
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
  return (
    ['**', '__', '~~'].every((mark) => (text.split(mark).length - 1) % 2 === 0) &&
    isEven(text, '*') &&
    isEven(text, '_')
  );
}

function isEven(text: string, mark: string): boolean {
  return (text.split(mark).length - 1) % 2 === 0;
}
