import { textWidth } from '../lib/text-width.ts';
import { printed } from './printed.ts';

/** Rows of cells as lines, indented, with each column as wide as its widest cell. The last one is as long as it is. */
export function columns(given: readonly (readonly string[])[]): readonly string[] {
  const rows = given.map((row) => row.map(lineOf));
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...rows.map((row) => (column < row.length - 1 ? textWidth(row[column] ?? '') : 0))),
  );
  return rows.map((row) => `  ${row.map((cell, column) => padded(cell, widths[column] ?? 0)).join('  ')}`.trimEnd());
}

/** A cell that has a line of its own would look like another row. */
function lineOf(cell: string): string {
  return printed(cell).replaceAll('\n', ' ⏎ ').replaceAll('\t', ' ');
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}
