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
export class WriteAheadLog {
  readonly #sqlite: Sqlite.Database;
  readonly #state: Sqlite.Statement<[], { readonly log: number; readonly checkpointed: number }>;
  #log: number | undefined;
  #database: number | undefined;
  #reader: Sqlite.Database | undefined;
  /** The header, while it is void in the file. */
  #header: Buffer | undefined;
  /** How large the file of the log was when that was looked at last. */
  #size = 0;
  /** How many pages the log held when it was last tried to copy it. */
  #tried = 0;
  /** Whether the disk has refused what was copied into the database: then the log is all that can be relied on. */
  #isKept = false;

  constructor(sqlite: Sqlite.Database) {
    this.#sqlite = sqlite;
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = NORMAL');
    sqlite.pragma(`wal_autocheckpoint = ${mostPages}`);
    sqlite.pragma(`journal_size_limit = ${sizeKept}`);
    this.#state = sqlite.prepare('PRAGMA wal_checkpoint(NOOP)');
  }

  /** Resolves when all that was committed so far is on disk; the process goes on meanwhile. Rejects with what the file system says. */
  sync(): Promise<void> {
    this.#log ??= openSync(`${this.#sqlite.name}-wal`, 'r+');
    return onDisk(this.#log);
  }

  /** To be called after each try to commit, before anybody learns of it. Throws if it can't be read at the next start. */
  written(): void {
    if (this.#header === undefined || this.#log === undefined) return;
    // SQLite has begun it again with a new header, or it has written behind what stood there, since somebody reads that.
    if (isVoid(readHeader(this.#log))) writeSync(this.#log, this.#header, 0, headerSize, 0);
    this.#header = undefined;
    this.#sqlite.pragma('synchronous = NORMAL');
  }

  /** Whether its file is shorter than when this was asked last. SQLite cuts it too, when it begins again. */
  isShorter(): boolean {
    const before = this.#size;
    this.#size = this.#log === undefined ? 0 : fstatSync(this.#log).size;
    return this.#size < before;
  }

  /** Whether somebody has cut off what SQLite has written to it. */
  isCut(): boolean {
    if (this.#log === undefined) return false;
    // Where another process has copied all of it and begun it again, this is how we learn of it.
    this.#sqlite.pragma('schema_version');
    const page = frameHeaderSize + Number(this.#sqlite.pragma('page_size', { simple: true }));
    const { log } = this.#pages();
    return log > 0 && fstatSync(this.#log).size < headerSize + log * page;
  }

  /** SQLite's counter of changes in the database itself, once the log was copied there. */
  get changes(): number {
    return this.#database === undefined ? 0 : changesIn(this.#database);
  }

  /** Whether there is enough in it to copy it. */
  isDue(): boolean {
    const { log, checkpointed } = this.#pages();
    // Somebody else may have copied it.
    if (log < this.#tried) this.#tried = 0;
    return log >= pagesBetween && log > checkpointed && log - this.#tried >= pagesToNextTry;
  }

  /**
   * Copies it into the database: `whole` if all of it is there and on disk, `failed` if the disk refused what was copied. The
   * log must not end then: it holds all of that, for the next start. Rejects if the log itself could not be synced.
   */
  async checkpoint(): Promise<'whole' | 'in-part' | 'failed'> {
    this.written();
    this.#tried = this.#pages().log;
    const release = this.#hold();
    try {
      await this.sync();
      if (!this.#copy()) return 'in-part';
      if (!(await this.#syncDatabase())) return 'failed';
      const { log, checkpointed } = this.#pages();
      if (log !== checkpointed) return 'in-part';
      await this.#makeVoid();
      if (this.#header === undefined) return 'in-part';
      this.#tried = 0;
      return 'whole';
    } finally {
      if (!this.#isKept) release();
    }
  }

  /** Copies all of it with SQLite's own means, which wait for the disk. Throws if somebody reads in it. */
  rewrite(): void {
    const [busy] = this.#sqlite.prepare<[], number>('PRAGMA wal_checkpoint(TRUNCATE)').pluck().all();
    if (busy !== 0) throw new Error('the disk has failed, and the write-ahead log could not be written again yet');
  }

  /** Call it when nothing is under way, with what closes the database. That ends the log, unless it has to be kept. */
  close(closeDatabase: () => void): void {
    // A reader that stays keeps SQLite from ending the log.
    if (!this.#isKept) this.#reader?.close();
    if (this.#log !== undefined) closeSync(this.#log);
    this.#log = undefined;
    closeDatabase();
    // Not before: the system forgets a process's locks on a file when the process closes any descriptor of it.
    if (this.#database !== undefined) closeSync(this.#database);
  }

  #pages(): { readonly log: number; readonly checkpointed: number } {
    return this.#state.get() ?? { log: 0, checkpointed: 0 };
  }

  #hold(): () => void {
    const reader = this.#reader ?? new Sqlite(this.#sqlite.name, { readonly: true });
    this.#reader = reader;
    reader.exec('BEGIN');
    // Reading is what begins it. This reads one page, and not the schema.
    reader.pragma('schema_version');
    return () => reader.exec('COMMIT');
  }

  /** False if the disk has no room, for example. Nothing is lost by that. */
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
    this.#database ??= openSync(this.#sqlite.name, 'r+');
    try {
      await onDisk(this.#database);
      return true;
    } catch {
      this.#isKept = true;
      return false;
    }
  }

  async #makeVoid(): Promise<void> {
    this.#log ??= openSync(`${this.#sqlite.name}-wal`, 'r+');
    this.#header = readHeader(this.#log);
    // SQLite would wait for the disk when it begins the log again: what that protects from can't happen any more then.
    this.#sqlite.pragma('synchronous = OFF');
    writeSync(this.#log, Buffer.alloc(headerSize), 0, headerSize, 0);
    try {
      await onDisk(this.#log);
    } catch (error) {
      this.written();
      throw error;
    }
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

function isVoid(header: Buffer): boolean {
  return header.every((byte) => byte === 0);
}
