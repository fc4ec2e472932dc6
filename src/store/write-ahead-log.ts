import { closeSync, fdatasync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { changesIn } from './database-files.ts';

/** When the log holds so many pages, it is copied into the database. */
const pagesBetween = 1000;
/** Where something was committed meanwhile, so that the log could not be begun again: tried again after so many pages more. */
const pagesToNextTry = 250;
/** Where that fails for so long, SQLite itself copies it, and waits for the disk on the event loop. */
const mostPages = 16_384;
/** A log that has grown is cut to this when it is begun again, in bytes. */
const sizeKept = 8 * 2 ** 20;
const headerSize = 32;
/** Of a page in the log, in bytes. */
const frameHeaderSize = 24;

/**
 * The write-ahead log of a database file. SQLite is told to leave it to the operating system when what it writes reaches the
 * disk. This waits for the disk, in a thread beside the event loop.
 *
 * A checkpoint keeps the order that SQLite would keep, with commits in between:
 * 1. A reader begins. It holds what was committed until now: nothing newer is copied, and SQLite does not begin the log again.
 * 2. The log is synced, then copied into the database, then the database is synced.
 * 3. If nothing was committed meanwhile, the header of the log is made void, and the log is synced again. From then on no
 *    power failure brings old frames back, and SQLite may write new ones over them. A commit that comes before puts the header back.
 */
export function createWriteAheadLog(sqlite: Sqlite.Database) {
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = NORMAL');
  sqlite.pragma(`wal_autocheckpoint = ${mostPages}`);
  sqlite.pragma(`journal_size_limit = ${sizeKept}`);
  const state = sqlite.prepare<[], { readonly log: number; readonly checkpointed: number }>(
    'PRAGMA wal_checkpoint(NOOP)',
  );
  /** Descriptors. */
  let logFile: number | undefined;
  let databaseFile: number | undefined;
  let reader: Sqlite.Database | undefined;
  /** The header, while it is void in the file. */
  let header: Buffer | undefined;
  /** How large the file of the log was when that was looked at last. */
  let size = 0;
  /** How many pages the log held when it was last tried to copy it. */
  let tried = 0;
  /** Whether the disk has refused what was copied into the database: then the log is all that can be relied on. */
  let isKept = false;

  /** Resolves when all that was committed so far is on disk; the process goes on meanwhile. Rejects with what the file system says. */
  function sync(): Promise<void> {
    logFile ??= openSync(`${sqlite.name}-wal`, 'r+');
    return onDisk(logFile);
  }

  /** To be called after each try to commit, before anybody learns of it. Throws if it can't be read at the next start. */
  function written(): void {
    if (header === undefined || logFile === undefined) return;
    // SQLite has begun it again with a new header, or it has written behind what stood there, since somebody reads that.
    if (isVoid(readHeader(logFile))) writeSync(logFile, header, 0, headerSize, 0);
    header = undefined;
    sqlite.pragma('synchronous = NORMAL');
  }

  /** Whether its file is shorter than when this was asked last. SQLite cuts it too, when it begins again. */
  function isShorter(): boolean {
    const before = size;
    size = logFile === undefined ? 0 : fstatSync(logFile).size;
    return size < before;
  }

  /** Whether somebody has cut off what SQLite has written to it. */
  function isCut(): boolean {
    if (logFile === undefined) return false;
    // Where another process has copied all of it and begun it again, this is how we learn of it.
    sqlite.pragma('schema_version');
    const page = frameHeaderSize + Number(sqlite.pragma('page_size', { simple: true }));
    const { log } = pages();
    return log > 0 && fstatSync(logFile).size < headerSize + log * page;
  }

  /** SQLite's counter of changes in the database itself, once the log was copied there. */
  function changes(): number {
    return databaseFile === undefined ? 0 : changesIn(databaseFile);
  }

  /** Whether there is enough in it to copy it. */
  function isDue(): boolean {
    const { log, checkpointed } = pages();
    // Somebody else may have copied it.
    if (log < tried) tried = 0;
    return log >= pagesBetween && log > checkpointed && log - tried >= pagesToNextTry;
  }

  /**
   * Copies it into the database: `whole` if all of it is there and on disk, `failed` if the disk refused what was copied. The
   * log must not end then: it holds all of that, for the next start. Rejects if the log itself could not be synced.
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

  /** Copies all of it with SQLite's own means, which wait for the disk. Throws if somebody reads in it. */
  function rewrite(): void {
    const [busy] = sqlite.prepare<[], number>('PRAGMA wal_checkpoint(TRUNCATE)').pluck().all();
    if (busy !== 0) throw new Error('the disk has failed, and the write-ahead log could not be written again yet');
  }

  /** Call it when nothing is under way, with what closes the database. That ends the log, unless it has to be kept. */
  function close(closeDatabase: () => void): void {
    // A reader that stays keeps SQLite from ending the log.
    if (!isKept) reader?.close();
    if (logFile !== undefined) closeSync(logFile);
    logFile = undefined;
    closeDatabase();
    // Not before: the system forgets a process's locks on a file when the process closes any descriptor of it.
    if (databaseFile !== undefined) closeSync(databaseFile);
  }

  const pages = () => state.get() ?? { log: 0, checkpointed: 0 };

  function hold(): () => void {
    const held = reader ?? new Sqlite(sqlite.name, { readonly: true });
    reader = held;
    held.exec('BEGIN');
    // Reading is what begins it. This reads one page, and not the schema.
    held.pragma('schema_version');
    return () => held.exec('COMMIT');
  }

  /** False if the disk has no room, for example. Nothing is lost by that. */
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
    // SQLite would wait for the disk when it begins the log again: what that protects from can't happen any more then.
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

function isVoid(header: Buffer): boolean {
  return header.every((byte) => byte === 0);
}
