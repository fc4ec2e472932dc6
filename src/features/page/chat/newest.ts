import type { StoredEntry } from './stored.ts';

/** Up to where the entries of each source were seen. */
export interface Cursor {
  readonly message: number;
  readonly command: number;
  readonly shown: number;
  readonly turn: number;
  readonly position: number;
}

const all = Number.MAX_SAFE_INTEGER;

/** Nothing was seen yet. */
const fromNewest: Cursor = { message: all, command: all, shown: all, turn: all, position: 0 };

/**
 * The newest of several lists, each with its newest first; the result has its oldest first. What a list holds stays in its
 * order even if the clock was set back meanwhile, so that a cursor misses nothing.
 */
export function newestOf(lists: readonly (readonly StoredEntry[])[], most: number): readonly StoredEntry[] {
  const rest = lists.map((list) => [...list]);
  const found: StoredEntry[] = [];
  while (found.length < most) {
    const heads = rest.filter(([head]) => head !== undefined);
    const [newest] = heads.toSorted(([one], [other]) => (one && other ? compare(other, one) : 0));
    const next = newest?.shift();
    if (next === undefined) break;
    found.push(next);
  }
  return found.toReversed();
}

function compare(one: StoredEntry, other: StoredEntry): number {
  return one.at - other.at || rankOf(one) - rankOf(other);
}

/** What comes first of what has the same time: a text stands before the calls of its turn, and their cards behind them. */
function rankOf(entry: StoredEntry): number {
  switch (entry.of) {
    case 'message':
    case 'command':
      return 0;
    case 'call':
      return 2;
    case 'shown':
      return entry.kind === 'card' || entry.kind === 'notice' ? 3 : 1;
  }
}

/** Where the entries before these are found. */
export function cursorBefore(entries: readonly StoredEntry[], from: Cursor): Cursor {
  // The oldest is the first.
  return entries.reduceRight((cursor, entry) => passed(cursor, entry), from);
}

function passed(cursor: Cursor, entry: StoredEntry): Cursor {
  switch (entry.of) {
    case 'message':
    case 'command':
    case 'shown':
      return { ...cursor, [entry.of]: entry.seq };
    case 'call':
      return { ...cursor, turn: entry.turnId, position: entry.position };
  }
}

export function cursorText({ message, command, shown, turn, position }: Cursor): string {
  return [message, command, shown, turn, position].map((number) => (number === all ? '' : number)).join('.');
}

/** Undefined: it is none. */
export function cursorIn(text: string | null): Cursor | undefined {
  if (text === null) return fromNewest;
  if (!/^(?:\d{0,15}\.){4}\d{1,15}$/.test(text)) return undefined;
  const [message = all, command = all, shown = all, turn = all, position = 0] = text
    .split('.')
    .map((number) => (number === '' ? all : Number(number)));
  return { message, command, shown, turn, position };
}
