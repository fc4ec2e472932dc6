import { fenced } from '../../lib/plain-text.ts';
import { lineNumbers } from './replacement.ts';

/** A text in which each of the places was exchanged. */
export interface Change {
  readonly before: string;
  /** Where the old text stands in it, ascending. */
  readonly places: readonly number[];
  readonly oldText: string;
  readonly newText: string;
}

/** Whole lines that were exchanged, with those around them. Line numbers count from 1. */
interface Hunk {
  readonly oldStart: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

const context = 2;
const mostHunks = 20;

/** What changes, as a markdown block in the manner of a unified diff. Many places are told of by number only. */
export function renderDiff(change: Change): string {
  const lines = change.before.split('\n');
  // A line end at the end of the file begins no line.
  const count = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  const hunks = hunksOf(change, lines);
  const rows: string[] = [];
  let shift = 0;
  for (const { oldStart, removed, added } of hunks.slice(0, mostHunks)) {
    const before = lines.slice(Math.max(0, oldStart - 1 - context), oldStart - 1);
    const next = oldStart - 1 + removed.length;
    const after = lines.slice(next, Math.min(next + context, count));
    const around = before.length + after.length;
    const start = oldStart - before.length;
    rows.push(`@@ -${start},${around + removed.length} +${start + shift},${around + added.length} @@`);
    rows.push(...before.map((line) => ` ${line}`), ...removed.map((line) => `-${line}`));
    rows.push(...added.map((line) => `+${line}`), ...after.map((line) => ` ${line}`));
    shift += added.length - removed.length;
  }
  if (hunks.length > mostHunks) rows.push(`@@ and ${hunks.length - mostHunks} more places @@`);
  return fenced(rows.join('\n').replaceAll('\r', ''), 'diff');
}

function hunksOf({ before, places, oldText, newText }: Change, lines: readonly string[]): readonly Hunk[] {
  const firsts = lineNumbers(before, places);
  const lasts = lineNumbers(
    before,
    places.map((place) => place + oldText.length),
  );
  const ranges: { readonly first: number; last: number }[] = [];
  for (const [index, first] of firsts.entries()) {
    const last = lasts[index] ?? first;
    const open = ranges.at(-1);
    if (open !== undefined && first <= open.last) open.last = last;
    else ranges.push({ first, last });
  }
  return ranges.map(({ first, last }) => {
    const removed = lines.slice(first - 1, last);
    const added = removed.join('\n').split(oldText).join(newText).split('\n');
    return trimmed({ oldStart: first, removed, added });
  });
}

/** Without the lines at both ends that stay as they are. */
function trimmed({ oldStart, removed, added }: Hunk): Hunk {
  const shorter = Math.min(removed.length, added.length);
  let top = 0;
  while (top < shorter && removed[top] === added[top]) top++;
  let bottom = 0;
  while (bottom < shorter - top && removed.at(-1 - bottom) === added.at(-1 - bottom)) bottom++;
  return {
    oldStart: oldStart + top,
    removed: removed.slice(top, removed.length - bottom),
    added: added.slice(top, added.length - bottom),
  };
}
