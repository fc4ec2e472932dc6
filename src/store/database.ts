import type Sqlite from 'better-sqlite3';
import { WalFile } from './wal-file.ts';

/**
 * `full`: on disk before it resolves, so that a power failure can't undo it. `relaxed`: survives the death of the
 * process, and of the machine once any later full commit has been made.
 */
export type Durability = 'full' | 'relaxed';

export type Statement = Sqlite.Statement<unknown[]>;

interface Write {
  readonly work: () => unknown;
  readonly durability: Durability;
  readonly visible: () => void;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The one SQLite file. Writes that are asked for in the same instant share one commit: each is atomic by itself, and one
 * that throws takes nothing with it but itself.
 */
export class Database {
  readonly #sqlite: Sqlite.Database;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;
  readonly #savepoint: Statement;
  readonly #release: Statement;
  readonly #rollbackTo: Statement;
  readonly #wal: WalFile;
  #queue: Write[] = [];
  /** Committed, and perhaps not on disk yet. */
  #unsynced: Write[] = [];

  constructor(sqlite: Sqlite.Database) {
    this.#sqlite = sqlite;
    this.#wal = new WalFile(sqlite.name);
    sqlite.pragma('journal_mode = WAL');
    // Only the checkpoints wait for the disk by themselves; the commits that have to, do in `#sync`.
    sqlite.pragma('synchronous = NORMAL');
    this.#begin = sqlite.prepare('BEGIN IMMEDIATE');
    this.#commit = sqlite.prepare('COMMIT');
    this.#rollback = sqlite.prepare('ROLLBACK');
    this.#savepoint = sqlite.prepare('SAVEPOINT one_write');
    this.#release = sqlite.prepare('RELEASE one_write');
    this.#rollbackTo = sqlite.prepare('ROLLBACK TO one_write');
  }

  /** Prepares a statement for good. Do it once, when a store is made. */
  prepare(sql: string): Statement {
    return this.#sqlite.prepare<unknown[]>(sql);
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
    return new Promise<Result>((resolve, reject) => {
      if (this.#queue.length === 0) setImmediate(() => this.#flush());
      let result: { readonly value: Result } | undefined;
      this.#queue.push({
        work: () => {
          result = { value: work() };
        },
        durability,
        visible: () => {
          if (result !== undefined) visible?.(result.value);
        },
        resolve: () => {
          if (result !== undefined) resolve(result.value);
        },
        reject,
      });
    });
  }

  /** Writes what is left, and closes the file. */
  close(): void {
    this.#flush();
    this.#sync();
    this.#wal.close();
    this.#sqlite.close();
  }

  #flush(): void {
    const writes = this.#queue;
    this.#queue = [];
    if (writes.length === 0) return;
    const failed = new Map<Write, unknown>();
    try {
      this.#begin.run();
      for (const write of writes) {
        this.#savepoint.run();
        try {
          write.work();
        } catch (error) {
          failed.set(write, error);
          this.#rollbackTo.run();
        }
        this.#release.run();
      }
      this.#commit.run();
    } catch (error) {
      // A full disk, for example: nothing of this was stored, and everybody who waits learns it.
      if (this.#sqlite.inTransaction) this.#rollback.run();
      for (const write of writes) write.reject(failed.get(write) ?? error);
      return;
    }
    for (const write of writes) {
      if (failed.has(write)) write.reject(failed.get(write));
      else this.#finish(write);
    }
  }

  #finish(write: Write): void {
    try {
      write.visible();
    } catch (error) {
      write.reject(error);
      return;
    }
    if (write.durability === 'relaxed') {
      write.resolve(undefined);
      return;
    }
    // Behind what `visible` has begun: the disk is waited for while others work.
    if (this.#unsynced.length === 0) setImmediate(() => this.#sync());
    this.#unsynced.push(write);
  }

  #sync(): void {
    const writes = this.#unsynced;
    this.#unsynced = [];
    if (writes.length === 0) return;
    try {
      this.#wal.sync();
    } catch (error) {
      for (const write of writes) write.reject(error);
      return;
    }
    for (const write of writes) write.resolve(undefined);
  }
}
