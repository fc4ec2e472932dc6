import type { SeededRandom } from '../random.ts';

/** A change of a file's content. */
export type Change =
  | { readonly type: 'bytes'; readonly at: number; readonly bytes: Buffer }
  | { readonly type: 'size'; readonly size: number };

/**
 * What arrives of what was not synced: nothing, all, the first changes, any of them, of each any sectors of that size; or
 * only how long the file is, with zeros where it has grown.
 */
export type Arrival =
  | { readonly type: 'none' | 'all' | 'first' | 'some' | 'length' }
  | { readonly type: 'torn'; readonly sector: number };

/** The content with the changes, in their order. */
export function changed(content: Buffer, changes: readonly Change[]): Buffer {
  if (changes.length === 0) return content;
  const most = changes.reduce((size, change) => Math.max(size, endOf(change)), content.length);
  const next = Buffer.alloc(most);
  content.copy(next);
  let size = content.length;
  for (const change of changes) {
    if (change.type === 'bytes') change.bytes.copy(next, change.at);
    else next.fill(0, change.size);
    size = change.type === 'size' ? change.size : Math.max(size, endOf(change));
  }
  return next.subarray(0, size);
}

/** How long it is then. */
export function sizeWith(size: number, changes: readonly Change[]): number {
  return changes.reduce((now, change) => (change.type === 'size' ? change.size : Math.max(now, endOf(change))), size);
}

/** What a power failure leaves of a file. */
export function left(synced: Buffer, changes: readonly Change[], arrival: Arrival, random: SeededRandom): Buffer {
  switch (arrival.type) {
    case 'none':
      return synced;
    case 'all':
      return changed(synced, changes);
    case 'first':
      return changed(synced, changes.slice(0, random.integer(0, changes.length)));
    case 'some': {
      const share = random.integer(1, 9) / 10;
      return changed(
        synced,
        changes.filter(() => random.chance(share)),
      );
    }
    case 'length': {
      const sizes: Change[] = [];
      let size = synced.length;
      for (const change of changes) {
        size = sizeWith(size, [change]);
        sizes.push({ type: 'size', size });
      }
      return changed(synced, sizes);
    }
    case 'torn': {
      const share = random.integer(1, 9) / 10;
      const { sector } = arrival;
      return changed(
        synced,
        changes.flatMap((change) => torn(change, sector, () => random.chance(share))),
      );
    }
  }
}

/** The sectors of a change that arrive: a sector is written whole, or not at all. */
function torn(change: Change, sector: number, arrives: () => boolean): readonly Change[] {
  if (change.type === 'size') return arrives() ? [change] : [];
  const parts: Change[] = [];
  const end = endOf(change);
  for (let at = change.at; at < end; ) {
    const next = Math.min(end, at - (at % sector) + sector);
    if (arrives()) parts.push({ type: 'bytes', at, bytes: change.bytes.subarray(at - change.at, next - change.at) });
    at = next;
  }
  return parts;
}

function endOf(change: Change): number {
  return change.type === 'size' ? change.size : change.at + change.bytes.length;
}
