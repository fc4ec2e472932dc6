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

export function createLockWait(state: LockWatch, again: () => void): LockWait {
  const waiting = new Waiting(state, again);
  return {
    take: (begin) => waiting.take(begin),
    isLong: () => waiting.isLong(),
    isMet: () => waiting.isMet(),
    next: () => waiting.next(),
  };
}

/** Who is told of the lock. */
interface LockWatch {
  failed(error: unknown): void;
  unlocked(): void;
}

class Waiting {
  readonly #state: LockWatch;
  readonly #again: () => void;
  /** When the lock was met, in ms of `performance.now()`; undefined if there is none. */
  #since: number | undefined;
  #pause = firstPause;
  #trying: Promise<void> | undefined;

  constructor(state: LockWatch, again: () => void) {
    this.#state = state;
    this.#again = again;
  }

  take(begin: () => void): boolean {
    try {
      begin();
    } catch (error) {
      if (!isLocked(error)) throw error;
      this.#since ??= performance.now();
      if (this.isLong()) this.#state.failed(error);
      this.#trying = this.#nextTry();
      return false;
    }
    if (this.#since !== undefined) this.#state.unlocked();
    this.#since = undefined;
    this.#pause = firstPause;
    return true;
  }

  isLong(): boolean {
    return this.#since !== undefined && performance.now() - this.#since >= longestLock;
  }

  isMet(): boolean {
    return this.#since !== undefined;
  }

  next(): Promise<void> | undefined {
    return this.#trying;
  }

  #nextTry(): Promise<void> {
    const wait = this.#pause;
    this.#pause = Math.min(longestPause, 2 * this.#pause);
    return new Promise((resolve) => {
      setTimeout(() => {
        this.#trying = undefined;
        this.#again();
        resolve();
      }, wait);
    });
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** What is rejected because of it. */
export function lockedError(): Error {
  return new Sqlite.SqliteError('another program has locked the database', 'SQLITE_BUSY');
}
