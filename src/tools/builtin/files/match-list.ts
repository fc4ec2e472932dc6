import { oneLine } from '../../../lib/plain-text.ts';
import type { LineMatcher } from './line-matcher.ts';

/** Of a longer line the part around the match is shown: so many UTF-16 units, of them so many before the match. */
const mostOfALine = 300;
const mostBefore = 100;
/** Less than what a runner keeps of an output by default, so that a long list is cut at a line, and the model told so. */
const mostCharacters = 45_000;

/** The lines that matched, with those around them, in the order in which they came. Beyond the limit they are counted only. */
export class MatchList {
  readonly #context: number;
  readonly #most: number;
  readonly #lines: string[] = [];
  #length = 0;
  #searched = 0;
  readonly #found = { lines: 0, files: 0 };
  readonly #shown = { lines: 0, files: 0 };

  constructor(context: number, most: number) {
    this.#context = context;
    this.#most = most;
  }

  /** Looks through a file. */
  add(path: string, lines: readonly string[], matcher: LineMatcher): void {
    this.#searched += 1;
    const found = this.#found.lines;
    const shown = this.#shown.lines;
    const excerpt = new Excerpt(oneLine(path, 1000), lines, this.#context);
    for (const [index, line] of lines.entries()) {
      const start = matcher(line);
      if (start === -1) {
        this.#push(excerpt.pass(index));
        continue;
      }
      this.#found.lines += 1;
      if (this.#isFull()) continue;
      this.#shown.lines += 1;
      this.#push(excerpt.match(index, start));
    }
    if (this.#found.lines > found) this.#found.files += 1;
    if (this.#shown.lines > shown) this.#shown.files += 1;
  }

  /** A line that says how much there is, and what is shown of it. */
  toLines(): readonly string[] {
    const found = `${count(this.#found.lines, 'line')} in ${count(this.#found.files, 'file')}`;
    if (this.#found.lines === 0) return [`[no line matches; ${count(this.#searched, 'file')} searched]`];
    if (this.#found.lines === this.#shown.lines) return [`[${found}]`, ...this.#lines];
    const { lines, files } = this.#shown;
    return [`[the first ${lines} of ${found}, from ${count(files, 'file')}; give a narrower pattern]`, ...this.#lines];
  }

  #isFull(): boolean {
    return this.#shown.lines >= this.#most || this.#length >= mostCharacters;
  }

  #push(lines: readonly string[]): void {
    // Where nothing is around matches, nothing divides them.
    const divided = this.#context > 0 && lines[0] === divider && this.#lines.length > 0;
    for (const line of lines[0] === divider && !divided ? lines.slice(1) : lines) {
      this.#lines.push(line);
      this.#length += line.length + 1;
    }
  }
}

const divider = '--';

/** What is shown of one file. */
class Excerpt {
  readonly #path: string;
  readonly #lines: readonly string[];
  readonly #context: number;
  /** The first line that was not shown yet, and until which one those after a match go. */
  #next = 0;
  #until = -1;

  constructor(path: string, lines: readonly string[], context: number) {
    this.#path = path;
    this.#lines = lines;
    this.#context = context;
  }

  match(index: number, start: number): readonly string[] {
    const first = Math.max(this.#next, index - this.#context);
    const isApart = first > this.#next || this.#next === 0;
    const around = this.#lines.slice(first, index).map((line, offset) => this.#around(first + offset, line));
    this.#next = index + 1;
    this.#until = index + this.#context;
    const line = `${this.#path}:${index + 1}: ${cut(this.#lines[index] ?? '', start)}`;
    return [...(isApart ? [divider] : []), ...around, line];
  }

  pass(index: number): readonly string[] {
    if (index > this.#until) return [];
    this.#next = index + 1;
    return [this.#around(index, this.#lines[index] ?? '')];
  }

  #around(index: number, line: string): string {
    return `${this.#path}-${index + 1}- ${cut(line, 0)}`;
  }
}

function cut(line: string, start: number): string {
  if (line.length <= mostOfALine) return flat(line);
  const from = Math.max(0, Math.min(start - mostBefore, line.length - mostOfALine));
  const shown = flat(line.slice(from, from + mostOfALine));
  return `${from > 0 ? '…' : ''}${shown}${from + mostOfALine < line.length ? '…' : ''}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** Else a carriage return would begin a new line, which looks like a find of its own. */
function flat(line: string): string {
  return line.replaceAll('\r', '\\r');
}
