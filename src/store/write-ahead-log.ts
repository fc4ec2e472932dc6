import { closeSync, fdatasync, openSync, readSync, writeSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { hasLastPage, headerSize, isWhole, type LogIndex, readIndex } from './log-frames.ts';
import { changesIn } from './numbers.ts';

/** The log is copied into the database once its pages have so many bytes. */
const dueSize = 1000 * 4096;
/** If that did not succeed, or much was committed meanwhile, the next try is after so many more. */
const sizeToNextTry = 250 * 4096;
/** While no more than so many are left, the next commits wait until these are copied, too. */
const littleLeft = 500 * 4096;
/** They wait for any number once the log has so many: it stays below 16 MB. */
const longestSize = 2500 * 4096;
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

/** Runs the work when no transaction of the connection is open. */
type BetweenTransactions = <Result>(work: () => Result) => Promise<Result>;

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
  /** Whether the log is as SQLite wrote it, as far as it is not copied: 4 ms for 4 MB. */
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
export function createWriteAheadLog(sqlite: Sqlite.Database, between: BetweenTransactions): WriteAheadLog {
  const log = new SyncedLog(sqlite, between);
  return {
    sync: () => log.sync(),
    written: () => log.written(),
    isIntact: () => log.isIntact(),
    changes: () => log.changes(),
    isDue: () => log.isDue(),
    checkpoint: (parts) => log.checkpoint(parts),
    rewrite: () => log.rewrite(),
    close: (closeDatabase, takesCopy) => log.close(closeDatabase, takesCopy),
  };
}

/** What a `WriteAheadLog` promises, with its state. */
class SyncedLog {
  readonly #sqlite: Sqlite.Database;
  readonly #between: BetweenTransactions;
  readonly #logFile: FileOpenedOnce;
  readonly #databaseFile: FileOpenedOnce;
  readonly #reader: Sqlite.Database;
  readonly #indexFile: number;
  /** The saved header, while it is zeroed in the file. */
  #header: Buffer | undefined;
  /** As of the last commit or checkpoint. */
  #index: LogIndex | undefined;
  /** The number of pages at the last checkpoint. */
  #tried = 0;
  /** The disk rejected the copied pages: only the log is reliable then. */
  #isKept = false;

  constructor(sqlite: Sqlite.Database, between: BetweenTransactions) {
    this.#sqlite = sqlite;
    this.#between = between;
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = NORMAL');
    // SQLite would copy without comparing, and block the event loop.
    sqlite.pragma('wal_autocheckpoint = 0');
    sqlite.pragma(`journal_size_limit = ${sizeKept}`);
    this.#logFile = new FileOpenedOnce(`${sqlite.name}-wal`);
    this.#databaseFile = new FileOpenedOnce(sqlite.name);
    this.#reader = new Sqlite(sqlite.name, { readonly: true, timeout: patience });
    this.#pin()();
    this.#indexFile = openSync(`${sqlite.name}-shm`, 'r');
  }

  sync(): Promise<void> {
    return onDisk(this.#logFile.descriptor());
  }

  written(): boolean {
    const before = this.#index;
    this.#restoreHeader();
    this.#index = this.#read();
    return before === undefined || !isSameLog(before, this.#index) || hasLastPage(this.#logFile.descriptor(), before);
  }

  #restoreHeader(): void {
    if (this.#header === undefined) return;
    const log = this.#logFile.descriptor();
    // SQLite wrote a new header, or, because of a reader, appended to the old log: then restore its header.
    if (readHeader(log).every((byte) => byte === 0)) writeSync(log, this.#header, 0, headerSize, 0);
    this.#header = undefined;
    this.#sqlite.pragma('synchronous = NORMAL');
  }

  isIntact(): boolean {
    this.#index = this.#read();
    return isWhole(this.#logFile.descriptor(), this.#index, this.#header !== undefined);
  }

  changes(): number {
    return changesIn(this.#databaseFile.descriptor());
  }

  isDue(): boolean {
    if (this.#index === undefined) return false;
    const { pages, copied, pageSize } = this.#index;
    const isLong = pages * pageSize >= dueSize && (pages - this.#tried) * pageSize >= sizeToNextTry;
    return isLong && pages > copied;
  }

  async checkpoint({ mayCopy, holdCommits }: CheckpointParts): Promise<Ending> {
    await this.#between(() => this.#restoreHeader());
    this.#index = this.#read();
    this.#tried = this.#index.pages;
    const ending = await this.#copyPinned(mayCopy);
    const { pages, copied, pageSize } = this.#index;
    const isNearEnd = (pages - copied) * pageSize <= littleLeft || pages * pageSize >= longestSize;
    return ending === 'behind' && isNearEnd ? holdCommits(() => this.#copyPinned(mayCopy)) : ending;
  }

  async #copyPinned(mayCopy: () => boolean): Promise<Ending> {
    const release = this.#pin();
    const pinned = this.#read().pages;
    try {
      await this.sync();
      if (!(await this.#between(() => mayCopy() && this.#copy()))) return 'refused';
      if (!(await this.#syncDatabase())) return 'failed';
      const copied = await this.#between(() => this.#voidIfWhole(pinned));
      if (copied !== 'whole') return copied;
      await this.#voidOnDisk();
      if (this.#header === undefined) return 'behind';
      this.#tried = 0;
      return 'whole';
    } finally {
      if (!this.#isKept) release();
    }
  }

  rewrite(): void {
    const [busy] = this.#sqlite.prepare<[], number>('PRAGMA wal_checkpoint(TRUNCATE)').pluck().all();
    if (busy !== 0) throw new Error('the disk has failed, and the write-ahead log could not be written again yet');
  }

  close(closeDatabase: () => void, takesCopy: boolean): void {
    const isToBeCopied = takesCopy && !this.#isKept && this.isIntact();
    // SQLite copies when the last connection closes, if that may write.
    if (isToBeCopied) this.#reader.close();
    this.#logFile.close();
    closeDatabase();
    this.#reader.close();
    // Last, because closing any descriptor of a file drops the process's locks on it.
    closeSync(this.#indexFile);
    this.#databaseFile.close();
  }

  #read(): LogIndex {
    return readIndex(this.#indexFile);
  }

  #pin(): () => void {
    this.#reader.exec('BEGIN');
    // The transaction starts with the first read. This reads one page and not the schema.
    this.#reader.pragma('schema_version');
    return () => this.#reader.exec('COMMIT');
  }

  /** False for example if the disk is full. Nothing is lost then. */
  #copy(): boolean {
    this.#sqlite.pragma('synchronous = OFF');
    try {
      this.#sqlite.pragma('wal_checkpoint(PASSIVE)');
      return true;
    } catch (error) {
      if (error instanceof Sqlite.SqliteError) return false;
      throw error;
    } finally {
      this.#sqlite.pragma('synchronous = NORMAL');
    }
  }

  async #syncDatabase(): Promise<boolean> {
    const descriptor = this.#databaseFile.descriptor();
    try {
      await onDisk(descriptor);
      return true;
    } catch {
      this.#isKept = true;
      return false;
    }
  }

  /** If all is copied, the next commit may begin the log again. */
  #voidIfWhole(pinned: number): 'barred' | 'behind' | 'whole' {
    this.#index = this.#read();
    if (this.#index.copied < pinned) return 'barred';
    if (this.#index.pages !== this.#index.copied) return 'behind';
    const log = this.#logFile.descriptor();
    this.#header = readHeader(log);
    // SQLite would sync when it restarts the log. The zeroed header makes that unnecessary.
    this.#sqlite.pragma('synchronous = OFF');
    writeSync(log, Buffer.alloc(headerSize), 0, headerSize, 0);
    return 'whole';
  }

  async #voidOnDisk(): Promise<void> {
    try {
      await onDisk(this.#logFile.descriptor());
    } catch (error) {
      await this.#between(() => this.#restoreHeader());
      throw error;
    }
  }
}

/** A file that is opened on first use, to be read and written. */
class FileOpenedOnce {
  readonly #path: string;
  #descriptor: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  descriptor(): number {
    this.#descriptor ??= openSync(this.#path, 'r+');
    return this.#descriptor;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
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
