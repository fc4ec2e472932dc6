import { toCommonMark } from '../../src/lib/model-markdown.ts';
import { BlockLines, renderLine, type Style, settledLength } from './render.ts';

/** In characters. Looking for the end of a mark again and again takes quadratic time. */
const mostHeld = 400;

/**
 * Renders streamed markdown as `renderMarkdown` does, as early as it is certain: prose up to a mark that may still find
 * its end, code line by line, a table at its end.
 */
export class StreamRenderer {
  readonly #style: Style;
  readonly #blocks: BlockLines;
  /** The line so far, and how it is shown so far. */
  #line = '';
  #shown = '';
  /** So much of it is uncertain that it is shown at its end. */
  #isHeld = false;

  constructor(style: Style) {
    this.#style = style;
    this.#blocks = new BlockLines(style);
  }

  /** Returns what can be shown so far. */
  push(piece: string): string {
    const [first = '', ...others] = piece.split('\n');
    let out = '';
    this.#line += first;
    for (const begun of others) {
      out += this.#endLine()
        .map((row) => `${row}\n`)
        .join('');
      this.#line = begun;
    }
    return out + this.#more();
  }

  /** Returns what was held back. */
  flush(): string {
    const rows = this.#line === '' && this.#shown === '' ? [] : this.#endLine();
    this.#line = '';
    return [...rows, ...this.#blocks.end()].join('\n');
  }

  /** The rows that end with this line, without what is shown of it. */
  #endLine(): readonly string[] {
    const rows = this.#blocks.take(this.#blocks.isWithinBlock ? this.#line : this.#written(this.#line));
    const shown = this.#shown;
    this.#shown = '';
    this.#isHeld = false;
    return shown === '' ? rows : rows.map((row, index) => (index === 0 ? row.slice(shown.length) : row));
  }

  #more(): string {
    if (this.#blocks.isWithinBlock || this.#isHeld) return '';
    const length = settledLength(this.#line);
    this.#isHeld = this.#line.length - length > mostHeld;
    const settled = renderLine(this.#written(this.#line.slice(0, length)), this.#style);
    if (!settled.startsWith(this.#shown)) return '';
    const more = settled.slice(this.#shown.length);
    this.#shown = settled;
    return more;
  }

  #written(line: string): string {
    return toCommonMark(line, { keepsTags: true });
  }
}
