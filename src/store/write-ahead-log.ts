import { closeSync, fdatasync, openSync, readSync, writeSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { hasLastPage, headerSize, isWhole, type LogIndex, readIndex } from './log-frames.ts';
import { changesIn } from './numbers.ts';

/** The log is copied into the database once it has this many pages. */
const pagesBetween = 1000;
/** If that did not succeed, or much was committed meanwhile, the next try is after this many more pages. */
const pagesToNextTry = 250;
/** While no more pages than this are left, the next commits wait until these are copied, too. */
const fewPages = 500;
/** They wait for any number of pages once the log has this many: it stays below 16 MB. */
const manyPages = 2500;
/** The size that a grown log is truncated to when it begins again, in bytes. */
const sizeKept = 8 * 2 ** 20;
/** How long a reader of ours waits for the lock of another program, in ms. */
const patience = 100;

/**
 * How a checkpoint has ended. `whole`: all of the log is in the database and on disk. `behind`: something was committed
 * meanwhile. `barred`: another program reads an older commit, and nothing newer can be copied until it ends. `refused`:
 * nothing was copied, for example because the disk is full. `failed`: the disk rejected the copy; the log must then
 * survive for the next start.
 */
type Ending = 'whole' | 'behind' | 'barred' | 'refused' | 'failed';

/** What a checkpoint asks of the database. */
interface CheckpointParts {
  /** Asked before each copy: whether the files are in place, and the log is intact. */
  readonly mayCopy: () => boolean;
  /** Runs the work while commits wait for it. If it takes long, they wait no longer. */
  readonly holdCommits: (work: () => Promise<Ending>) => Promise<Ending>;
}

/** The write-ahead log of an open database file. */
export interface WriteAheadLog {
  /** Resolves when all commits so far are on disk. Does not block. Rejects with the file system's error. */
  sync(): Promise<void>;
  /**
   * Call after each commit attempt, before anybody learns of it. False if the commit before it no longer stands in the
   * log. Throws if the next start could not read the log.
   */
  written(): boolean;
  /** Whether the log is as SQLite wrote it, as far as it is not copied: 4 ms for 1,000 pages. */
  isIntact(): boolean;
  /** SQLite's change counter in the database file, after a checkpoint. */
  changes(): number;
  /** Whether a checkpoint is due. */
  isDue(): boolean;
  /** Copies the log into the database. Rejects if the log itself could not be synced. */
  checkpoint(parts: CheckpointParts): Promise<Ending>;
  /** Copies the log by SQLite's own checkpoint, which blocks. Throws if a reader is active. Only if the log is intact. */
  rewrite(): void;
  /**
   * Call when nothing is in progress. SQLite copies the log and removes it, unless it is not intact, or the database
   * takes no copy.
   */
  close(closeDatabase: () => void, takesCopy: boolean): void;
}

/**
 * SQLite leaves syncing to the operating system; this module syncs in a thread
 * beside the event loop. A checkpoint keeps SQLite's own order while commits go on. (1) A reader begins. It pins the
 * current commit: nothing newer is copied, and SQLite does not restart the log. (2) The log is synced and copied into
 * the database, then the database is synced. (3) If something was committed meanwhile, commits wait while that little is
 * copied in the same way. (4) The log's header is zeroed and the log is synced again. A power failure can no longer
 * bring old frames back, so SQLite may overwrite them. A commit before that restores the header. Nothing is copied
 * before it has been compared with SQLite's checksums: another program may have cut the log off.
 */
export function createWriteAheadLog(sqlite: Sqlite.Database): WriteAheadLog {
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = NORMAL');
  // SQLite would copy without comparing, and block the event loop.
  sqlite.pragma('wal_autocheckpoint = 0');
  sqlite.pragma(`journal_size_limit = ${sizeKept}`);
  const logFile = openedOnce(`${sqlite.name}-wal`, 'r+');
  const databaseFile = openedOnce(sqlite.name, 'r+');
  const reader = new Sqlite(sqlite.name, { readonly: true, timeout: patience });
  pin()();
  const indexFile = openSync(`${sqlite.name}-shm`, 'r');
  /** The saved header, while it is zeroed in the file. */
  let header: Buffer | undefined;
  /** As of the last commit or checkpoint. */
  let index: LogIndex | undefined;
  /** The number of pages at the last checkpoint. */
  let tried = 0;
  /** The disk rejected the copied pages: only the log is reliable then. */
  let isKept = false;

  const sync = (): Promise<void> => onDisk(logFile.descriptor());

  function written(): boolean {
    const before = index;
    restoreHeader();
    index = read();
    return before === undefined || !isSameLog(before, index) || hasLastPage(logFile.descriptor(), before);
  }

  function restoreHeader(): void {
    if (header === undefined) return;
    const log = logFile.descriptor();
    // SQLite wrote a new header, or, because of a reader, appended to the old log: then restore its header.
    if (readHeader(log).every((byte) => byte === 0)) writeSync(log, header, 0, headerSize, 0);
    header = undefined;
    sqlite.pragma('synchronous = NORMAL');
  }

  function isIntact(): boolean {
    index = read();
    return isWhole(logFile.descriptor(), index, header !== undefined);
  }

  const changes = (): number => changesIn(databaseFile.descriptor());

  function isDue(): boolean {
    if (index === undefined) return false;
    const { pages, copied } = index;
    return pages >= pagesBetween && pages > copied && pages - tried >= pagesToNextTry;
  }

  async function checkpoint({ mayCopy, holdCommits }: CheckpointParts): Promise<Ending> {
    restoreHeader();
    index = read();
    tried = index.pages;
    const ending = await copyPinned(mayCopy);
    const { pages, copied } = index;
    const isNearEnd = ending === 'behind' && (pages - copied <= fewPages || pages >= manyPages);
    return isNearEnd ? holdCommits(() => copyPinned(mayCopy)) : ending;
  }

  async function copyPinned(mayCopy: () => boolean): Promise<Ending> {
    const release = pin();
    const pinned = read().pages;
    try {
      await sync();
      if (!mayCopy() || !copy()) return 'refused';
      if (!(await syncDatabase())) return 'failed';
      index = read();
      if (index.copied < pinned) return 'barred';
      if (index.pages !== index.copied) return 'behind';
      await makeVoid();
      if (header === undefined) return 'behind';
      tried = 0;
      return 'whole';
    } finally {
      if (!isKept) release();
    }
  }

  function rewrite(): void {
    const [busy] = sqlite.prepare<[], number>('PRAGMA wal_checkpoint(TRUNCATE)').pluck().all();
    if (busy !== 0) throw new Error('the disk has failed, and the write-ahead log could not be written again yet');
  }

  function close(closeDatabase: () => void, takesCopy: boolean): void {
    const isToBeCopied = takesCopy && !isKept && isIntact();
    // SQLite copies when the last connection closes, if that may write.
    if (isToBeCopied) reader.close();
    logFile.close();
    closeDatabase();
    reader.close();
    // Last, because closing any descriptor of a file drops the process's locks on it.
    closeSync(indexFile);
    databaseFile.close();
  }

  function read(): LogIndex {
    return readIndex(indexFile);
  }

  function pin(): () => void {
    reader.exec('BEGIN');
    // The transaction starts with the first read. This reads one page and not the schema.
    reader.pragma('schema_version');
    return () => reader.exec('COMMIT');
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
    const descriptor = databaseFile.descriptor();
    try {
      await onDisk(descriptor);
      return true;
    } catch {
      isKept = true;
      return false;
    }
  }

  async function makeVoid(): Promise<void> {
    const log = logFile.descriptor();
    header = readHeader(log);
    // SQLite would sync when it restarts the log. The zeroed header makes that unnecessary.
    sqlite.pragma('synchronous = OFF');
    writeSync(log, Buffer.alloc(headerSize), 0, headerSize, 0);
    try {
      await onDisk(log);
    } catch (error) {
      restoreHeader();
      throw error;
    }
  }

  return { sync, written, isIntact, changes, isDue, checkpoint, rewrite, close };
}

/** A file that is opened on first use. */
function openedOnce(path: string, flags: string) {
  let descriptor: number | undefined;
  return {
    descriptor(): number {
      descriptor ??= openSync(path, flags);
      return descriptor;
    },
    close(): void {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
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

function isSameLog(one: LogIndex, other: LogIndex): boolean {
  return one.salt.every((part, place) => part === other.salt[place]);
}
