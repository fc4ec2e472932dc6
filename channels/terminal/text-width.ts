const invisible = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const wide =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]$/u;

/** The part of a text that stands on the last row of a terminal that breaks rows where they are full. */
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

function widthOf(character: string, column: number): number {
  if (character >= ' ' && character <= '~') return 1;
  if (character === '\t') return 8 - (column % 8);
  if (invisible.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
