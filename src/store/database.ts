import type Sqlite from 'better-sqlite3';
import { StorageState } from '../conversation/health/storage.ts';
import type { DatabaseFiles } from './database-files.ts';
import { damaged, StoreError } from './examine.ts';
import { Sql } from './sql.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

/**
 * `full`: on disk before it resolves, so that a power failure can't undo it. `relaxed`: survives the death of the
 * process, and of the machine once any later full commit has been made.
 */
export type Durability = 'full' | 'relaxed';

interface Write {
  readonly work: () => unknown;
  readonly durability: Durability;
  readonly visible: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The one SQLite file. Writes that are asked for in the same instant share one commit: each is atomic by itself, and one
 * that throws takes nothing with it but itself.
 */
export class Database {
  readonly #sqlite: Sqlite.Database;
  /** Its statements. What changes something belongs inside a write. */
  readonly sql: Sql;
  readonly #log: WriteAheadLog;
  readonly #files: DatabaseFiles | undefined;
  /** Whether writes reach the disk. */
  readonly state = new StorageState();
  #queue: Write[] = [];
  /** Committed, and perhaps not on disk yet. */
  #unsynced: Write[] = [];
  /** Set while the disk is waited for. */
  #syncing: Promise<void> | undefined;
  /** Whether the disk has refused to say that something reached it. What it has kept since is not known. */
  #isSuspect = false;
  #closed: Promise<void> | undefined;

  constructor(sqlite: Sqlite.Database, files?: DatabaseFiles) {
    this.#sqlite = sqlite;
    this.sql = new Sql(sqlite, (damage) => this.state.lose(damaged(sqlite.name, damage)));
    this.#files = files;
    this.#log = new WriteAheadLog(sqlite);
  }

  /**
   * Does the work in a transaction. The order of calls is the order of the writes. `visible` is told the result once it is
   * committed, which is before a full commit is on disk: for what may begin then, but must not be told to anybody yet. What
   * it throws rejects this write, though it is committed.
   */
  write<Result>(
    work: () => Result,
    durability: Durability = 'full',
    visible?: (result: Result) => void,
  ): Promise<Result> {
    if (this.state.isLost) return Promise.reject(this.#lost());
    return new Promise<Result>((resolve, reject) => {
      if (this.#queue.length === 0) setImmediate(() => this.#flush());
      let result: Result;
      this.#queue.push({
        work: () => {
          result = work();
        },
        // That the disk is well again is believed when something has reached it.
        durability: this.state.trouble === undefined ? durability : 'full',
        visible: () => visible?.(result),
        resolve: () => resolve(result),
        reject,
      });
    });
  }

  /**
   * The same, relaxed, and committed when it returns, with all that was asked for before: for what may not begin before it is
   * written down, and should not wait behind a disk.
   */
  writeNow<Result>(work: () => Result): Promise<Result> {
    const written = this.write(work, 'relaxed');
    this.#flush();
    return written;
  }

  /** Whether it can be read. */
  get isOpen(): boolean {
    return this.#sqlite.open;
  }

  /** The file, if it has to be read through beside the work: nobody knows yet whether it is whole. */
  get toBeRead(): string | undefined {
    return this.#files?.isToBeRead === true ? this.#sqlite.name : undefined;
  }

  /** Looks whether the files are still there. If not, nothing is stored any more, and what there is is saved beside them. */
  look(): void {
    const what = this.state.isLost ? undefined : this.#files?.whatIsWrong(this.#log.isCut());
    if (what !== undefined)
      this.state.lose({ brief: 'the database is gone', words: this.#files?.lostWords(what) ?? what });
  }

  /** Writes what is left, waits until it is on disk, and closes the file. Called again, it is the same end. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#flush();
    while (this.#syncing !== undefined) {
      await this.#syncing;
      this.#flush();
    }
    this.#log.close(() => (this.#files ?? this.#sqlite).close());
  }

  #flush(): void {
    const writes = this.#queue;
    this.#queue = [];
    if (writes.length === 0) return;
    const failed = new Map<Write, unknown>();
    try {
      if (this.#log.isShorter()) this.look();
      if (this.state.isLost) throw this.#lost();
      this.sql.run('BEGIN IMMEDIATE');
      for (const write of writes) {
        this.sql.run('SAVEPOINT one_write');
        try {
          write.work();
        } catch (error) {
          failed.set(write, error);
          this.state.failed(error);
          this.sql.run('ROLLBACK TO one_write');
        }
        this.sql.run('RELEASE one_write');
      }
      this.sql.run('COMMIT');
      this.#log.written();
    } catch (error) {
      // A full disk, for example: nothing of this was stored, and everybody who waits learns it.
      if (this.#sqlite.inTransaction) this.sql.run('ROLLBACK');
      this.state.failed(error);
      for (const write of writes) write.reject(failed.get(write) ?? error);
      return;
    }
    for (const write of writes) {
      if (failed.has(write)) write.reject(failed.get(write));
      else this.#finish(write);
    }
    this.#files?.committed();
    // The disk is waited for in the background.
    this.#syncing ??= this.#untilSynced();
  }

  #lost(): StoreError {
    return new StoreError(this.state.trouble?.words ?? 'the database is lost');
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

  /** One time for all that was committed since the last time began. */
  async #syncWrites(): Promise<void> {
    const writes = this.#unsynced;
    this.#unsynced = [];
    const noteNewest = this.#files?.noting();
    try {
      // After a refusal, the system may have let go of what it could not write: then all of it is copied to the database first.
      if (this.#isSuspect) this.#log.rewrite();
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
      this.look();
      if (this.state.isLost) return;
      const ending = await this.#log.checkpoint();
      if (ending === 'whole') this.#files?.copied(this.#log.changes);
      if (ending === 'failed') this.state.lose(refusedCopy);
    } catch (error) {
      this.#refused(error);
    }
  }

  #refused(error: unknown): void {
    this.#isSuspect = true;
    this.state.failed(error);
  }
}

const refusedCopy = {
  brief: 'the disk fails',
  words:
    'The disk has refused what was copied into the database. I store nothing any more until I am started again; what you write stays with the platform. Nothing that was stored is lost: it stands in the write-ahead log, and the next start copies it again. Look at the disk before that.',
};
