import { closeSync, fdatasync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { changesIn, createStorageState, type DatabaseFiles } from './database-files.ts';
import { damaged, StoreError } from './examine.ts';
import { Sql } from './sql.ts';

/**
 * `full`: on disk before it resolves, so it survives a power failure. `relaxed`: survives the death of the process, and
 * a power failure once any later full commit is done.
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
 * The one SQLite file. Writes requested in the same tick share one commit. Each is atomic by itself: a write that
 * throws rolls back only itself. `toBeRead`: the file, if it has not been checked for damage yet.
 */
export function createDatabase(sqlite: Sqlite.Database, files?: DatabaseFiles, toBeRead?: string) {
  const state = createStorageState();
  /** Run statements that change data inside a write only. */
  const sql = new Sql(sqlite, (damage) => state.lose(damaged(sqlite.name, damage)));
  const log = createWriteAheadLog(sqlite);
  let queue: Write[] = [];
  /** Committed, but possibly not on disk yet. */
  let unsynced: Write[] = [];
  /** Set while a sync is in progress. */
  let syncing: Promise<void> | undefined;
  /** A sync failed. What the disk has kept since then is unknown. */
  let isSuspect = false;
  let closed: Promise<void> | undefined;

  /**
   * Runs `work` in a transaction. Writes run in call order. `visible` is called with the result after the commit,
   * before a full commit is on disk: use it for work that may start now but must not be announced yet. If it throws,
   * this write rejects although it is committed.
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
        // While storage is in trouble, each write must reach the disk: only that proves recovery.
        durability: state.trouble === undefined ? durability : 'full',
        visible: () => visible?.(result),
        resolve: () => resolve(result),
        reject,
      });
    });
  }

  /**
   * A relaxed write that is committed, with all earlier ones, when this returns. For intentions that must be recorded
   * before acting but need not wait for the disk.
   */
  function writeNow<Result>(work: () => Result): Promise<Result> {
    const written = write(work, 'relaxed');
    flush();
    return written;
  }

  /** Checks that the files still exist. If not, stops storing and saves the current content beside them. */
  function look(): void {
    const words = state.isLost ? undefined : files?.lostWords(log.isCut());
    if (words !== undefined) state.lose({ brief: 'the database is gone', words });
  }

  /** Commits pending writes, waits until they are on disk, and closes the file. Idempotent. */
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

  /** One sync for all commits since the last sync began. */
  async function syncWrites(): Promise<void> {
    const writes = unsynced;
    unsynced = [];
    const noteNewest = files?.noting();
    try {
      // After a failed sync, the OS may have dropped dirty pages, so copy the whole log into the database first.
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

  return { write, writeNow, sql, state, isOpen: (): boolean => sqlite.open, toBeRead, look, close };
}

const refusedCopy = {
  brief: 'the disk fails',
  words:
    'The disk has refused what was copied into the database. I store nothing any more until I am started again; what you write stays with the platform. Nothing that was stored is lost: it stands in the write-ahead log, and the next start copies it again. Look at the disk before that.',
};

/** The log is copied into the database once it has this many pages. */
const pagesBetween = 1000;
/** If a commit came in between, so that the log could not restart, the next try is after this many more pages. */
const pagesToNextTry = 250;
/** If that keeps failing, SQLite copies the log itself at this size, and blocks the event loop. */
const mostPages = 16_384;
/** The size that a grown log is truncated to when it restarts, in bytes. */
const sizeKept = 8 * 2 ** 20;
const headerSize = 32;
/** The header of each page in the log, in bytes. */
const frameHeaderSize = 24;

/**
 * The write-ahead log of a database file. SQLite leaves syncing to the operating system; this module syncs in a thread
 * beside the event loop. A checkpoint keeps SQLite's own order while commits go on. (1) A reader begins. It pins the
 * current commit: nothing newer is copied, and SQLite does not restart the log. (2) The log is synced and copied into
 * the database, then the database is synced. (3) If nothing was committed meanwhile, the log's header is zeroed and the
 * log is synced again. A power failure can no longer bring old frames back, so SQLite may overwrite them. A commit
 * before that restores the header.
 */
function createWriteAheadLog(sqlite: Sqlite.Database) {
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = NORMAL');
  sqlite.pragma(`wal_autocheckpoint = ${mostPages}`);
  sqlite.pragma(`journal_size_limit = ${sizeKept}`);
  const state = sqlite.prepare<[], { readonly log: number; readonly checkpointed: number }>(
    'PRAGMA wal_checkpoint(NOOP)',
  );
  /** File descriptors. */
  let logFile: number | undefined;
  let databaseFile: number | undefined;
  let reader: Sqlite.Database | undefined;
  /** The saved header, while it is zeroed in the file. */
  let header: Buffer | undefined;
  /** The size of the log file at the last look. */
  let size = 0;
  /** The number of pages at the last checkpoint. */
  let tried = 0;
  /** The disk rejected the copied pages: only the log is reliable then. */
  let isKept = false;

  /** Resolves when all commits so far are on disk. Does not block. Rejects with the file system's error. */
  function sync(): Promise<void> {
    logFile ??= openSync(`${sqlite.name}-wal`, 'r+');
    return onDisk(logFile);
  }

  /** Call after each commit attempt, before anybody learns of it. Throws if the next start could not read the log. */
  function written(): void {
    if (header === undefined || logFile === undefined) return;
    // SQLite wrote a new header, or, because of a reader, appended to the old log: then restore its header.
    if (readHeader(logFile).every((byte) => byte === 0)) writeSync(logFile, header, 0, headerSize, 0);
    header = undefined;
    sqlite.pragma('synchronous = NORMAL');
  }

  /** Whether the log file shrank since the last call. SQLite also truncates it when it restarts the log. */
  function isShorter(): boolean {
    const before = size;
    size = logFile === undefined ? 0 : fstatSync(logFile).size;
    return size < before;
  }

  /** Whether somebody truncated pages that SQLite wrote. */
  function isCut(): boolean {
    if (logFile === undefined) return false;
    // Makes SQLite notice that another process copied and restarted the log.
    sqlite.pragma('schema_version');
    const page = frameHeaderSize + Number(sqlite.pragma('page_size', { simple: true }));
    const { log } = pages();
    return log > 0 && fstatSync(logFile).size < headerSize + log * page;
  }

  /** SQLite's change counter in the database file, after a checkpoint. */
  function changes(): number {
    return databaseFile === undefined ? 0 : changesIn(databaseFile);
  }

  /** Whether a checkpoint is due. */
  function isDue(): boolean {
    const { log, checkpointed } = pages();
    return log >= pagesBetween && log > checkpointed && log - tried >= pagesToNextTry;
  }

  /**
   * Copies the log into the database. `whole`: all of it is there and on disk. `failed`: the disk rejected the copy;
   * the log must then survive for the next start. Rejects if the log itself could not be synced.
   */
  async function checkpoint(): Promise<'whole' | 'in-part' | 'failed'> {
    written();
    tried = pages().log;
    const release = hold();
    try {
      await sync();
      if (!copy()) return 'in-part';
      if (!(await syncDatabase())) return 'failed';
      const { log, checkpointed } = pages();
      if (log !== checkpointed) return 'in-part';
      await makeVoid();
      if (header === undefined) return 'in-part';
      tried = 0;
      return 'whole';
    } finally {
      if (!isKept) release();
    }
  }

  /** Copies the log by SQLite's own checkpoint, which blocks. Throws if a reader is active. */
  function rewrite(): void {
    const [busy] = sqlite.prepare<[], number>('PRAGMA wal_checkpoint(TRUNCATE)').pluck().all();
    if (busy !== 0) throw new Error('the disk has failed, and the write-ahead log could not be written again yet');
  }

  /** Call when nothing is in progress. Closing the database removes the log unless it must be kept. */
  function close(closeDatabase: () => void): void {
    // An open reader stops SQLite from removing the log.
    if (!isKept) reader?.close();
    if (logFile !== undefined) closeSync(logFile);
    logFile = undefined;
    closeDatabase();
    // Last, because closing any descriptor of a file drops the process's locks on it.
    if (databaseFile !== undefined) closeSync(databaseFile);
  }

  const pages = () => state.get() ?? { log: 0, checkpointed: 0 };

  function hold(): () => void {
    const held = reader ?? new Sqlite(sqlite.name, { readonly: true });
    reader = held;
    held.exec('BEGIN');
    // The transaction starts with the first read. This reads one page and not the schema.
    held.pragma('schema_version');
    return () => held.exec('COMMIT');
  }

  /** False for example if the disk is full. Nothing is lost then. */
  function copy(): boolean {
    sqlite.pragma('synchronous = OFF');
    try {
      sqlite.pragma('wal_checkpoint(PASSIVE)');
      return true;
    } catch (error) {
      if (error instanceof Sqlite.SqliteError) return false;
      throw error;
    } finally {
      sqlite.pragma('synchronous = NORMAL');
    }
  }

  async function syncDatabase(): Promise<boolean> {
    databaseFile ??= openSync(sqlite.name, 'r+');
    try {
      await onDisk(databaseFile);
      return true;
    } catch {
      isKept = true;
      return false;
    }
  }

  async function makeVoid(): Promise<void> {
    logFile ??= openSync(`${sqlite.name}-wal`, 'r+');
    header = readHeader(logFile);
    // SQLite would sync when it restarts the log. The zeroed header makes that unnecessary.
    sqlite.pragma('synchronous = OFF');
    writeSync(logFile, Buffer.alloc(headerSize), 0, headerSize, 0);
    try {
      await onDisk(logFile);
    } catch (error) {
      written();
      throw error;
    }
  }

  return { sync, written, isShorter, isCut, changes, isDue, checkpoint, rewrite, close };
}

function onDisk(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(descriptor, (error) => (error === null ? resolve() : reject(error)));
  });
}

function readHeader(log: number): Buffer {
  const header = Buffer.alloc(headerSize);
  readSync(log, header, 0, headerSize, 0);
  return header;
}
