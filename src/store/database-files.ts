import { chmodSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { syncFolderNow } from '../lib/sync-folder.ts';
import { type InLanguage, type Words, wordsIn } from '../lib/words.ts';
import { changesOf, type Newest, NumbersFile, newestIn } from './numbers.ts';
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
  const { ino: inode, size: bytes } = statSync(sqlite.name);
  const newest = newestIn(sqlite);
  const found = newest();
  const numbers = found && new NumbersFile(sqlite.name, { ...found, bytes, changes: changesBefore, isClosed: false });
  const files: FilesState = { sqlite, inode, newest, numbers, bytes, inodeOfLog: undefined };
  return {
    committed: () => {
      files.inodeOfLog ??= statSync(`${sqlite.name}-wal`, { throwIfNoEntry: false })?.ino;
    },
    copied: (changes) => {
      files.bytes = statSync(sqlite.name).size;
      numbers?.write({ bytes: files.bytes, changes });
    },
    noting: () => noting(files),
    isCut: () => (statSync(sqlite.name, { throwIfNoEntry: false })?.size ?? files.bytes) < files.bytes,
    lostWords: (isLogIntact) => lostWords(isLogIntact, files),
    close: () => close(files),
  };
}

interface FilesState {
  readonly sqlite: Sqlite.Database;
  readonly inode: number;
  readonly newest: () => Newest | undefined;
  readonly numbers: NumbersFile | undefined;
  /** The size of the file while the log was empty. */
  bytes: number;
  /** The inode of the write-ahead log, known after the first commit. */
  inodeOfLog: number | undefined;
}

function noting(files: FilesState): () => void {
  const noted = readNewest(files);
  return () => {
    if (noted !== undefined) files.numbers?.write(noted);
  };
}

/** Undefined if the file is too damaged to query. */
function readNewest({ newest }: FilesState): Newest | undefined {
  try {
    return newest();
  } catch (error) {
    if (error instanceof Sqlite.SqliteError) return undefined;
    throw error;
  }
}

function lostWords(isLogIntact: () => boolean, files: FilesState): InLanguage | undefined {
  const loss = lossOf(isLogIntact, files);
  if (loss === undefined) return undefined;
  const file = files.sqlite.name;
  const unsaved = rescue(files);
  if (unsaved === undefined) return (language) => storageWords[language].rescued({ file, loss });
  const hasOlder = existsSync(`${file}.rescued`);
  return (language) => storageWords[language].notRescued({ file, loss, why: wordsIn(language, unsaved), hasOlder });
}

/** What happened to the files while they were open; undefined if they are in place. */
function lossOf(isLogIntact: () => boolean, { sqlite, inode, bytes, inodeOfLog }: FilesState): Loss | undefined {
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

/** Saves the content as `.rescued`, once it is known to be complete. Otherwise why not; an earlier one stays then. */
function rescue({ sqlite, numbers }: FilesState): Words | undefined {
  const [target, draft] = [`${sqlite.name}.rescued`, `${sqlite.name}.rescuing`];
  try {
    rmSync(draft, { force: true });
    sqlite.prepare('VACUUM INTO ?').run(draft);
    const missing = missingIn(draft, numbers?.newest());
    if (missing !== undefined) return missing;
    chmodSync(draft, 0o600);
    renameSync(draft, target);
    syncFolderNow(dirname(target));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Why a copy is not complete. Compares it with what was on disk last. */
function missingIn(copy: string, noted: Newest | undefined): InLanguage | undefined {
  const sqlite = new Sqlite(copy, { readonly: true });
  try {
    const health = sqlite.pragma('quick_check(1)', { simple: true });
    if (health !== 'ok') return (language) => storageWords[language].copyDamaged({ found: String(health) });
    const inCopy = newestIn(sqlite)();
    if (noted === undefined || (inCopy !== undefined && inCopy.message >= noted.message && inCopy.deed >= noted.deed))
      return undefined;
    const { message } = noted;
    return (language) => storageWords[language].copyLacks({ message });
  } finally {
    sqlite.close();
  }
}

function close(files: FilesState): void {
  const { sqlite, numbers } = files;
  const noteNewest = noting(files);
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
