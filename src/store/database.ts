import type Sqlite from 'better-sqlite3';
import type { StorageTrouble } from '../conversation/health/storage.ts';
import { systemClock } from '../lib/clock.ts';
import type { DatabaseFiles } from './database-files.ts';
import { damaged } from './examine.ts';
import { createLockWait, type LockWait, lockedError } from './lock-wait.ts';
import { Sql } from './sql.ts';
import { createStorageState, type StorageState } from './storage-state.ts';
import { StoreError } from './store-error.ts';
import { storageWords } from './words.ts';
import { createWriteAheadLog, type WriteAheadLog } from './write-ahead-log.ts';

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
  const queue = new WriteQueue(sqlite, files);
  return {
    write: (work, durability, visible) => queue.write(work, durability, visible),
    writeNow: (work) => queue.writeNow(work),
    writeIncoming: (work, durability, visible) => queue.writeIncoming(work, durability, visible),
    sql: queue.sql,
    state: queue.state,
    isOpen: () => sqlite.open,
    toBeRead,
    look: () => queue.look(),
    hurry: () => queue.hurry(),
    close: () => queue.close(),
  };
}

/** What is written, from the call until it is on disk. */
class WriteQueue {
  readonly state = createStorageState();
  readonly sql: Sql;
  readonly #sqlite: Sqlite.Database;
  readonly #files: DatabaseFiles | undefined;
  readonly #log: WriteAheadLog;
  readonly #lock: LockWait;
  #queue: Write[] = [];
  /** The process ends: nothing waits for another program's lock for long. */
  #isEnding = false;
  /** Committed, but possibly not on disk yet. */
  #unsynced: Write[] = [];
  /** Set while a sync is in progress. */
  #syncing: Promise<void> | undefined;
  /** A sync failed. What the disk has kept since then is unknown. */
  #isSuspect = false;
  /** Commits wait for the end of a checkpoint. */
  #isHeld = false;
  #closed: Promise<void> | undefined;

  constructor(sqlite: Sqlite.Database, files: DatabaseFiles | undefined) {
    this.#sqlite = sqlite;
    this.#files = files;
    this.sql = new Sql(sqlite, (damage) => this.state.lose(damaged(sqlite.name, damage)));
    this.#log = createWriteAheadLog(sqlite);
    this.#lock = createLockWait(this.state, () => this.#flush());
  }

  hurry(): void {
    this.#isEnding = true;
  }

  write<Result>(
    work: () => Result,
    durability: Durability = 'full',
    visible?: (result: Result) => void,
    isIncoming = false,
  ): Promise<Result> {
    if (this.state.isLost) return Promise.reject(this.#lost());
    return new Promise<Result>((resolve, reject) => {
      if (this.#queue.length === 0) setImmediate(() => this.#flush());
      let result: Result;
      this.#queue.push({
        work: () => {
          result = work();
        },
        // While storage is in trouble, each write must reach the disk: only that proves recovery.
        durability: this.state.trouble === undefined ? durability : 'full',
        isIncoming,
        visible: () => visible?.(result),
        resolve: () => resolve(result),
        reject,
      });
    });
  }

  writeNow<Result>(work: () => Result): Promise<Result> {
    const written = this.write(work, 'relaxed');
    this.#flush();
    return written;
  }

  writeIncoming<Result>(
    work: () => Result,
    durability: Durability = 'full',
    visible?: (result: Result) => void,
  ): Promise<Result> {
    return this.write(work, durability, visible, true);
  }

