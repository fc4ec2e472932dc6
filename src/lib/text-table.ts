import type { Align } from './markdown-tree.ts';

/** Columns are padded to at most this, so that one long cell does not widen every row. */
const widestPadding = 32;
const gap = ' | ';

/** The rows as lines of aligned columns. The first row is the head. */
export function tableText(rows: readonly (readonly string[])[], align: readonly Align[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) => columnWidth(rows, column));
  const lines = rows.map((row) =>
    widths
      .map((width, column) => pad(row[column] ?? '', width, align[column]))
      .join(gap)
      .trimEnd(),
  );
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-');
  return [...lines.slice(0, 1), rule, ...lines.slice(1)].join('\n');
}

function columnWidth(rows: readonly (readonly string[])[], column: number): number {
  const widest = Math.max(1, ...rows.map((row) => displayWidth(row[column] ?? '')));
  return Math.min(widest, widestPadding);
}

function pad(text: string, width: number, align: Align): string {
  const missing = Math.max(0, width - displayWidth(text));
  if (align === 'right') return ' '.repeat(missing) + text;
  if (align === 'center') return ' '.repeat(Math.floor(missing / 2)) + text + ' '.repeat(Math.ceil(missing / 2));
  return text + ' '.repeat(missing);
}

/** East Asian characters and pictographs take two columns. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu;

function displayWidth(text: string): number {
  return [...text].length + (text.match(wide)?.length ?? 0);
}
