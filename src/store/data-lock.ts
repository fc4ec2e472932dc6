import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { StoreError } from './store-error.ts';

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
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return new Sqlite(join(folder, 'keyturn.lock'), { timeout: 0 });
  } catch (error) {
    throw unusable(folder, error);
  }
}

function unusable(folder: string, error: unknown): StoreError {
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError(
    `data_dir ${folder} cannot be used: ${reason}. It has to be a folder that this user may write to; correct data_dir in the config.`,
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
