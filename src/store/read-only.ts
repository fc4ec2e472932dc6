import { readFileSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { schemaNumber } from './migrate.ts';
import { migrations } from './migrations.ts';
import { Sql } from './sql.ts';
import { StoreError, storeSays } from './store-error.ts';

/** A larger database is opened where it is, even if no process works with it. In bytes. */
const mostCopied = 512 * 2 ** 20;
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
  const isOpen = sizeOf(`${file}-wal`) > 0 || size > mostCopied;
  const sqlite = isOpen ? new Sqlite(file, { readonly: true, timeout: patience }) : openCopy(file);
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

function openCopy(file: string): Sqlite.Database {
  const copy = readFileSync(file);
  // The format of a database without a write-ahead log: there is none in memory.
  copy.fill(1, 18, 20);
  return new Sqlite(copy, { readonly: true });
}
