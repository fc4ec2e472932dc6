const invisible = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const wide =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]$/u;
const esc = '\u001b';
const styleOrCharacter = new RegExp(`${esc}\\[\\d+m|.`, 'gsu');
const styles = new RegExp(`${esc}\\[\\d+m`, 'g');
const resets: readonly string[] = [`${esc}[22m`, `${esc}[39m`];
/** Of italic and underlined text. */
const otherStyle = /\[[34]m$/;
const otherResets: readonly string[] = [`${esc}[23m`, `${esc}[24m`];

/** The last row of a text on a terminal that breaks full rows. A style that is open there begins it. */
export function lastRow(text: string, columns: number): string {
  let row = '';
  let width = 0;
  let style = '';
  for (const [part] of text.slice(text.lastIndexOf('\n') + 1).matchAll(styleOrCharacter)) {
    if (part.startsWith(esc)) style = isReset(part) ? '' : part;
    const added = part.startsWith(esc) ? 0 : widthOf(part, width);
    if (width + added > columns) {
      row = style;
      width = 0;
    }
    row += part;
    width += added;
  }
  return row;
}

/**
 * Breaks a line into rows that fit after the indent: at blanks, and beside Chinese characters, but never before a mark that
 * closes something, nor after one that opens it. A longer word is broken where the row ends. An open style is closed and
 * reopened at each break.
 */
export function breakRows(line: string, columns: number, indent: number): readonly string[] {
  const rows: string[] = [];
  let row = '';
  let width = indent;
  let style = '';
  let previous = '';
  /** Where the row may be broken, and the style there. */
  let gap: { readonly at: number; readonly style: string } | undefined;
  for (const [part] of line.matchAll(styleOrCharacter)) {
    if (part.startsWith(esc)) {
      style = isReset(part) ? '' : part;
      row += part;
      continue;
    }
    const isBlank = part.trim() === '';
    if (isBlank && previous === '' && rows.length > 0) continue;
    if (previous !== '' && mayBreak(previous, part)) gap = { at: row.length, style };
    if (width > indent && width + widthOf(part, width) > columns) {
      const { at, style: styleThere } = (isBlank ? undefined : gap) ?? { at: row.length, style };
      rows.push(ended(row.slice(0, at), styleThere));
      row = styleThere + row.slice(at);
      width = indent + plainWidth(row);
      gap = undefined;
      previous = '';
      if (isBlank) continue;
    }
    row += part;
    width += widthOf(part, width);
    if (!isBlank || previous !== '') previous = part;
  }
  return row.trim() === '' && rows.length > 0 ? rows : [...rows, row];
}

/** How many rows a line takes on a terminal that breaks full rows; none if it is empty. */
export function rowCount(line: string, columns: number): number {
  return Math.ceil(plainWidth(line) / columns);
}

/** Without the blanks at its end, and with its style closed. */
function ended(row: string, style: string): string {
  const text = row.trimEnd();
  if (style === '') return text;
  return text + [...resets, ...(otherStyle.test(style) ? otherResets : [])].join('');
}

function isReset(part: string): boolean {
  return resets.includes(part) || otherResets.includes(part);
}

function plainWidth(row: string): number {
  return textWidth(row.replaceAll(styles, ''));
}

/** Between two characters. A blank stays at the end of its row. */
function mayBreak(before: string, after: string): boolean {
  if (/\s/.test(after)) return false;
  if (/\s/.test(before)) return true;
  if (!han.test(before) && !han.test(after)) return false;
  return !closing.test(after) && !opening.test(before) && !invisible.test(after);
}

const han = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]$/u;
const closing = /^[\p{Pe}\p{Pf}\p{Po}\u3005\u30fc…—%]$/u;
const opening = /^[\p{Ps}\p{Pi}]$/u;

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
