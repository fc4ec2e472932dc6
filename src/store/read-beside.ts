import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { backupFault } from './backup/backup-format.ts';
import { inDatabase } from './examine.ts';
import { isDamage } from './sql.ts';

/** How long a reader of ours waits for another program's lock, in ms. */
const patience = 10_000;

/**
 * Reads the database of a data folder that a daemon may work with, from another process. Changes nothing, and keeps nobody
 * from writing. Throws `StoreError` if there is none, or if it is damaged.
 */
export function readBeside<Found>(dataFolder: string, look: (sqlite: Sqlite.Database, file: string) => Found): Found {
  const file = join(dataFolder, 'keyturn.db');
  if (!existsSync(file)) throw backupFault((say) => say.noData({ file }));
  try {
    return inDatabase(file, { readonly: true, timeout: patience }, (sqlite) => look(sqlite, file));
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw backupFault((say) => say.damagedData({ file, damage: error.message }), { cause: error });
  }
}
