import { chmodSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import Sqlite from 'better-sqlite3';
import { changesOf, createNumbersFile, newestIn } from './numbers.ts';

/** The files of an open database. */
export interface DatabaseFiles {
  /** Call after each commit. */
  committed(): void;
  /** Call once the whole log is copied into the database and synced. */
  copied(changes: number): void;
  /** Captures the newest commit. Call the returned function to record it once it is on disk. */
  noting(): () => void;
  /** Whether the file is shorter than it was. It takes no copy of the log then: the rest of it is missing. */
  isCut(): boolean;
  /**
   * Words for owners if the files are not in place. Saves the content beside the database, if it can still be read: a
   * deleted file can. Undefined if all is well.
   */
  lostWords(isLogIntact: () => boolean): string | undefined;
  /** Closes the database. SQLite then copies the log into it unless another process has it open. */
  close(): void;
}

/**
 * The files of an open database. Records beside it what is on disk, and checks that the files are in place. Create it
 * while the write-ahead log has nothing unsynced. `changesBefore`: the change counter while the log was empty.
 */
export function createDatabaseFiles(sqlite: Sqlite.Database, changesBefore: number): DatabaseFiles {
  const { ino: inode, size } = statSync(sqlite.name);
  let bytes = size;
  const newest = newestIn(sqlite);
  const found = newest();
  const numbers = found && createNumbersFile(sqlite.name, { ...found, bytes, changes: changesBefore, isClosed: false });
  /** The inode of the write-ahead log, known after the first commit. */
  let inodeOfLog: number | undefined;

  function committed(): void {
    inodeOfLog ??= statSync(`${sqlite.name}-wal`, { throwIfNoEntry: false })?.ino;
  }

  function copied(changes: number): void {
    bytes = statSync(sqlite.name).size;
    numbers?.write({ bytes, changes });
  }

  function noting(): () => void {
    const noted = readNewest();
    return () => {
      if (noted !== undefined) numbers?.write(noted);
    };
  }

  const isCut = (): boolean => (statSync(sqlite.name, { throwIfNoEntry: false })?.size ?? bytes) < bytes;

  /** What happened to the files while they were open, in words for people; undefined if they are in place. */
  function whatIsWrong(isLogIntact: () => boolean): string | undefined {
    const file = sqlite.name;
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return `The database ${file} was moved or deleted while I work with it.`;
    if (found.ino !== inode) return `The database ${file} was replaced by another file while I work with it.`;
    if (found.size < bytes) return `The database ${file} was cut off while I work with it.`;
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.ino;
    if (inodeOfLog !== undefined && log !== inodeOfLog)
      return `The write-ahead log ${file}-wal was moved or deleted while I work with it.`;
    if (!isLogIntact()) return `The write-ahead log ${file}-wal was cut off or overwritten while I work with it.`;
    return undefined;
  }

  function lostWords(isLogIntact: () => boolean): string | undefined {
    const what = whatIsWrong(isLogIntact);
    if (what === undefined) return undefined;
    const name = basename(sqlite.name);
    const first = `${what} I store nothing any more until I am started again; what you write stays with the platform.`;
    const unsaved = rescue();
    if (unsaved === undefined)
      return `${first} All that was in it is saved as ${name}.rescued. Stop me, put that in the place of ${name}, remove ${name}-wal and ${name}-shm, and start me again.`;
    const older = existsSync(`${sqlite.name}.rescued`) ? ` ${name}.rescued there is from an earlier day.` : '';
    return `${first} What was in it could not be saved beside it: ${unsaved}.${older} Stop me, put it back with ${name}-wal if you have them, and start me again: the start says what is missing.`;
  }

  /** Saves the content as `.rescued`, once it is known to be complete. Otherwise why not; an earlier one stays then. */
  function rescue(): string | undefined {
    const [target, draft] = [`${sqlite.name}.rescued`, `${sqlite.name}.rescuing`];
    try {
      rmSync(draft, { force: true });
      sqlite.prepare('VACUUM INTO ?').run(draft);
      const missing = missingIn(draft);
      if (missing !== undefined) return missing;
      chmodSync(draft, 0o600);
      renameSync(draft, target);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      rmSync(draft, { force: true });
    }
  }

  /** Why a copy is not complete. Compares it with what was on disk last. */
  function missingIn(copy: string): string | undefined {
    const sqlite = new Sqlite(copy, { readonly: true });
    try {
      const health = sqlite.pragma('quick_check(1)', { simple: true });
      if (health !== 'ok') return `it is damaged (${String(health)})`;
      const noted = numbers?.newest();
      const inCopy = newestIn(sqlite)();
      if (noted === undefined || (inCopy !== undefined && inCopy.message >= noted.message && inCopy.deed >= noted.deed))
        return undefined;
      return `message number ${noted.message} cannot be read`;
    } finally {
      sqlite.close();
    }
  }

  /** Undefined if the file is too damaged to query. */
  function readNewest() {
    try {
      return newest();
    } catch (error) {
      if (error instanceof Sqlite.SqliteError) return undefined;
      throw error;
    }
  }

  function close(): void {
    const noteNewest = noting();
    const file = sqlite.name;
    sqlite.close();
    const isAlone = !existsSync(`${file}-wal`);
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    if (isAlone && size !== undefined) {
      noteNewest();
      numbers?.write({ bytes: size, changes: changesOf(file), isClosed: true });
    }
    numbers?.close();
  }

  return { committed, copied, noting, isCut, lostWords, close };
}
