import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { StorageTrouble } from '../conversation/health/storage.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { changesOf, type Numbers, numbersFileOf, numbersIn, readNumbers } from './database-files.ts';
import { isDamage } from './sql.ts';

/** The data can't be used as it is: the message says why, and what the operator can do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** Another process works with the data: the message names it. */
export class DataLockedError extends Error {
  override readonly name = 'DataLockedError';
}

/**
 * Makes this process the only one that works with a data folder, until it ends: the operating system takes the lock away
 * from a process that dies, however it dies, so none is ever left behind. Returns the function that gives it back;
 * keep it, since the lock lasts no longer than it does. Throws `DataLockedError`, or `StoreError` if the folder can't be used.
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

/** SQLite's file locks are the ones that work alike on all systems. */
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

/** Up to this size a database is read through before the start, which takes some 20 ms; in bytes. */
const readAtStart = 4 * 2 ** 20;
/** The same where the last process did not close it, which takes half a second. */
const readAfterCrash = 64 * 2 ** 20;
/** How long a program may hold the database that only looks into it, in milliseconds. */
const patience = 2_000;

/**
 * Looks at a database file before anything is done with it: whether it is what the last process has left there, and whether
 * it is whole. True if it is too large to read it through now: then that is done beside the work. Throws `StoreError`, and changes nothing, where rows would be missing; `DataLockedError` if somebody has it open.
 */
export function examine(file: string): boolean {
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

/** The first thing that is wrong in the file, if there is one. Reads all of it: for a gigabyte, that takes seconds. */
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

/** Opens a file, and closes it again. */
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

/** In words for the operator. Pages that were copied out of a log in part make no whole file without it. */
function damageWords(file: string, damage: string, isLogGone: boolean): string {
  const log = `${basename(file)}-wal`;
  const missing = `The last process has not closed it, and ${log} beside it is gone or empty: it is whole again with that. Put ${log} back. `;
  return `The database ${file} is damaged: ${damage}. ${isLogGone ? missing : ''}${restoring(file)}`;
}

/** Damage that was found while the file is worked with. */
export function damaged(file: string, damage: string): StorageTrouble {
  const rest = 'Until then I store nothing; what you write stays with the platform.';
  return { brief: 'the database is damaged', words: `${damageWords(file, damage, false)} ${rest}` };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** No database is a first start, where nothing else stands there either. */
function refuseEmpty(file: string, numbers: Numbers | undefined): void {
  const what = existsSync(file) ? 'is empty' : 'is gone';
  const [name, folder] = [basename(file), dirname(file)];
  if (numbers !== undefined) {
    throw new StoreError(
      `The database ${file} ${what}; the newest message in it was number ${numbers.message}. Nothing was made in its place. Put it back, with ${name}-wal if there is one. ${restoring(file)} To start with an empty one, remove ${name}.numbers.`,
    );
  }
  const backups = filesIn(folder).filter(
    (other) => other.startsWith(`${name}.`) && /\.(?:v\d+\.bak|rescued)$/.test(other),
  );
  const left = [`${name}-wal`, 'files', 'device-files', ...backups].filter((other) => sizeOf(join(folder, other)) > 0);
  if (left.length === 0) return;
  throw new StoreError(
    `The database ${file} ${what}, though ${left.join(' and ')} beside it belonged to one. Nothing was made in its place. Put it back. ${restoring(file)} To start with an empty one, move ${left.join(' and ')} to another folder.`,
  );
}

/** A log that belongs to a newer file than this one: read together, they make a broken one. */
function refuseOlder(file: string, numbers: Numbers): void {
  const name = basename(file);
  if (sizeOf(file) < numbers.bytes || changesOf(file) < numbers.changes) {
    throw new StoreError(
      `The database ${file} is older than ${name}-wal beside it: an older copy was put in its place. Read together they would be damaged, so that nothing was changed. To go on with the older one, remove ${name}-wal, ${name}-shm and ${name}.numbers, and start again. To go on with the newer one, put it back.`,
    );
  }
}

/** Compares the file with the notes of the last process. */
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

function lacking(found: ReturnType<typeof lookInto>, { message, deed }: Numbers): string {
  if (found === undefined) return `it is of an older schema, and message number ${message}`;
  if (found.message < message) return `its newest message is number ${found.message}, and number ${message}`;
  return `its audit ends with entry ${found.deed}, and entry ${deed}`;
}

function lookInto(file: string, isLogGone: boolean): ReturnType<typeof numbersIn> {
  try {
    return inDatabase(file, { readonly: true }, numbersIn);
  } catch (error) {
    throw isDamage(error) ? new StoreError(damageWords(file, error.message, isLogGone), { cause: error }) : error;
  }
}

/**
 * Nobody else may have the file open: removing the lock beside it lets nobody in. This also brings what stands in the
 * write-ahead log to the disk.
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

/** How a backup takes the place of a file. The newest that Keyturn itself has made is named, if there is one. */
export function restoring(file: string): string {
  const name = basename(file);
  const numbered = filesIn(dirname(file))
    .flatMap((found) => found.match(/\.v(\d+)\.bak$/)?.[1] ?? [])
    .map(Number);
  const newest = numbered.length === 0 ? '' : `, or ${name}.v${Math.max(...numbered)}.bak,`;
  return `To restore a backup, copy the folder first, then put your latest backup${newest} in the place of ${name}, and remove ${name}-wal, ${name}-shm and ${basename(numbersFileOf(file))}.`;
}

function filesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
