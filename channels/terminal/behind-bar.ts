import { bar } from './own-marks.ts';
import type { Style } from './style.ts';
import { breakRows } from './text-width.ts';

const indent = 2;

/** Sets the lines behind a bar. A line that is too long is broken, so that no row of it stands without the bar. */
export function behindBar(lines: string, style: Style, columns: number): string {
  return lines
    .split('\n')
    .flatMap((line) => breakRows(line, columns, indent))
    .map((row) => `${style.dim(bar)} ${row}`)
    .join('\n');
}
