const invisible = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const wide =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]$/u;
const colourOn = '\u001b[36m';
const colourOff = '\u001b[39m';
const intensityOff = '\u001b[22m';
const styleOrCharacter = new RegExp(`${'\u001b'}\\[\\d+m|.`, 'gsu');

/** The last row of a text on a terminal that breaks full rows. */
export function lastRow(text: string, columns: number): string {
  let row = '';
  let width = 0;
  for (const character of text.slice(text.lastIndexOf('\n') + 1)) {
    const added = widthOf(character, width);
    if (width + added > columns) {
      row = '';
      width = 0;
    }
    row += character;
    width += added;
  }
  return row;
}

/** Breaks a line into rows that fit after the indent. Open styles are closed and reopened at each break. */
export function breakRows(line: string, columns: number, indent: number): readonly string[] {
  const rows: string[] = [];
  let row = '';
  let width = indent;
  /** Open styles, by their reset sequence. */
  const on = new Map<string, string>();
  for (const [part] of line.matchAll(styleOrCharacter)) {
    const isStyle = part.startsWith('\u001b');
    if (isStyle) turn(on, part);
    const added = isStyle ? 0 : widthOf(part, width);
    if (width > indent && width + added > columns) {
      rows.push(row + [...on.keys()].join(''));
      row = [...on.values()].join('');
      width = indent;
    }
    row += part;
    width += added;
  }
  return [...rows, row];
}

/** Width of a text without line ends, in columns. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += widthOf(character, width);
  return width;
}

function turn(on: Map<string, string>, style: string): void {
  if (style === colourOff || style === intensityOff) on.delete(style);
  else on.set(style === colourOn ? colourOff : intensityOff, style);
}

function widthOf(character: string, column: number): number {
  if (character >= ' ' && character <= '~') return 1;
  if (character === '\t') return 8 - (column % 8);
  if (invisible.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
