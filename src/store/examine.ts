import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { StorageTrouble } from '../conversation/health/storage.ts';
import type { InLanguage } from '../lib/words.ts';
import { makeFolder } from '../tools/guard/workspace/workspace.ts';
import { changesOf, type Newest, type Numbers, newestIn, readNumbers } from './numbers.ts';
import { isDamage } from './sqlite-sql.ts';
import { DataInUseError, DataLockedError, StoreError, storeSays } from './store-error.ts';
import { storageWords } from './words.ts';

/** The version of the SQLite that is linked in, and the day (ISO) of its sources. */
export function sqliteVersion(): { readonly version: string; readonly madeOn: string } {
  return inDatabase(':memory:', {}, (sqlite) => {
    const row = sqlite
      .prepare<[], { version: string; source: string }>('SELECT sqlite_version() version, sqlite_source_id() source')
      .get();
    return { version: row?.version ?? '', madeOn: row?.source.slice(0, 10) ?? '' };
  });
}

/**
 * Locks the data folder for this process. The OS releases the lock when the process dies, so no stale lock remains.
 * Returns the function that releases it; keep a reference, or the lock is lost. Throws `DataLockedError`, or
 * `StoreError` if the folder is unusable.
 */
export function lockData(folder: string): () => void {
  const sqlite = openLock(folder);
  const note = join(folder, 'keyturn.pid');
  try {
    sqlite.pragma('journal_mode = MEMORY');
    sqlite.exec('BEGIN EXCLUSIVE');
    writeFileSync(note, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    sqlite.close();
    if (!(error instanceof Sqlite.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw unusable(folder, error);
    const process = holder(note);
    throw new DataLockedError(
      storeSays((say) => say.locked({ process, folder })),
      { cause: error },
    );
  }
  return () => sqlite.close();
}

/** Whether a process works with the data folder now. Changes nothing. */
export function isDataLocked(folder: string): boolean {
  const path = join(folder, 'keyturn.lock');
  if (!existsSync(path)) return false;
  const sqlite = new Sqlite(path, { readonly: true, timeout: 0 });
  try {
    sqlite.prepare('SELECT count(*) FROM sqlite_master').get();
    return false;
  } catch (error) {
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return true;
    throw error;
  } finally {
    sqlite.close();
  }
}

/** SQLite's file locks work alike on all systems. */
function openLock(folder: string): Sqlite.Database {
  try {
    makeFolder(folder);
    return new Sqlite(join(folder, 'keyturn.lock'), { timeout: 0 });
  } catch (error) {
    throw unusable(folder, error);
  }
}

function unusable(folder: string, error: unknown): StoreError {
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError(
    storeSays((say) => say.unusableFolder({ folder, reason })),
    { cause: error },
  );
}

/** The id of the process; undefined if that is not known. */
function holder(note: string): string | undefined {
  try {
    return readFileSync(note, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Databases up to this size are checked before the start, about 20 ms; in bytes. */
const readAtStart = 4 * 2 ** 20;
/** The limit after an unclean exit, about 500 ms. */
const readAfterCrash = 64 * 2 ** 20;
/**
 * Checks a database file before it is opened: is it intact, and what the last process left? True if it is too large for
 * that now: check it in the background. Changes nothing but what a transaction has left that did not end. Throws `StoreError` if it is damaged or lacks rows,
 * `DataInUseError` if another process has it open: see `whenFree`.
 */
export function examine(file: string): boolean {
  for (const end of ['', '-wal', '-shm']) refuseOther(`${file}${end}`);
  const numbers = readNumbers(file);
  if (sizeOf(file) === 0) {
    refuseEmpty(file, numbers);
    return false;
  }
  rollBack(file);
  const hasLog = sizeOf(`${file}-wal`) > 0;
  if (hasLog && numbers !== undefined) refuseOlder(file, numbers);
  const isUnclean = hasLog || numbers?.isClosed === false;
  const isLarge = sizeOf(file) > (isUnclean ? readAfterCrash : readAtStart);
  const damage = isLarge ? undefined : firstDamage(file);
  const isLogGone = !hasLog && numbers?.isClosed === false;
  if (damage !== undefined) throw new StoreError(damageWords(file, damage, isLogGone));
  if (numbers !== undefined) compare(file, numbers, isLogGone);
  refuseShared(file);
  return isLarge;
}

/**
 * A process that is killed in its first start, or in the first after a restore, leaves a rollback journal: there is no
 * write-ahead log yet. Who only reads may not undo that transaction, and is refused.
 */
function rollBack(file: string): void {
  if (sizeOf(`${file}-journal`) === 0) return;
  try {
    inDatabase(file, { timeout: 0 }, (sqlite) => sqlite.prepare('SELECT count(*) FROM sqlite_schema').get());
  } catch (error) {
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY'))
      throw new DataInUseError(file, { cause: error });
    if (!isDamage(error)) throw error;
    // The check below tells it.
  }
}

/** The first damage in the file; undefined if it is intact. Reads all of it: seconds per gigabyte. */
export function firstDamage(file: string): string | undefined {
  try {
    const found: unknown = inDatabase(file, { readonly: true }, (sqlite) =>
      sqlite.pragma('quick_check(1)', { simple: true }),
    );
    return found === 'ok' ? undefined : String(found).replaceAll(/\s+/g, ' ');
  } catch (error) {
    if (!isDamage(error)) throw error;
    return error.message;
  }
}

/** Opens a file for one look, and closes it. */
export function inDatabase<Found>(
  file: string,
  options: Sqlite.Options,
  look: (sqlite: Sqlite.Database) => Found,
): Found {
  const sqlite = new Sqlite(file, options);
  try {
    return look(sqlite);
  } finally {
    sqlite.close();
  }
}

/** Words for the operator. A half-copied database is incomplete without its log. */
function damageWords(file: string, damage: string, isLogGone: boolean): InLanguage {
  const found = { file, damage, backup: newestBackup(file) };
  return storeSays((say) => (isLogGone ? say.damagedWithoutLog(found) : say.damaged(found)));
}

/** Damage found at run time. */
export function damaged(file: string, damage: string): StorageTrouble {
  const backup = newestBackup(file);
  return {
    brief: (language) => storageWords[language].brief('damaged'),
    words: (language) => storageWords[language].damaged({ file, damage, backup }),
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Refuses what is no file. Reading a pipe or a device could block for ever. */
function refuseOther(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  const isFolder = found.isDirectory();
  throw new StoreError(
    storeSays((say) => (isFolder ? say.folderThere({ file: path }) : say.noFileThere({ file: path }))),
  );
}

/** A missing database is a first start only if nothing else is there. */
function refuseEmpty(file: string, numbers: Numbers | undefined): void {
  const gone = { file, backup: newestBackup(file), isEmpty: existsSync(file) };
  const [name, folder] = [basename(file), dirname(file)];
  if (numbers !== undefined) {
    const { message } = numbers;
    throw new StoreError(storeSays((say) => say.gone({ ...gone, message })));
  }
  const backups = filesIn(folder).filter(
    (other) => other.startsWith(`${name}.`) && /\.(?:v\d+(?:\.[\w-]+)?\.bak|rescued)$/.test(other),
  );
  const left = [`${name}-wal`, 'files', 'device-files', 'config-history', ...backups].filter(
    (other) => sizeOf(join(folder, other)) > 0,
  );
  if (left.length === 0) return;
  throw new StoreError(storeSays((say) => say.goneBeside({ ...gone, left })));
}

/** Refuses a log that belongs to a newer file: combined, they would be corrupt. */
function refuseOlder(file: string, numbers: Numbers): void {
  if (sizeOf(file) < numbers.bytes || changesOf(file) < numbers.changes)
    throw new StoreError(storeSays((say) => say.older({ file })));
}

/** Compares the file with the record of the last process. */
function compare(file: string, numbers: Numbers, isLogGone: boolean): void {
  const found = lookInto(file, isLogGone);
  if (found !== undefined && found.identity !== numbers.identity) {
    const { message } = numbers;
    throw new StoreError(storeSays((say) => say.exchanged({ file, message })));
  }
  if (found !== undefined && found.message >= numbers.message && found.deed >= numbers.deed) return;
  throw new StoreError(lackingWords(file, found, numbers));
}

function lackingWords(file: string, found: Newest | undefined, { message, deed }: Numbers): InLanguage {
  if (found === undefined) return storeSays((say) => say.lacksSchema({ file, message }));
  if (found.message < message) return storeSays((say) => say.lacksMessages({ file, found: found.message, message }));
  return storeSays((say) => say.lacksAudit({ file, found: found.deed, deed }));
}

function lookInto(file: string, isLogGone: boolean): Newest | undefined {
  try {
    return inDatabase(file, { readonly: true }, (sqlite) => newestIn(sqlite)());
  } catch (error) {
    throw isDamage(error) ? new StoreError(damageWords(file, error.message, isLogGone), { cause: error }) : error;
  }
}

/**
 * Rejects if another process has the file open, even if its lock file was removed. Also flushes the write-ahead log to
 * disk.
 */
function refuseShared(file: string): void {
  try {
    inDatabase(file, { timeout: 0 }, (sqlite) => {
      sqlite.pragma('locking_mode = EXCLUSIVE');
      sqlite.prepare('SELECT count(*) FROM sqlite_schema').get();
    });
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw error;
    throw new DataInUseError(file, { cause: error });
  }
}

/** The newest copy from before a step of the schema: by the core's number, then those of features. See `migrate`. */
export function newestBackup(file: string): string | undefined {
  const copies = filesIn(dirname(file)).flatMap((found) => {
    const [, number, feature] = found.startsWith(basename(file)) ? (/\.v(\d+)(\.[\w-]+)?\.bak$/.exec(found) ?? []) : [];
    return number === undefined ? [] : [{ found, number: Number(number), isLast: feature === undefined ? 1 : 0 }];
  });
  return copies.sort((one, other) => other.number - one.number || other.isLast - one.isLast)[0]?.found;
}

function filesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
