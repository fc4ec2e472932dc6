/*
 * How other processes than the daemon look into its database: it goes on writing, and nobody keeps it from that. What no
 * process has open is read into memory if it is small: to open the file would leave files beside it, which perhaps belong to
 * another user than the one whom the daemon works for.
 */

import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { backupFault } from './backup/backup-format.ts';
import type { Step } from './database.ts';
import { schemaNumber } from './migrate.ts';
import { migrations } from './migrations.ts';
import { isDamage, SqliteSql } from './sqlite-sql.ts';
import { StoreError, storeSays } from './store-error.ts';

/** A larger database is opened where it is, even if no process works with it: a copy costs its size twice. In bytes. */
const mostCopied = 16 * 2 ** 20;
/** How long a reader of ours waits for another program's lock, in ms. */
const patience = 5_000;

/**
 * Reads one state of the database of a data folder, whatever its schema, whether or not a daemon works with it. Changes
 * nothing. Throws `StoreError` if there is none, if it is damaged, or if a start or a restore has to be finished first.
 */
export async function readBeside<Found>(
  dataFolder: string,
  look: (sqlite: Sqlite.Database, file: string) => Found | Promise<Found>,
): Promise<Found> {
  const file = join(dataFolder, 'keyturn.db');
  const size = sizeOf(file);
  if (size === 0) throw new StoreError(storeSays((say) => say.noneToRead({ file })));
  refuseUnended(file);
  let sqlite: Sqlite.Database | undefined;
  try {
    sqlite = openToRead(file, size);
    // One state of all tables.
    sqlite.exec('BEGIN');
    return await look(sqlite, file);
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw backupFault((say) => say.damagedData({ file, damage: error.message }), { cause: error });
  } finally {
    sqlite?.close();
  }
}

/** The same, with the tables that this program knows: throws `StoreError` if the database has another schema. */
export function readTables<Found>(dataFolder: string, look: Step<Found>): Promise<Found> {
  return readBeside(dataFolder, (sqlite, file) => {
    if (schemaNumber(sqlite) !== migrations.length) throw new StoreError(storeSays((say) => say.otherSchema({ file })));
    return look(new SqliteSql(sqlite));
  });
}

/** Throws `StoreError` if a transaction stands half in the file: only a start may undo it. See `examine`. */
export function refuseUnended(file: string): void {
  if (sizeOf(`${file}-journal`) > 0) throw new StoreError(storeSays((say) => say.unended({ file })));
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function openToRead(file: string, size: number): Sqlite.Database {
  if (!isInUse(file)) {
    const sqlite = size > mostCopied ? openStopped(file) : openCopy(file);
    // A process that has begun since then may have changed what was being copied.
    if (!isInUse(file)) return sqlite;
    sqlite.close();
  }
  return new Sqlite(file, { readonly: true, timeout: patience });
}

function isInUse(file: string): boolean {
  return sizeOf(`${file}-wal`) > 0;
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
