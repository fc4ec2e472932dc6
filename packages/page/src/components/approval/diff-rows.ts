import type { Chunk } from './line-diff.ts';

/** A line of one of the texts, with its number from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
  /** The part that differs from the line that it faces: from, up to. Undefined: all of it, or nothing. */
  readonly part?: readonly [number, number] | undefined;
}

/** A row of two columns, or what is left out between two changes. */
export type Row =
  | { readonly type: 'same'; readonly old: Line; readonly fresh: Line }
  | { readonly type: 'changed'; readonly old: Line | undefined; readonly fresh: Line | undefined }
  | { readonly type: 'left-out'; readonly count: number };

/** Lines that are shown around a change. */
const around = 3;

/** The rows of a difference. What is the same, and far from each change, is left out. */
export function rowsOf(chunks: readonly Chunk[]): readonly Row[] {
  const rows: (readonly Row[])[] = [];
  let [old, fresh] = [1, 1];
  for (const [index, chunk] of chunks.entries()) {
    const at = { old, fresh };
    if (chunk.type === 'same') {
      rows.push(sameRows(chunk.lines, at, { isFirst: index === 0, isLast: index === chunks.length - 1 }));
      old += chunk.lines.length;
      fresh += chunk.lines.length;
    } else {
      rows.push(changedRows(chunk, at));
      old += chunk.removed.length;
      fresh += chunk.added.length;
    }
  }
  return rows.flat();
}

/** How many lines go, and how many come. */
export function countsOf(chunks: readonly Chunk[]): { readonly removed: number; readonly added: number } {
  const changed = chunks.flatMap((chunk) => (chunk.type === 'changed' ? [chunk] : []));
  return {
    removed: changed.reduce((sum, { removed }) => sum + removed.length, 0),
    added: changed.reduce((sum, { added }) => sum + added.length, 0),
  };
}

interface Numbers {
  readonly old: number;
  readonly fresh: number;
}

function sameRows(
  lines: readonly string[],
  at: Numbers,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): readonly Row[] {
  const row = (text: string, index: number): Row => ({
    type: 'same',
    old: { number: at.old + index, text },
    fresh: { number: at.fresh + index, text },
  });
  const head = isFirst ? 0 : around;
  const tail = isLast ? 0 : around;
  const all = lines.map(row);
  const count = lines.length - head - tail;
  // To leave one line out saves none.
  if (count <= 1) return all;
  return [...all.slice(0, head), { type: 'left-out', count }, ...all.slice(lines.length - tail)];
}

function changedRows({ removed, added }: Extract<Chunk, { type: 'changed' }>, at: Numbers): readonly Row[] {
  // Lines face each other if both sides have equally many.
  const isPaired = removed.length === added.length;
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, index) => {
    const [old, fresh] = [removed[index], added[index]];
    const parts = isPaired && old !== undefined && fresh !== undefined ? partsOf(old, fresh) : undefined;
    return {
      type: 'changed',
      old: old === undefined ? undefined : { number: at.old + index, text: old, part: parts?.old },
      fresh: fresh === undefined ? undefined : { number: at.fresh + index, text: fresh, part: parts?.fresh },
    };
  });
}

/** Where two lines differ, if they have something in common at their ends. */
function partsOf(old: string, fresh: string) {
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  if (start + end === 0) return undefined;
  return { old: [start, old.length - end], fresh: [start, fresh.length - end] } as const;
}
