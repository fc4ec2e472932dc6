import type Sqlite from 'better-sqlite3';
import { StorageState } from '../conversation/health/storage.ts';
import type { DatabaseFiles } from './database-files.ts';
import { damaged, StoreError } from './examine.ts';
import { Sql } from './sql.ts';
import { createWriteAheadLog } from './write-ahead-log.ts';

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

export type Database = ReturnType<typeof createDatabase>;

/**
 * The one SQLite file. Writes that are asked for in the same instant share one commit: each is atomic by itself, and one
 * that throws takes nothing with it but itself. `toBeRead`: the file, if nobody knows yet whether it is whole.
 */
export function createDatabase(sqlite: Sqlite.Database, files?: DatabaseFiles, toBeRead?: string) {
  /** Whether writes reach the disk. */
  const state = new StorageState();
  /** Its statements. What changes something belongs inside a write. */
  const sql = new Sql(sqlite, (damage) => state.lose(damaged(sqlite.name, damage)));
  const log = createWriteAheadLog(sqlite);
  let queue: Write[] = [];
  /** Committed, and perhaps not on disk yet. */
  let unsynced: Write[] = [];
  /** Set while the disk is waited for. */
  let syncing: Promise<void> | undefined;
  /** Whether the disk has refused to say that something reached it. What it has kept since is not known. */
  let isSuspect = false;
  let closed: Promise<void> | undefined;

  /**
   * Does the work in a transaction. The order of calls is the order of the writes. `visible` is told the result once it is
   * committed, which is before a full commit is on disk: for what may begin then, but must not be told to anybody yet. What
   * it throws rejects this write, though it is committed.
   */
  function write<Result>(
    work: () => Result,
    durability: Durability = 'full',
    visible?: (result: Result) => void,
  ): Promise<Result> {
    if (state.isLost) return Promise.reject(lost());
    return new Promise<Result>((resolve, reject) => {
      if (queue.length === 0) setImmediate(flush);
      let result: Result;
      queue.push({
        work: () => {
          result = work();
        },
        // That the disk is well again is believed when something has reached it.
        durability: state.trouble === undefined ? durability : 'full',
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
  function writeNow<Result>(work: () => Result): Promise<Result> {
    const written = write(work, 'relaxed');
    flush();
    return written;
  }

  /** Looks whether the files are still there. If not, nothing is stored any more, and what there is is saved beside them. */
  function look(): void {
    const what = state.isLost ? undefined : files?.whatIsWrong(log.isCut());
    if (what !== undefined) state.lose({ brief: 'the database is gone', words: files?.lostWords(what) ?? what });
  }

  /** Writes what is left, waits until it is on disk, and closes the file. Called again, it is the same end. */
  function close(): Promise<void> {
    closed ??= end();
    return closed;
  }

  async function end(): Promise<void> {
    flush();
    while (syncing !== undefined) {
      await syncing;
      flush();
    }
    log.close(() => (files ?? sqlite).close());
  }

  function flush(): void {
    const writes = queue;
    queue = [];
    if (writes.length === 0) return;
    const failed = new Map<Write, unknown>();
    try {
      if (log.isShorter()) look();
      if (state.isLost) throw lost();
      sql.run('BEGIN IMMEDIATE');
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
      log.written();
    } catch (error) {
      // A full disk, for example: nothing of this was stored, and everybody who waits learns it.
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
    // The disk is waited for in the background.
    syncing ??= untilSynced();
  }

  function lost(): StoreError {
    return new StoreError(state.trouble?.words ?? 'the database is lost');
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

  /** One time for all that was committed since the last time began. */
  async function syncWrites(): Promise<void> {
    const writes = unsynced;
    unsynced = [];
    const noteNewest = files?.noting();
    try {
      // After a refusal, the system may have let go of what it could not write: then all of it is copied to the database first.
      if (isSuspect) log.rewrite();
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
      look();
      if (state.isLost) return;
      const ending = await log.checkpoint();
      if (ending === 'whole') files?.copied(log.changes());
      if (ending === 'failed') state.lose(refusedCopy);
    } catch (error) {
      refused(error);
    }
  }

  function refused(error: unknown): void {
    isSuspect = true;
    state.failed(error);
  }

  return {
    write,
    writeNow,
    sql,
    state,
    /** Whether it can be read. */
    isOpen: (): boolean => sqlite.open,
    toBeRead,
    look,
    close,
  };
}

const refusedCopy = {
  brief: 'the disk fails',
  words:
    'The disk has refused what was copied into the database. I store nothing any more until I am started again; what you write stays with the platform. Nothing that was stored is lost: it stands in the write-ahead log, and the next start copies it again. Look at the disk before that.',
};
