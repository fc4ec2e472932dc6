import { textWidth } from '../../src/lib/text-width.ts';
import { escaped, type Theme } from './sheet.ts';

interface Cell {
  readonly text: string;
  readonly style: Readonly<Record<string, boolean>>;
}

const escapeCharacter = '\u001b';
const sequence = new RegExp(
  `${escapeCharacter}(?:(?<cursor>[78])|\\[(?<mark>\\??)(?<numbers>[\\d;]*)(?<command>[A-Za-z]))|(?<other>.)`,
  'gsu',
);

/** What a terminal shows after these bytes, with the styles of its cells. Throws at a sequence that it does not know. */
export class StyledScreen {
  readonly #columns: number;
  readonly #rows: Cell[][] = [[]];
  #row = 0;
  #column = 0;
  #kept: readonly [number, number] = [0, 0];
  #style: Readonly<Record<string, boolean>> = {};

  constructor(columns: number) {
    this.#columns = columns;
  }

  /** The row of the cursor, from the first one on. */
  get row(): number {
    return this.#row;
  }

  write(output: string): void {
    for (const { groups = {} } of output.matchAll(sequence)) {
      const { cursor, mark, numbers = '', command, other = '' } = groups;
      if (cursor === '7') this.#kept = [this.#row, this.#column];
      else if (cursor === '8') [this.#row, this.#column] = this.#kept;
      else if (command === undefined) this.#show(other);
      else if (command === 'm') this.#setStyle(numbers);
      // How the cursor looks, and how pastes are marked.
      else if (mark !== '?') this.#move(command, numbers === '' ? undefined : Number(numbers));
    }
  }

  /** The rows from that one on, as HTML, without empty ones at the end. */
  html(from: number): string {
    const rows = this.#rows.slice(from).map(rowHtml);
    while (rows.at(-1)?.trim() === '') rows.pop();
    while (rows[0]?.trim() === '') rows.shift();
    return `<pre>${rows.join('\n')}</pre>`;
  }

  text(from: number): string {
    const rows = this.#rows.slice(from).map((row) => row.map(({ text }) => text).join(''));
    return rows.join('\n').trim();
  }

  #show(character: string): void {
    if (character === '\r') this.#column = 0;
    else if (character === '\n') this.#newRow();
    else if (character === '\u0007') return;
    else {
      const width = textWidth(character);
      // A sign that joins the one before it.
      if (width === 0) return void this.#join(character);
      if (this.#column + width > this.#columns) this.#newRow();
      if (character < ' ') throw new Error(`The terminal was sent U+${character.charCodeAt(0)}.`);
      const cells = [{ text: character, style: this.#style }, ...Array<Cell>(width - 1).fill({ text: '', style: {} })];
      this.#cells().splice(this.#column, cells.length, ...cells);
      this.#column += width;
    }
  }

  #join(sign: string): void {
    const cells = this.#cells();
    const at = cells.findLastIndex(({ text }, index) => index < this.#column && text !== '');
    const before = cells[at];
    if (before !== undefined) cells[at] = { ...before, text: before.text + sign };
  }

  #newRow(): void {
    this.#row += 1;
    this.#column = 0;
    this.#cells();
  }

  #setStyle(numbers: string): void {
    for (const number of numbers === '' ? ['0'] : numbers.split(';')) {
      const change = styleChanges[number];
      if (change === undefined) throw new Error(`How a terminal shows the style ${number} is not drawn.`);
      this.#style = number === '0' ? {} : { ...this.#style, ...change };
    }
  }

  #move(command: string, count: number | undefined): void {
    const cells = this.#cells();
    if (command === 'A') this.#row = Math.max(0, this.#row - (count ?? 1));
    else if (command === 'B') this.#row += count ?? 1;
    else if (command === 'C') this.#column = Math.min(this.#columns - 1, this.#column + (count ?? 1));
    else if (command === 'D') this.#column = Math.max(0, this.#column - (count ?? 1));
    else if (command === 'G') this.#column = (count ?? 1) - 1;
    else if (command === 'K' && (count ?? 0) === 0) cells.length = Math.min(cells.length, this.#column);
    else if (command === 'J' && (count ?? 0) === 0) {
      cells.length = Math.min(cells.length, this.#column);
      this.#rows.length = this.#row + 1;
    } else throw new Error(`What a terminal does for ${count ?? ''}${command} is not drawn.`);
  }

  #cells(): Cell[] {
    while (this.#rows.length <= this.#row) this.#rows.push([]);
    const cells = this.#rows[this.#row] ?? [];
    while (cells.length < this.#column) cells.push({ text: ' ', style: {} });
    return cells;
  }
}

/** ECMA-48, as far as it is used. */
const styleChanges: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
  0: {},
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { reverse: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { reverse: false },
  31: { red: true, green: false, yellow: false, cyan: false },
  32: { red: false, green: true, yellow: false, cyan: false },
  33: { red: false, green: false, yellow: true, cyan: false },
  36: { red: false, green: false, yellow: false, cyan: true },
  39: { red: false, green: false, yellow: false, cyan: false },
};

function rowHtml(cells: readonly Cell[]): string {
  let html = '';
  let open = '';
  for (const { text, style } of cells) {
    const names = Object.keys(style).filter((name) => style[name]);
    const wanted = names.join(' ');
    if (text !== '' && wanted !== open) {
      html += `${open === '' ? '' : '</span>'}${wanted === '' ? '' : `<span class="${wanted}">`}`;
      open = wanted;
    }
    html += textWidth(text) > 1 ? `<i class="wide">${escaped(text)}</i>` : escaped(text);
  }
  return `${html}${open === '' ? '' : '</span>'}`.trimEnd();
}

export function terminalStyles(theme: Theme): string {
  const [page, ink, red, green, yellow, cyan] =
    theme === 'light'
      ? ['#fbfbfa', '#24292e', '#b3261e', '#1a7f37', '#8a6100', '#0a6e8a']
      : ['#16181d', '#d7dae0', '#ff7b72', '#56d364', '#e3b341', '#56c8d8'];
  return `
    * { box-sizing: border-box }
    body { margin: 0; background: ${page}; color: ${ink} }
    pre { margin: 0; padding: 8px 10px; border: 1px solid color-mix(in srgb, ${ink} 25%, ${page}); border-radius: 6px; font: 12px/1.4 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', 'Noto Color Emoji', monospace }
    .wide { display: inline-block; width: 2ch; overflow: hidden; vertical-align: bottom; font-style: normal; white-space: nowrap }
    .bold { font-weight: 700 } .dim { opacity: .6 } .italic { font-style: italic } .underline { text-decoration: underline }
    .reverse { background: ${ink}; color: ${page} }
    .red { color: ${red} } .green { color: ${green} } .yellow { color: ${yellow} } .cyan { color: ${cyan} }`;
}
