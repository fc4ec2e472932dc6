import Sqlite from 'better-sqlite3';

/** How long SQLite itself may wait for another program's lock, in ms: the event loop stands meanwhile. */
export const lockPatience = 10;

/** Pauses between tries, in ms. */
const firstPause = 10;
const longestPause = 100;
/** A lock that lasts longer is a trouble of the storage: people are told, and what comes in is refused. In ms. */
const longestLock = 1_000;

/**
 * Waits for another program that has locked the database: between ticks of the event loop, never on it. `again` is
 * called for each try. Time is the machine's own, as the lock is.
 */
export interface LockWait {
  /** Tries once. False if another program holds the lock: `again` follows. Throws other errors. */
  take(begin: () => void): boolean;
  /** Whether the lock has lasted for longer than anybody should wait. */
  isLong(): boolean;
  /** Whether the lock was met, and is not known to be gone. */
  isMet(): boolean;
  /** The next try, if one is to come: nothing is tried before. */
  next(): Promise<void> | undefined;
}

export function createLockWait(state: { failed(error: unknown): void; unlocked(): void }, again: () => void): LockWait {
  /** When the lock was met, in ms of `performance.now()`; undefined if there is none. */
  let since: number | undefined;
  let pause = firstPause;
  let trying: Promise<void> | undefined;

  function take(begin: () => void): boolean {
    try {
      begin();
    } catch (error) {
      if (!isLocked(error)) throw error;
      since ??= performance.now();
      if (isLong()) state.failed(error);
      trying = nextTry();
      return false;
    }
    if (since !== undefined) state.unlocked();
    since = undefined;
    pause = firstPause;
    return true;
  }

  function isLong(): boolean {
    return since !== undefined && performance.now() - since >= longestLock;
  }

  function nextTry(): Promise<void> {
    const wait = pause;
    pause = Math.min(longestPause, 2 * pause);
    return new Promise((resolve) => {
      setTimeout(() => {
        trying = undefined;
        again();
        resolve();
      }, wait);
    });
  }

  return { take, isLong, isMet: () => since !== undefined, next: () => trying };
}

function isLocked(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** What is rejected because of it. */
export function lockedError(): Error {
  return new Sqlite.SqliteError('another program has locked the database', 'SQLITE_BUSY');
}
