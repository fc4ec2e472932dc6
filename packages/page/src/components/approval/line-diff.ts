/*
 * What differs between two texts, line by line, by the algorithm of Myers: the fewest lines that go or come. Equal lines at
 * both ends are set aside first. Where the texts have so little in common that it would take long, the middle is told as
 * replaced whole.
 */

/** A run of lines: the same in both texts, or those that go and those that come in their place. */
export type Chunk =
  | { readonly type: 'same'; readonly lines: readonly string[] }
  | { readonly type: 'changed'; readonly removed: readonly string[]; readonly added: readonly string[] };

/** More different lines than this are not looked for. */
const mostEdits = 2_000;

/** `before` undefined: there is none. A line end at the end begins no line. */
export function diffLines(before: string | undefined, after: string): readonly Chunk[] {
  const [old, fresh] = [linesOf(before ?? ''), linesOf(after)];
  let top = 0;
  while (top < old.length && top < fresh.length && old[top] === fresh[top]) top += 1;
  let [oldEnd, freshEnd] = [old.length, fresh.length];
  while (oldEnd > top && freshEnd > top && old[oldEnd - 1] === fresh[freshEnd - 1]) {
    oldEnd -= 1;
    freshEnd -= 1;
  }
  return joined([
    { type: 'same', lines: old.slice(0, top) },
    ...between(old.slice(top, oldEnd), fresh.slice(top, freshEnd)),
    { type: 'same', lines: old.slice(oldEnd) },
  ]);
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function between(old: readonly string[], fresh: readonly string[]): readonly Chunk[] {
  const replaced: Chunk = { type: 'changed', removed: old, added: fresh };
  if (old.length === 0 || fresh.length === 0) return [replaced];
  const traces = tracesOf(old, fresh);
  return traces === undefined ? [replaced] : backtracked(old, fresh, traces);
}

/** How far each diagonal reaches with so many edits: a copy for each number of them. Undefined: too many. */
function tracesOf(old: readonly string[], fresh: readonly string[]): readonly Int32Array[] | undefined {
  const most = Math.min(old.length + fresh.length, mostEdits);
  const reach = new Int32Array(2 * most + 3);
  const middle = most + 1;
  const traces: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits += 1) {
    // Only the diagonals that this number of edits can have reached.
    traces.push(reach.slice(middle - edits - 1, middle + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const [left, right] = [reach[middle + diagonal - 1] ?? 0, reach[middle + diagonal + 1] ?? 0];
      let x = diagonal === -edits || (diagonal !== edits && left < right) ? right : left + 1;
      let y = x - diagonal;
      while (x < old.length && y < fresh.length && old[x] === fresh[y]) {
        x += 1;
        y += 1;
      }
      reach[middle + diagonal] = x;
      if (x >= old.length && y >= fresh.length) return traces;
    }
  }
  return undefined;
}

/** The way back through the traces, from the ends of both texts. */
function backtracked(
  old: readonly string[],
  fresh: readonly string[],
  traces: readonly Int32Array[],
): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let [x, y] = [old.length, fresh.length];
  for (let edits = traces.length - 1; edits >= 0; edits -= 1) {
    const trace = traces[edits] ?? new Int32Array();
    const at = (diagonal: number): number => trace[diagonal + edits + 1] ?? 0;
    const diagonal = x - y;
    const isDown = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
    const former = isDown ? diagonal + 1 : diagonal - 1;
    const [fromX, fromY] = edits === 0 ? [0, 0] : [at(former), at(former) - former];
    const startX = edits === 0 ? 0 : isDown ? fromX : fromX + 1;
    chunks.push({ type: 'same', lines: old.slice(startX, x) });
    if (edits > 0)
      chunks.push({
        type: 'changed',
        removed: old.slice(fromX, startX),
        added: isDown ? fresh.slice(fromY, fromY + 1) : [],
      });
    [x, y] = [fromX, fromY];
  }
  return chunks.toReversed();
}

/** Neighbours of the same kind as one, and none that are empty. */
function joined(chunks: readonly Chunk[]): readonly Chunk[] {
  const groups: { readonly type: Chunk['type']; readonly removed: string[][]; readonly added: string[][] }[] = [];
  for (const chunk of chunks) {
    const [removed, added] = chunk.type === 'same' ? [chunk.lines, []] : [chunk.removed, chunk.added];
    if (removed.length + added.length === 0) continue;
    const last = groups.at(-1);
    const group = last?.type === chunk.type ? last : { type: chunk.type, removed: [], added: [] };
    if (group !== last) groups.push(group);
    group.removed.push([...removed]);
    group.added.push([...added]);
  }
  return groups.map(({ type, removed, added }) =>
    type === 'same' ? { type, lines: removed.flat() } : { type, removed: removed.flat(), added: added.flat() },
  );
}
