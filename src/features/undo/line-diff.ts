import { reveal, shortened } from '../../lib/plain-text.ts';

/** Two texts with more pairs of lines than this are not compared line by line. */
const mostPairs = 1_000_000;

/** Unchanged lines around a change. */
const around = 2;

/** In characters. */
const longestLine = 200;

/**
 * The lines of a unified diff, without file names. Hidden characters are shown as escapes, and long lines are cut. Texts that
 * are long and differ in many places are shown as one change.
 */
export function lineDiff(before: string, after: string): readonly string[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const rows = edits(old, fresh);
  const isNear = nearChanges(rows);
  const shown: string[] = [];
  let [line, other] = [1, 1];
  for (const [index, { sign, text }] of rows.entries()) {
    if (isNear(index)) {
      if (index === 0 || !isNear(index - 1)) shown.push(`@@ -${line} +${other} @@`);
      shown.push(`${sign}${shortened(reveal(text), longestLine)}`);
    }
    if (sign !== '+') line += 1;
    if (sign !== '-') other += 1;
  }
  return shown;
}

/** A final line end begins no line. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

interface DiffRow {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

function edits(old: readonly string[], fresh: readonly string[]): readonly DiffRow[] {
  const top = sharedStart(old, fresh);
  const bottom = sharedStart(old.slice(top).reverse(), fresh.slice(top).reverse());
  return [
    ...old.slice(0, top).map((text) => ({ sign: ' ', text }) as const),
    ...middle(old.slice(top, old.length - bottom), fresh.slice(top, fresh.length - bottom)),
    ...old.slice(old.length - bottom).map((text) => ({ sign: ' ', text }) as const),
  ];
}

function sharedStart(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  return length;
}

/** By the longest common subsequence. */
function middle(old: readonly string[], fresh: readonly string[]): readonly DiffRow[] {
  if (old.length * fresh.length > mostPairs || old.length === 0 || fresh.length === 0)
    return [
      ...old.map((text) => ({ sign: '-', text }) as const),
      ...fresh.map((text) => ({ sign: '+', text }) as const),
    ];
  const width = fresh.length + 1;
  const shared = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number): number => shared[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = fresh.length - 1; column >= 0; column -= 1)
      shared[row * width + column] =
        old[row] === fresh[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const rows: DiffRow[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < fresh.length) {
    const [left, right] = [old[row], fresh[column]];
    if (left !== undefined && left === right) {
      rows.push({ sign: ' ', text: left });
      row += 1;
      column += 1;
    } else if (left !== undefined && (right === undefined || at(row + 1, column) >= at(row, column + 1))) {
      rows.push({ sign: '-', text: left });
      row += 1;
    } else if (right !== undefined) {
      rows.push({ sign: '+', text: right });
      column += 1;
    }
  }
  return rows;
}

function nearChanges(rows: readonly DiffRow[]): (index: number) => boolean {
  const near = new Set<number>();
  for (const [index, { sign }] of rows.entries())
    if (sign !== ' ') for (let each = index - around; each <= index + around; each += 1) near.add(each);
  return (index) => near.has(index);
}
