import { stripControls } from './strip-controls.ts';

/** A longer text is not shown in the line: it would fill the screen, and be drawn again at each key. */
const longestShown = 400;
/** So many long texts are kept, for lines that are called back. */
const mostKept = 50;
/** Stands in the line for a line end, which would send it: a character for private use, as wide as what it is shown as. */
const breakMark = '\ue00a';
const placeholder = /\[paste \d+: \d+ lines?, \d+ characters\]/g;

/** Texts that were pasted into a line. */
export class Pastes {
  readonly #long = new Map<string, string>();
  #count = 0;

  /** What to put into the line for the text. */
  toLine(pasted: string): string {
    const text = stripControls(pasted.replace(/\r\n?/g, '\n').replaceAll(breakMark, ''));
    return text.length <= longestShown ? text.replaceAll('\n', breakMark) : this.#keep(text);
  }

  /** What the line says in full. */
  toText(line: string): string {
    return line.replaceAll(breakMark, '\n').replace(placeholder, (label) => this.#long.get(label) ?? label);
  }

  #keep(text: string): string {
    this.#count += 1;
    const lines = text.trimEnd().split('\n').length;
    const label = `[paste ${this.#count}: ${lines} ${lines === 1 ? 'line' : 'lines'}, ${text.length} characters]`;
    this.#long.set(label, text);
    const [oldest] = this.#long.keys();
    if (oldest !== undefined && this.#long.size > mostKept) this.#long.delete(oldest);
    return label;
  }
}

/** What is drawn for a line. */
export function showBreaks(line: string): string {
  return line.replaceAll(breakMark, '⏎');
}
