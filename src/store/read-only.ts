import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { schemaNumber } from './migrate.ts';
import { migrations } from './migrations.ts';
import { Sql } from './sql.ts';
import { StoreError, storeSays } from './store-error.ts';

/** A larger database is opened where it is, even if no process works with it: a copy costs its size twice. In bytes. */
const mostCopied = 16 * 2 ** 20;
/** How long a writer may delay us, in ms. */
const patience = 2_000;

/**
 * Looks into a database without changing it, whether or not a daemon works with it. What no process has open is read into memory:
 * to open the file would leave files beside it, which perhaps belong to another user than the one whom it works for. Throws
 * `StoreError` if there is none, or if it has another schema than this program.
 */
export function readDatabase<Found>(file: string, look: (sql: Sql) => Found): Found {
  const size = sizeOf(file);
  if (size === 0) throw new StoreError(storeSays((say) => say.noneToRead({ file })));
  const sqlite = openToRead(file, size);
  try {
    if (schemaNumber(sqlite) !== migrations.length) throw new StoreError(storeSays((say) => say.otherSchema({ file })));
    // One state of all tables.
    sqlite.exec('BEGIN');
    return look(new Sql(sqlite));
  } finally {
    sqlite.close();
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function openToRead(file: string, size: number): Sqlite.Database {
  if (sizeOf(`${file}-wal`) > 0) return new Sqlite(file, { readonly: true, timeout: patience });
  return size > mostCopied ? openStopped(file) : openCopy(file);
}

/**
 * What may write removes, as the last one that closes it, the files that SQLite makes beside a database: what only reads
 * leaves them. Not one statement of it writes.
 */
function openStopped(file: string): Sqlite.Database {
  if (!mayWrite(file)) return new Sqlite(file, { readonly: true, timeout: patience });
  const sqlite = new Sqlite(file, { fileMustExist: true, timeout: patience });
  sqlite.pragma('query_only = ON');
  return sqlite;
}

function mayWrite(file: string): boolean {
  try {
    for (const path of [file, dirname(file)]) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function openCopy(file: string): Sqlite.Database {
  const copy = readFileSync(file);
  // The format of a database without a write-ahead log: there is none in memory.
  copy.fill(1, 18, 20);
  return new Sqlite(copy, { readonly: true });
}
