import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { InLanguage } from '../lib/words.ts';
import type { Database } from './database.ts';
import { createDatabaseFiles } from './database-files.ts';
import { examine, newestBackup } from './examine.ts';
import { lockPatience } from './lock-wait.ts';
import { applicationId, hasOtherSchema, migrate, type TableOwner } from './migrate.ts';
import { migrations, type SchemaStep } from './migrations.ts';
import { changesOf } from './numbers.ts';
import { createDatabase } from './sqlite-database.ts';
import { StoreError, storeSays } from './store-error.ts';

/** Of a new file, in bytes: a commit writes each page that it touches, and most of these hold little that is new. */
const pageSize = 2048;

/**
 * Opens the database file, creating it if missing, and brings it to the newest schema of the core and of these features:
 * see `migrate`. Throws `StoreError` and changes nothing if a newer Keyturn or another program wrote the file, if it is
 * damaged, or if data is missing; `DataInUseError` if another process has it open.
 */
export function openDatabase(
  file: string,
  features: readonly TableOwner[] = [],
  core: readonly SchemaStep[] = migrations,
): Database {
  mkdirSync(dirname(file), { recursive: true });
  let sqlite: Sqlite.Database | undefined;
  try {
    const isToBeRead = examine(file);
    const isNew = !existsSync(file);
    const changes = isNew ? 0 : changesOf(file);
    sqlite = new Sqlite(file);
    if (isNew) chmodSync(file, 0o600);
    if (isNew) sqlite.pragma(`page_size = ${pageSize}`);
    sqlite.pragma('foreign_keys = ON');
    sqlite.pragma('busy_timeout = 5000');
    migrate(sqlite, file, { core, features });
    const database = createDatabase(sqlite, createDatabaseFiles(sqlite, changes), isToBeRead ? file : undefined);
    // Takes the lock that `examine` checks. Writing the first page also bumps SQLite's change counter, which tells
    // older copies from checkpoints after this start.
    sqlite.pragma(`application_id = ${applicationId}`);
    sqlite.pragma(`busy_timeout = ${lockPatience}`);
    return database;
  } catch (error) {
    sqlite?.close();
    throw asStoreError(error, file, features, core);
  }
}

/** Turns an SQLite error into a `StoreError` for the operator. Other errors pass unchanged. */
export function asStoreError(
  error: unknown,
  file: string,
  features: readonly TableOwner[] = [],
  core: readonly SchemaStep[] = migrations,
): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  return new StoreError(refusal(error, file, hasOtherSchema(file, { core, features })), { cause: error });
}

function refusal(error: InstanceType<typeof Sqlite.SqliteError>, file: string, isOther: boolean): InLanguage {
  const reason = error.message;
  if (/FULL|IOERR|READONLY|CANTOPEN/.test(error.code)) return storeSays((say) => say.diskRefuses({ file, reason }));
  if (isOther) return storeSays((say) => say.otherTables({ file, reason }));
  const backup = newestBackup(file);
  return storeSays((say) => say.unusable({ file, reason, backup }));
}
