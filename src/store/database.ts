import type Sqlite from 'better-sqlite3';
import type { StorageTrouble } from '../conversation/health/storage.ts';
import { systemClock } from '../lib/clock.ts';
import type { DatabaseFiles } from './database-files.ts';
import { damaged } from './examine.ts';
import { createLockWait, lockedError } from './lock-wait.ts';
import { Sql } from './sql.ts';
import { createStorageState, type StorageState } from './storage-state.ts';
import { StoreError } from './store-error.ts';
import { storageWords } from './words.ts';
import { createWriteAheadLog } from './write-ahead-log.ts';

/**
 * `full`: on disk before it resolves, so it survives a power failure. `relaxed`: survives the death of the process, and
 * a power failure once any later full commit is done.
 */
export type Durability = 'full' | 'relaxed';

interface Write {
  readonly work: () => unknown;
  readonly durability: Durability;
  /** Rejects if another program has locked the database for long; others wait for it. */
  readonly isIncoming: boolean;
  readonly visible: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** How long commits wait for the end of a checkpoint, in ms. */
const longestHold = 250;

/** Statements, and the transactions that they run in: what tables are made from. */
export interface Transactions {
  /** Run statements that change data inside a write only. */
  readonly sql: Sql;
  /**
   * Runs `work` in a transaction. Writes run in call order. `visible` is called with the result after the commit,
   * before a full commit is on disk: use it for work that may start now but must not be announced yet. If it throws,
   * this write rejects although it is committed.
   */
  write<Result>(work: () => Result, durability?: Durability, visible?: (result: Result) => void): Promise<Result>;
  /**
   * A relaxed write that is committed, with all earlier ones, when this returns, or at the end of a checkpoint or of
   * another program's lock. For intentions that must be recorded before acting but need not wait for the disk.
   */
  writeNow<Result>(work: () => Result): Promise<Result>;
  /**
   * A write of something that its sender still has, and delivers again: it rejects if another program has locked the
   * database for more than a second. All other writes wait until that is over.
   */
  writeIncoming<Result>(
    work: () => Result,
    durability?: Durability,
    visible?: (result: Result) => void,
  ): Promise<Result>;
}

/** The one SQLite file. */
export interface Database extends Transactions {
  readonly state: StorageState;
  isOpen(): boolean;
  /** The file, if it has not been checked for damage yet. */
  readonly toBeRead: string | undefined;
  /** Checks that the files are in place, and that the log is intact. If not, stops storing and saves the current content beside them. */
  look(): void;
  /** The process ends: no write waits for another program's lock for more than a second any longer. */
  hurry(): void;
  /** Commits pending writes, waits until they are on disk, and closes the file. Idempotent. */
  close(): Promise<void>;
}

/**
 * Writes requested in the same tick share one commit. Each is atomic by itself: a write that throws rolls back only
 * itself.
 */
export function createDatabase(sqlite: Sqlite.Database, files?: DatabaseFiles, toBeRead?: string): Database {
  const state = createStorageState();
  const sql = new Sql(sqlite, (damage) => state.lose(damaged(sqlite.name, damage)));
  const log = createWriteAheadLog(sqlite);
  const lock = createLockWait(state, flush);
  let queue: Write[] = [];
  /** The process ends: nothing waits for another program's lock for long. */
  let isEnding = false;
  /** Committed, but possibly not on disk yet. */
  let unsynced: Write[] = [];
  /** Set while a sync is in progress. */
  let syncing: Promise<void> | undefined;
  /** A sync failed. What the disk has kept since then is unknown. */
  let isSuspect = false;
  /** Commits wait for the end of a checkpoint. */
  let isHeld = false;
  let closed: Promise<void> | undefined;

  function write<Result>(
    work: () => Result,
    durability: Durability = 'full',
    visible?: (result: Result) => void,
    isIncoming = false,
  ): Promise<Result> {
    if (state.isLost) return Promise.reject(lost());
    return new Promise<Result>((resolve, reject) => {
      if (queue.length === 0) setImmediate(flush);
      let result: Result;
      queue.push({
        work: () => {
          result = work();
        },
        // While storage is in trouble, each write must reach the disk: only that proves recovery.
        durability: state.trouble === undefined ? durability : 'full',
        isIncoming,
        visible: () => visible?.(result),
        resolve: () => resolve(result),
        reject,
      });
    });
  }

  function writeNow<Result>(work: () => Result): Promise<Result> {
    const written = write(work, 'relaxed');
    flush();
    return written;
  }

  function writeIncoming<Result>(
    work: () => Result,
    durability: Durability = 'full',
    visible?: (result: Result) => void,
  ): Promise<Result> {
    return write(work, durability, visible, true);
  }

  function look(): void {
    const words = state.isLost ? undefined : files?.lostWords(log.isIntact);
    if (words !== undefined) state.lose({ brief: (language) => storageWords[language].brief('gone'), words });
  }

  function close(): Promise<void> {
    closed ??= end();
    return closed;
  }

  async function end(): Promise<void> {
    isEnding = true;
    flush();
    while (syncing !== undefined || queue.length > 0) {
      await (lock.next() ?? syncing);
      flush();
    }
    log.close(() => (files ?? sqlite).close(), files?.isCut() !== true);
  }

  function flush(): void {
    if (isHeld || lock.next() !== undefined) return;
    const writes = queue;
    queue = [];
    const isNeeded = writes.length > 0 || (lock.isMet() && sqlite.open);
    if (!isNeeded) return;
    const failed = new Map<Write, unknown>();
    try {
      if (state.isLost) throw lost();
      if (!lock.take(() => sql.run('BEGIN IMMEDIATE'))) {
        wait(writes);
        return;
      }
      for (const write of writes) {
        sql.run('SAVEPOINT one_write');
        try {
          write.work();
        } catch (error) {
          failed.set(write, error);
          state.failed(error);
          sql.run('ROLLBACK TO one_write');
        }
        sql.run('RELEASE one_write');
      }
      sql.run('COMMIT');
      if (!log.written()) requireFiles();
    } catch (error) {
      // For example a full disk. Nothing was stored: all waiting writes reject.
      if (sqlite.inTransaction) sql.run('ROLLBACK');
      state.failed(error);
      for (const write of writes) write.reject(failed.get(write) ?? error);
      return;
    }
    for (const write of writes) {
      if (failed.has(write)) write.reject(failed.get(write));
      else finish(write);
    }
    files?.committed();
    // Sync in the background.
    syncing ??= untilSynced();
  }

  function areInPlace(): boolean {
    look();
    return !state.isLost;
  }

  function requireFiles(): void {
    if (!areInPlace()) throw lost();
  }

  /** Keeps what waits for another program's lock, and rejects what need not. */
  function wait(writes: readonly Write[]): void {
    const isRefused = ({ isIncoming }: Write): boolean => lock.isLong() && (isIncoming || isEnding);
    queue = writes.filter((write) => !isRefused(write));
    for (const write of writes.filter(isRefused)) write.reject(lockedError());
  }

  function lost(): StoreError {
    return new StoreError(state.trouble?.words ?? ((language) => storageWords[language].lost));
  }

  function finish(write: Write): void {
    try {
      write.visible();
    } catch (error) {
      write.reject(error);
      return;
    }
    if (write.durability === 'full') unsynced.push(write);
    else write.resolve();
  }

  async function untilSynced(): Promise<void> {
    do {
      if (unsynced.length > 0) await syncWrites();
      await checkpointIfDue();
    } while (unsynced.length > 0);
    syncing = undefined;
  }

  /** One sync for all commits since the last sync began. */
  async function syncWrites(): Promise<void> {
    const writes = unsynced;
    unsynced = [];
    const noteNewest = files?.noting();
    try {
      // After a failed sync, the OS may have dropped dirty pages, so copy the whole log into the database first.
      if (isSuspect) {
        requireFiles();
        log.rewrite();
      }
      isSuspect = false;
      await log.sync();
    } catch (error) {
      refused(error);
      for (const write of writes) write.reject(error);
      return;
    }
    noteNewest?.();
    state.stored();
    for (const write of writes) write.resolve();
  }

  async function checkpointIfDue(): Promise<void> {
    try {
      if (isSuspect || !log.isDue()) return;
      const ending = await log.checkpoint({ mayCopy: areInPlace, holdCommits });
      if (ending === 'whole') files?.copied(log.changes());
      if (ending === 'failed') state.lose(refusedCopy);
    } catch (error) {
      refused(error);
    }
  }

  async function holdCommits<Result>(work: () => Promise<Result>): Promise<Result> {
    isHeld = true;
    const callOff = systemClock.after(longestHold, goOn);
    try {
      return await work();
    } finally {
      callOff();
      goOn();
    }
  }

  function goOn(): void {
    isHeld = false;
    flush();
  }

  function refused(error: unknown): void {
    isSuspect = true;
    state.failed(error);
  }

  return {
    write,
    writeNow,
    writeIncoming,
    sql,
    state,
    isOpen: (): boolean => sqlite.open,
    toBeRead,
    look,
    hurry: (): void => {
      isEnding = true;
    },
    close,
  };
}

const refusedCopy: StorageTrouble = {
  brief: (language) => storageWords[language].brief('failing'),
  words: (language) => storageWords[language].refusedCopy,
};
