import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { StorageTrouble } from '../conversation/health/storage.ts';
import { makeFolder } from '../tools/guard/workspace/workspace.ts';
import { changesOf, type Newest, type Numbers, newestIn, numbersFileOf, readNumbers } from './numbers.ts';
import { isDamage } from './sql.ts';

/** The data is unusable. The message says why, and what the operator can do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** Another process uses the data. The message names it. */
export class DataLockedError extends Error {
  override readonly name = 'DataLockedError';
}

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
    throw new DataLockedError(
      `Another Keyturn (process ${holder(note)}) works with ${folder}. Stop it first, or give this one its own data_dir.`,
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
    `data_dir ${folder} cannot be used: ${reason}. It has to be a folder that this user may write to. Set data_dir in the config, or KEYTURN_HOME, to one.`,
    { cause: error },
  );
}

function holder(note: string): string {
  try {
    return readFileSync(note, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

/** Databases up to this size are checked before the start, about 20 ms; in bytes. */
const readAtStart = 4 * 2 ** 20;
/** The limit after an unclean exit, about 500 ms. */
const readAfterCrash = 64 * 2 ** 20;
/** How long another program that just reads may hold the database, in ms. */
const patience = 2_000;

/**
 * Checks a database file before it is opened: is it intact, and what the last process left? True if it is too large for
 * that now: check it in the background. Changes nothing. Throws `StoreError` if it is damaged or lacks rows,
 * `DataLockedError` if another process has it open.
 */
export function examine(file: string): boolean {
  for (const end of ['', '-wal', '-shm']) refuseOther(`${file}${end}`);
  const numbers = readNumbers(file);
  if (sizeOf(file) === 0) {
    refuseEmpty(file, numbers);
    return false;
  }
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
function damageWords(file: string, damage: string, isLogGone: boolean): string {
  const log = `${basename(file)}-wal`;
  const missing = `The last process has not closed it, and ${log} beside it is gone or empty: it is whole again with that. Put ${log} back. `;
  return `The database ${file} is damaged: ${damage}. ${isLogGone ? missing : ''}${restoring(file)}`;
}

/** Damage found at run time. */
export function damaged(file: string, damage: string): StorageTrouble {
  const rest = 'Until then I store nothing; what you write stays with the platform.';
  return { brief: 'the database is damaged', words: `${damageWords(file, damage, false)} ${rest}` };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Refuses what is no file. Reading a pipe or a device could block for ever. */
function refuseOther(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  const what = found.isDirectory() ? 'a folder' : 'no file, but a device, a pipe or a socket';
  const hint = found.isDirectory()
    ? ' Docker makes a folder where a file is mounted that does not exist: mount the whole data_dir instead.'
    : '';
  throw new StoreError(
    `${path} is ${what}, and Keyturn keeps its database in files there. Nothing was changed. Move it to another place, and put back what belongs there.${hint}`,
  );
}

/** A missing database is a first start only if nothing else is there. */
function refuseEmpty(file: string, numbers: Numbers | undefined): void {
  const what = existsSync(file) ? 'is empty' : 'is gone';
  const [name, folder] = [basename(file), dirname(file)];
  if (numbers !== undefined) {
    throw new StoreError(
      `The database ${file} ${what}; the newest message in it was number ${numbers.message}. Nothing was made in its place. Put it back, with ${name}-wal if there is one. ${restoring(file)} To start with an empty one, remove ${name}.numbers.`,
    );
  }
  const backups = filesIn(folder).filter(
    (other) => other.startsWith(`${name}.`) && /\.(?:v\d+(?:\.[\w-]+)?\.bak|rescued)$/.test(other),
  );
  const left = [`${name}-wal`, 'files', 'device-files', 'config-history', ...backups].filter(
    (other) => sizeOf(join(folder, other)) > 0,
  );
  if (left.length === 0) return;
  throw new StoreError(
    `The database ${file} ${what}, though ${left.join(' and ')} beside it belonged to one. Nothing was made in its place. Put it back. ${restoring(file)} To start with an empty one, move ${left.join(' and ')} to another folder.`,
  );
}

/** Refuses a log that belongs to a newer file: combined, they would be corrupt. */
function refuseOlder(file: string, numbers: Numbers): void {
  const name = basename(file);
  if (sizeOf(file) < numbers.bytes || changesOf(file) < numbers.changes) {
    throw new StoreError(
      `The database ${file} is older than ${name}-wal beside it: an older copy was put in its place. Read together they would be damaged, so that nothing was changed. To go on with the older one, remove ${name}-wal, ${name}-shm and ${name}.numbers, and start again. To go on with the newer one, put it back.`,
    );
  }
}

/** Compares the file with the record of the last process. */
function compare(file: string, numbers: Numbers, isLogGone: boolean): void {
  const name = basename(file);
  const found = lookInto(file, isLogGone);
  if (found !== undefined && found.identity !== numbers.identity) {
    throw new StoreError(
      `The database ${file} is not the one that this folder had, with messages up to number ${numbers.message}: another one was put in its place. Nothing was changed. Put the right one back; or, if this is the right one, remove ${name}.numbers and start again.`,
    );
  }
  if (found !== undefined && found.message >= numbers.message && found.deed >= numbers.deed) return;
  throw new StoreError(
    `The database ${file} lacks what was in it last: ${lacking(found, numbers)} had been stored. Either ${name}-wal was removed or damaged, or an older copy was put in place. Nothing was changed. If you have what is missing, put all of it back. If you have restored this one, or nothing newer is left, remove ${name}.numbers and start again: Keyturn goes on from there.`,
  );
}

function lacking(found: Newest | undefined, { message, deed }: Numbers): string {
  if (found === undefined) return `it is of an older schema, and message number ${message}`;
  if (found.message < message) return `its newest message is number ${found.message}, and number ${message}`;
  return `its audit ends with entry ${found.deed}, and entry ${deed}`;
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
    inDatabase(file, { timeout: patience }, (sqlite) => {
      sqlite.pragma('locking_mode = EXCLUSIVE');
      sqlite.prepare('SELECT count(*) FROM sqlite_schema').get();
    });
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw error;
    throw new DataLockedError(
      `Another program has ${file} open, perhaps another Keyturn whose keyturn.lock was removed. Stop it first, or give this one its own data_dir.`,
      { cause: error },
    );
  }
}

/** How to restore a backup. Names Keyturn's own newest one, if any. */
export function restoring(file: string): string {
  const name = basename(file);
  const backup = newestBackup(file);
  const own = backup === undefined ? '' : `, or ${backup},`;
  return `To restore a backup, copy the folder first, then put your latest backup${own} in the place of ${name}, and remove ${name}-wal, ${name}-shm and ${basename(numbersFileOf(file))}.`;
}

/** The newest copy from before a step of the schema: by the core's number, then those of features. See `migrate`. */
function newestBackup(file: string): string | undefined {
  const copies = filesIn(dirname(file)).flatMap((found) => {
    const [, number, feature] = found.startsWith(basename(file)) ? (/\.v(\d+)(\.[\w-]+)?\.bak$/.exec(found) ?? []) : [];
    return number === undefined ? [] : [{ found, number: Number(number), isLast: feature === undefined ? 1 : 0 }];
  });
  return copies.sort((one, other) => other.number - one.number || other.isLast - one.isLast)[0]?.found;
}

function filesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
