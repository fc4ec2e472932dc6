import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Database } from './database.ts';
import { migrations } from './migrations.ts';
import { StoreError } from './store-error.ts';

/**
 * Opens the database file, making it if it is not there, and brings it to the newest version. Before each migration of a
 * file that holds data, the file is copied to `<file>.v<version>.bak`. Throws `StoreError` if a newer Keyturn wrote it,
 * or if it is damaged.
 */
export function openDatabase(file: string, steps: readonly string[] = migrations): Database {
  mkdirSync(dirname(file), { recursive: true });
  const isNew = !existsSync(file);
  const sqlite = openFile(file);
  try {
    if (isNew) chmodSync(file, 0o600);
    sqlite.pragma('foreign_keys = ON');
    sqlite.pragma('busy_timeout = 5000');
    migrate(sqlite, file, steps);
    return new Database(sqlite);
  } catch (error) {
    sqlite.close();
    throw asStoreError(error, file);
  }
}

/** What SQLite refuses in this file, in words for the operator; any other error as it is. */
export function asStoreError(error: unknown, file: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  return new StoreError(`The database ${file} cannot be used: ${error.message}. ${wayOut(error.code, file)}`, {
    cause: error,
  });
}

function wayOut(code: string, file: string): string {
  if (/FULL|IOERR|READONLY|CANTOPEN/.test(code)) return 'Is the disk full, or may this user not write there?';
  const name = `${basename(file)}.v`;
  const backup = readdirSync(dirname(file)).findLast((found) => found.startsWith(name) && found.endsWith('.bak'));
  const restore = backup === undefined ? '' : `Restore it from ${backup} beside it, or `;
  return `${restore}${restore === '' ? 'Move' : 'move'} it away to begin anew.`;
}

function openFile(file: string): Sqlite.Database {
  try {
    return new Sqlite(file);
  } catch (error) {
    throw new StoreError(
      `The database ${file} cannot be opened: ${error instanceof Error ? error.message : String(error)}. Check that the folder is there and that you may write to it.`,
      { cause: error },
    );
  }
}

function migrate(sqlite: Sqlite.Database, file: string, steps: readonly string[]): void {
  const version = Number(sqlite.pragma('user_version', { simple: true }));
  if (version > steps.length) {
    throw new StoreError(
      `The database ${file} was written by a newer Keyturn (version ${version}, and this one knows ${steps.length}). Start the newer one.`,
    );
  }
  for (const [index, step] of steps.entries()) {
    if (index < version) continue;
    if (index > 0) backUp(sqlite, `${file}.v${index}.bak`);
    sqlite.transaction(() => {
      sqlite.exec(step);
      sqlite.pragma(`user_version = ${index + 1}`);
    })();
  }
}

function backUp(sqlite: Sqlite.Database, target: string): void {
  rmSync(target, { force: true });
  sqlite.prepare('VACUUM INTO ?').run(target);
  chmodSync(target, 0o600);
}
