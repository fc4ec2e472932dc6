import type { StorageTrouble } from '../conversation/health/storage.ts';

/** Whether incoming events can be stored. */
export interface StorageState {
  readonly trouble: StorageTrouble | undefined;
  /** Nothing may be stored until the next start. */
  readonly isLost: boolean;
  /** The watcher is told of each change. */
  watch(watcher: (trouble: StorageTrouble | undefined) => void): void;
  /** A write failed. Ignored unless the storage is the cause. */
  failed(error: unknown): void;
  /** The lock of another program is gone. */
  unlocked(): void;
  /** Whether a write failed because of the storage, which a later try may find in order. */
  isAtFault(error: unknown): boolean;
  /** What is wrong with the storage, by the error of a write: `the disk is full`. */
  briefOf(error: unknown): string | undefined;
  /** A write is on disk. */
  stored(): void;
  /** Nothing is stored from now on: it would end up where nobody finds it. */
  lose(lost: StorageTrouble): void;
}

export function createStorageState(): StorageState {
  let trouble: StorageTrouble | undefined;
  let isLost = false;
  const watchers: ((trouble: StorageTrouble | undefined) => void)[] = [];

  function change(next: StorageTrouble | undefined): void {
    if (next?.words === trouble?.words) return;
    trouble = next;
    for (const watcher of watchers) watcher(next);
  }

  return {
    get trouble(): StorageTrouble | undefined {
      return trouble;
    },
    get isLost() {
      return isLost;
    },
    watch: (watcher: (trouble: StorageTrouble | undefined) => void): void => void watchers.push(watcher),
    failed(error: unknown): void {
      if (isLost || !(error instanceof Error)) return;
      const brief = briefOf(error);
      if (brief === undefined) return;
      const what = brief === 'the disk is full' || brief === locked ? '' : ` (${error.message})`;
      const hint = brief === locked ? ' If that is a backup tool or an sqlite3 that hangs, end it.' : '';
      const words = `I cannot store anything: ${brief}${what}. What you write meanwhile is not lost: it stays with the platform, and I take it up when I can store it.${hint}`;
      change({ brief, words });
    },
    unlocked(): void {
      if (trouble?.brief === locked) change(undefined);
    },
    isAtFault: (error: unknown): boolean => isLost || briefOf(error) !== undefined,
    briefOf,
    stored(): void {
      if (!isLost) change(undefined);
    },
    lose(lost: StorageTrouble): void {
      if (isLost) return;
      isLost = true;
      change(lost);
    },
  };
}

const locked = 'another program has locked the database';

/** The cause by the error code of SQLite or the system; undefined if it is not the disk. */
function briefOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('SQLITE_BUSY')) return locked;
  if (/^(?:SQLITE_FULL|ENOSPC|EDQUOT)/.test(code)) return 'the disk is full';
  if (/^(?:SQLITE_IOERR_WRITE|EFBIG)/.test(code)) return 'the disk is full, or fails';
  if (/^(?:SQLITE_IOERR|EIO)/.test(code)) return 'the disk fails';
  if (/^(?:SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM|EROFS|EACCES)/.test(code))
    return 'the database may not be written';
  return undefined;
}
