import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/** Another process works with the data: the message names it. */
export class DataLockedError extends Error {
  override readonly name = 'DataLockedError';
}

/**
 * Makes this process the only one that works with a data folder, until it ends: the operating system takes the lock away
 * from a process that dies, however it dies, so none is ever left behind. Returns the function that gives it back;
 * keep it, since the lock lasts no longer than it does.
 */
export function lockData(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const note = join(folder, 'keyturn.pid');
  // SQLite's file locks are the ones that work alike on all systems.
  const sqlite = new Sqlite(join(folder, 'keyturn.lock'), { timeout: 0 });
  try {
    sqlite.pragma('journal_mode = MEMORY');
    sqlite.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    sqlite.close();
    if (!(error instanceof Sqlite.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw error;
    throw new DataLockedError(
      `Another Keyturn (process ${holder(note)}) works with ${folder}. Stop it first, or give this one its own data_dir.`,
      { cause: error },
    );
  }
  writeFileSync(note, `${process.pid}\n`, { mode: 0o600 });
  return () => sqlite.close();
}

function holder(note: string): string {
  try {
    return readFileSync(note, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
