const invisible = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const wide =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]$/u;
const esc = '\u001b';
const styleOrCharacter = new RegExp(`${esc}\\[\\d+m|.`, 'gsu');
const resets: readonly string[] = [`${esc}[22m`, `${esc}[39m`];

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

/** Breaks a line into rows that fit after the indent. An open style is closed and reopened at each break. */
export function breakRows(line: string, columns: number, indent: number): readonly string[] {
  const rows: string[] = [];
  let row = '';
  let width = indent;
  let style = '';
  for (const [part] of line.matchAll(styleOrCharacter)) {
    const isStyle = part.startsWith(esc);
    if (isStyle) style = resets.includes(part) ? '' : part;
    const added = isStyle ? 0 : widthOf(part, width);
    if (width > indent && width + added > columns) {
      rows.push(style === '' ? row : row + resets.join(''));
      row = style;
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

function widthOf(character: string, column: number): number {
  if (character >= ' ' && character <= '~') return 1;
  if (character === '\t') return 8 - (column % 8);
  if (invisible.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
