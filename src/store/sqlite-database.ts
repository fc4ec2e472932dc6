import type Sqlite from 'better-sqlite3';
import type { Places } from '../conversation/access/readers.ts';
import type { StorageTrouble } from '../conversation/health/storage.ts';
import { systemClock } from '../lib/clock.ts';
import type { Database, Durability, Step } from './database.ts';
import type { DatabaseFiles } from './database-files.ts';
import { endProcess, isLate } from './end-process.ts';
import { damaged } from './examine.ts';
import { createLockWait, type LockWait, lockedError } from './lock-wait.ts';
import { createPlaces } from './places.ts';
import { SharedReads, WaitingReads } from './shared-reads.ts';
import type { Eventual, Sql } from './sql.ts';
import { SqliteOutside } from './sqlite-outside.ts';
import { SqliteSql } from './sqlite-sql.ts';
import { createStorageState } from './storage-state.ts';
import { StoreError } from './store-error.ts';
import { storageWords } from './words.ts';
import { createWriteAheadLog, type WriteAheadLog } from './write-ahead-log.ts';

interface Write {
  readonly work: (sql: Sql) => Promise<void>;
  readonly durability: Durability;
  /** Rejects if another program has locked the database for long; others wait for it. */
  readonly isIncoming: boolean;
  readonly visible: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** How long commits wait for the end of a checkpoint, in ms. */
const longestHold = 250;

/**
 * The one SQLite file. Writes requested in the same tick share one commit. Each is atomic by itself: a write that throws rolls
 * back only itself. One step is in progress at a time, and since it waits for statements alone, which SQLite runs at once, it
 * is over before the process does anything that came from outside.
 */
export function createDatabase(sqlite: Sqlite.Database, files?: DatabaseFiles, toBeRead?: string): Database {
  const queue = new WriteQueue(sqlite, files);
  return {
    write: (step, durability, visible) => queue.write(step, durability, visible),
    writeNow: (step) => queue.writeNow(step),
    writeIncoming: (step, durability, visible) => queue.writeIncoming(step, durability, visible),
    read: (step) => queue.read(step),
    sql: queue.outside,
    places: queue.places,
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
  readonly outside: Sql;
  readonly places: Places;
  readonly #sql: SqliteSql;
  readonly #sqlite: Sqlite.Database;
  readonly #files: DatabaseFiles | undefined;
  readonly #log: WriteAheadLog;
  readonly #lock: LockWait;
  #queue: Write[] = [];
  /** Ends with the commit in progress. */
  #committing: Promise<void> | undefined;
  /** There is more to commit than what is in progress. */
  #goesOn = false;
  readonly #reads: SharedReads;
  /** Were asked for in the midst of a commit. */
  readonly #waitingReads = new WaitingReads();
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
    this.#sql = new SqliteSql(sqlite, (damage) => this.state.lose(damaged(sqlite.name, damage)));
    this.outside = new SqliteOutside(this.#sql, (work) => this.#behindCommit(work));
    this.#reads = new SharedReads(this.#sql);
    this.places = createPlaces(this.#sql);
    this.#log = createWriteAheadLog(sqlite, (work) => this.#between(work));
    this.#lock = createLockWait(this.state, () => this.#flush());
  }

  hurry(): void {
    this.#isEnding = true;
  }

  write<Result>(
    step: Step<Result>,
    durability: Durability = 'full',
    visible?: (result: Result) => void,
    isIncoming = false,
  ): Promise<Result> {
    if (this.state.isLost) return Promise.reject(this.#lost());
    return new Promise<Result>((resolve, reject) => {
      if (this.#queue.length === 0) setImmediate(() => this.#flush());
      let result: Result;
      this.#queue.push({
        work: async (sql) => {
          result = await step(sql);
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

  writeNow<Result>(step: Step<Result>): Promise<Result> {
    const written = this.write(step, 'relaxed');
    this.#flush();
    return written;
  }

  writeIncoming<Result>(
    step: Step<Result>,
    durability: Durability = 'full',
    visible?: (result: Result) => void,
  ): Promise<Result> {
    return this.write(step, durability, visible, true);
  }

  async read<Result>(step: Step<Result>): Promise<Result> {
    return await this.#behindCommit(() => this.#reads.read(step));
  }

  /** Begins to read at once, or behind the commit in progress, and before all that is committed later. */
  #behindCommit<Result>(read: () => Eventual<Result>): Eventual<Result> {
    return this.#committing === undefined ? read() : this.#waitingReads.wait(read);
  }

  /** Runs the work when no transaction is open. */
  async #between<Result>(work: () => Result): Promise<Result> {
    while (this.#sqlite.inTransaction) {
      const over = this.#reads.inProgress() ?? this.#committing;
      if (over === undefined) throw new Error('a transaction is open that nobody ends');
      await over;
    }
    return work();
  }

  look(): Promise<void> {
    return this.#between(() => this.#look());
  }

  #look(): void {
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
    while (this.#isInUse()) {
      await (this.#committing ?? this.#lock.next() ?? this.#syncing ?? this.#reads.inProgress());
      this.#flush();
    }
    this.#log.close(() => (this.#files ?? this.#sqlite).close(), this.#files?.isCut() !== true);
  }

  #isInUse(): boolean {
    if (this.#queue.length > 0 || this.#reads.inProgress() !== undefined) return true;
    return this.#committing !== undefined || this.#syncing !== undefined;
  }

  #flush(): void {
    if (this.#committing !== undefined) this.#goesOn = true;
    else if (this.#isNeeded(this.#queue)) this.#committing = this.#commitAll().catch(endProcess);
  }

  /** Whether there is something to commit, and nothing that holds commits up. */
  #isNeeded(writes: readonly Write[]): boolean {
    if (this.#isHeld || this.#lock.next() !== undefined) return false;
    return writes.length > 0 || (this.#lock.isMet() && this.#sqlite.open);
  }

  async #commitAll(): Promise<void> {
    try {
      do {
        this.#goesOn = false;
        // What is asked for from now on may stand behind a read that waits for this commit.
        const writes = this.#queue;
        this.#queue = [];
        await this.#reads.inProgress();
        if ((await this.#commit(writes)) === 'again') this.#goesOn = true;
        this.#waitingReads.begin();
      } while (this.#goesOn);
    } finally {
      this.#committing = undefined;
    }
  }

  /** One commit. `again`: a write that failed was taken out of it. */
  async #commit(writes: readonly Write[]): Promise<'again' | 'done'> {
    if (!this.#isNeeded(writes)) {
      this.#queue = [...writes, ...this.#queue];
      return 'done';
    }
    const failed = new Map<Write, unknown>();
    const late = setImmediate(isLate);
    try {
      if (this.state.isLost) throw this.#lost();
      if (!this.#lock.take(() => this.#sql.run('BEGIN IMMEDIATE'))) {
        this.#wait(writes);
        return 'done';
      }
      if (!(await this.#workFirst(writes))) return 'again';
      for (const [position, write] of writes.slice(1).entries()) {
        if (position > 0) this.#sql.run('RELEASE one_write');
        await this.#workApart(write, failed);
      }
      this.#sql.run('COMMIT');
      if (!this.#log.written()) this.#requireFiles();
    } catch (error) {
      // For example a full disk. Nothing was stored: all waiting writes reject.
      if (this.#sqlite.inTransaction) this.#sql.run('ROLLBACK');
      this.#sql.told.forget(0);
      this.state.failed(error);
      for (const write of writes) write.reject(failed.get(write) ?? error);
      return 'done';
    } finally {
      clearImmediate(late);
    }
    this.#sql.told.committed();
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
  async #workFirst([first, ...others]: readonly Write[]): Promise<boolean> {
    try {
      await first?.work(this.#sql);
      return true;
    } catch (error) {
      // A full disk ends the transaction by itself, for all of them.
      if (first === undefined || others.length === 0 || !this.#sqlite.inTransaction) throw error;
      this.#sql.run('ROLLBACK');
      this.#sql.told.forget(0);
      this.state.failed(error);
      first.reject(error);
      this.#queue = [...others, ...this.#queue];
      return false;
    }
  }

  /** If it fails, the others of the commit stand. The commit ends the last savepoint. */
  async #workApart(write: Write, failed: Map<Write, unknown>): Promise<void> {
    this.#sql.run('SAVEPOINT one_write');
    const { count } = this.#sql.told;
    try {
      await write.work(this.#sql);
    } catch (error) {
      failed.set(write, error);
      this.state.failed(error);
      this.#sql.run('ROLLBACK TO one_write');
      this.#sql.told.forget(count);
    }
  }

  #areInPlace(): boolean {
    this.#look();
    return !this.state.isLost;
  }

  #requireFiles(): void {
    if (!this.#areInPlace()) throw this.#lost();
  }

  /** Keeps what waits for another program's lock, and rejects what need not. */
  #wait(writes: readonly Write[]): void {
    const isRefused = ({ isIncoming }: Write): boolean => this.#lock.isLong() && (isIncoming || this.#isEnding);
    this.#queue = [...writes.filter((write) => !isRefused(write)), ...this.#queue];
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
    const { writes, noteNewest, synced } = await this.#between(() => this.#beginSync());
    try {
      await synced;
    } catch (error) {
      this.#refused(error);
      for (const write of writes) write.reject(error);
      return;
    }
    noteNewest?.();
    this.state.stored();
    for (const write of writes) write.resolve();
  }

  /** What is committed by now, when it is on disk, and how to note that. */
  #beginSync() {
    const writes = this.#unsynced;
    this.#unsynced = [];
    return { writes, noteNewest: this.#files?.noting(), synced: this.#sync() };
  }

  async #sync(): Promise<void> {
    // After a failed sync, the OS may have dropped dirty pages, so copy the whole log into the database first.
    if (this.#isSuspect) {
      this.#requireFiles();
      this.#log.rewrite();
    }
    this.#isSuspect = false;
    await this.#log.sync();
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
