import { chmodSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { type InLanguage, type Words, wordsIn } from '../lib/words.ts';
import { changesOf, createNumbersFile, newestIn } from './numbers.ts';
import { type Loss, storageWords } from './words.ts';

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
  lostWords(isLogIntact: () => boolean): InLanguage | undefined;
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

  /** What happened to the files while they were open; undefined if they are in place. */
  function lossOf(isLogIntact: () => boolean): Loss | undefined {
    const file = sqlite.name;
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return 'moved';
    if (found.ino !== inode) return 'replaced';
    if (found.size < bytes) return 'cut';
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.ino;
    if (inodeOfLog !== undefined && log !== inodeOfLog) return 'logMoved';
    if (!isLogIntact()) return 'logCut';
    return undefined;
  }

  function lostWords(isLogIntact: () => boolean): InLanguage | undefined {
    const loss = lossOf(isLogIntact);
    if (loss === undefined) return undefined;
    const file = sqlite.name;
    const unsaved = rescue();
    if (unsaved === undefined) return (language) => storageWords[language].rescued({ file, loss });
    const hasOlder = existsSync(`${file}.rescued`);
    return (language) => storageWords[language].notRescued({ file, loss, why: wordsIn(language, unsaved), hasOlder });
  }

  /** Saves the content as `.rescued`, once it is known to be complete. Otherwise why not; an earlier one stays then. */
  function rescue(): Words | undefined {
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
  function missingIn(copy: string): InLanguage | undefined {
    const sqlite = new Sqlite(copy, { readonly: true });
    try {
      const health = sqlite.pragma('quick_check(1)', { simple: true });
      if (health !== 'ok') return (language) => storageWords[language].copyDamaged({ found: String(health) });
      const noted = numbers?.newest();
      const inCopy = newestIn(sqlite)();
      if (noted === undefined || (inCopy !== undefined && inCopy.message >= noted.message && inCopy.deed >= noted.deed))
        return undefined;
      const { message } = noted;
      return (language) => storageWords[language].copyLacks({ message });
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
