import { closeSync, fdatasync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { changesIn } from './database-files.ts';

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
export function createWriteAheadLog(sqlite: Sqlite.Database) {
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