  look(): void {
    const words = this.state.isLost ? undefined : this.#files?.lostWords(() => this.#log.isIntact());
    if (words !== undefined) this.state.lose({ brief: (language) => storageWords[language].brief('gone'), words });
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    this.#isEnding = true;
    this.#flush();
    while (this.#syncing !== undefined || this.#queue.length > 0) {
      await (this.#lock.next() ?? this.#syncing);
      this.#flush();
    }
    this.#log.close(() => (this.#files ?? this.#sqlite).close(), this.#files?.isCut() !== true);
  }

  #flush(): void {
    while (this.#commit() === 'again');
  }

  /** One commit of all that waits. `again`: a write that failed was taken out of it. */
  #commit(): 'again' | 'done' {
    if (this.#isHeld || this.#lock.next() !== undefined) return 'done';
    const writes = this.#queue;
    this.#queue = [];
    const isNeeded = writes.length > 0 || (this.#lock.isMet() && this.#sqlite.open);
    if (!isNeeded) return 'done';
    const failed = new Map<Write, unknown>();
    try {
      if (this.state.isLost) throw this.#lost();
      if (!this.#lock.take(() => this.sql.run('BEGIN IMMEDIATE'))) {
        this.#wait(writes);
        return 'done';
      }
      if (!this.#workFirst(writes)) return 'again';
      for (const [position, write] of writes.slice(1).entries()) {
        if (position > 0) this.sql.run('RELEASE one_write');
        this.#workApart(write, failed);
      }
      this.sql.run('COMMIT');
      if (!this.#log.written()) this.#requireFiles();
    } catch (error) {
      // For example a full disk. Nothing was stored: all waiting writes reject.
      if (this.#sqlite.inTransaction) this.sql.run('ROLLBACK');
      this.sql.told.forget(0);
      this.state.failed(error);
      for (const write of writes) write.reject(failed.get(write) ?? error);
      return 'done';
    }
    this.sql.told.committed();
    for (const write of writes) {
      if (failed.has(write)) write.reject(failed.get(write));
      else this.#finish(write);
    }
    this.#files?.committed();
    // Sync in the background.
    this.#syncing ??= this.#untilSynced();
    return 'done';
  }

  /**
   * The first write of a commit needs nothing to go back to but the beginning: if it fails, this is false, and the others
   * are to begin again without it.
   */
  #workFirst([first, ...others]: readonly Write[]): boolean {
    try {
      first?.work();
      return true;
    } catch (error) {
      // A full disk ends the transaction by itself, for all of them.
      if (first === undefined || others.length === 0 || !this.#sqlite.inTransaction) throw error;
      this.sql.run('ROLLBACK');
      this.sql.told.forget(0);
      this.state.failed(error);
      first.reject(error);
      this.#queue = [...others, ...this.#queue];
      return false;
    }
  }

  /** If it fails, the others of the commit stand. The commit ends the last savepoint. */
  #workApart(write: Write, failed: Map<Write, unknown>): void {
    this.sql.run('SAVEPOINT one_write');
    const { count } = this.sql.told;
    try {
      write.work();
    } catch (error) {
      failed.set(write, error);
      this.state.failed(error);
      this.sql.run('ROLLBACK TO one_write');
      this.sql.told.forget(count);
    }
  }

  #areInPlace(): boolean {
    this.look();
    return !this.state.isLost;
  }

  #requireFiles(): void {
    if (!this.#areInPlace()) throw this.#lost();
  }

  /** Keeps what waits for another program's lock, and rejects what need not. */
  #wait(writes: readonly Write[]): void {
    const isRefused = ({ isIncoming }: Write): boolean => this.#lock.isLong() && (isIncoming || this.#isEnding);
    this.#queue = writes.filter((write) => !isRefused(write));
    for (const write of writes.filter(isRefused)) write.reject(lockedError());
  }

  #lost(): StoreError {
    return new StoreError(this.state.trouble?.words ?? ((language) => storageWords[language].lost));
  }

  #finish(write: Write): void {
    try {
      write.visible();
    } catch (error) {
      write.reject(error);
      return;
    }
    if (write.durability === 'full') this.#unsynced.push(write);
    else write.resolve();
  }

  async #untilSynced(): Promise<void> {
    do {
      if (this.#unsynced.length > 0) await this.#syncWrites();
      await this.#checkpointIfDue();
    } while (this.#unsynced.length > 0);
    this.#syncing = undefined;
  }

  /** One sync for all commits since the last sync began. */
  async #syncWrites(): Promise<void> {
    const writes = this.#unsynced;
    this.#unsynced = [];
    const noteNewest = this.#files?.noting();
    try {
      // After a failed sync, the OS may have dropped dirty pages, so copy the whole log into the database first.
      if (this.#isSuspect) {
        this.#requireFiles();
        this.#log.rewrite();
      }
      this.#isSuspect = false;
      await this.#log.sync();
    } catch (error) {
      this.#refused(error);
      for (const write of writes) write.reject(error);
      return;
    }
    noteNewest?.();
    this.state.stored();
    for (const write of writes) write.resolve();
  }

  async #checkpointIfDue(): Promise<void> {
    try {
      if (this.#isSuspect || !this.#log.isDue()) return;
      const ending = await this.#log.checkpoint({
        mayCopy: () => this.#areInPlace(),
        holdCommits: (work) => this.#holdCommits(work),
      });
      if (ending === 'whole') this.#files?.copied(this.#log.changes());
      if (ending === 'failed') this.state.lose(refusedCopy);
    } catch (error) {
      this.#refused(error);
    }
  }

  async #holdCommits<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#isHeld = true;
    const callOff = systemClock.after(longestHold, () => this.#goOn());
    try {
      return await work();
    } finally {
      callOff();
      this.#goOn();
    }
  }

  #goOn(): void {
    this.#isHeld = false;
    this.#flush();
  }

  #refused(error: unknown): void {
    this.#isSuspect = true;
    this.state.failed(error);
  }
}

const refusedCopy: StorageTrouble = {
  brief: (language) => storageWords[language].brief('failing'),
  words: (language) => storageWords[language].refusedCopy,
};
