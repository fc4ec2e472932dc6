import { readFileSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import type { Log } from '../lib/log.ts';
import type { TableOwner } from './migrate.ts';
import type { Sql } from './sql.ts';
import { isDamage, SqliteSql } from './sqlite-sql.ts';

/** Tells the log of a start which features have tables in the database, though they are not among these. */
export async function logLeftFeatures(sql: Sql, present: readonly TableOwner[], log: Log): Promise<void> {
  const features = await leftFeatures(sql, present);
  if (features.length === 0) return;
  log.warn({ features }, 'the database has tables of features that are not there; they stay as they are');
}

async function leftFeatures(sql: Sql, present: readonly TableOwner[]): Promise<readonly string[]> {
  const names = present.map(({ name }) => name);
  const isNumbered = await sql.has(`SELECT 1 FROM sqlite_schema WHERE name = 'feature_steps'`);
  const found = isNumbered ? await sql.texts('SELECT DISTINCT feature FROM feature_steps ORDER BY feature') : [];
  return found.map((name) => renamed[name] ?? name).filter((name) => !names.includes(name));
}

/** What features were called in databases that have not taken the newest steps of the core yet. */
const renamed: Readonly<Record<string, string>> = { extensions: 'trust' };

/** A larger database is not looked into without being opened. */
const mostBytes = 512 * 2 ** 20;

/**
 * The features that have tables in a database file, which another process may have open, though they are not among these. Looks at a copy in memory: to open the file would leave
 * files beside it, which perhaps belong to another user than the one that it works for.
 */
export async function leftFeaturesIn(file: string, present: readonly TableOwner[]): Promise<readonly string[]> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size === 0 || found.size > mostBytes) return [];
  const copy = readFileSync(file);
  // The format of a database without a write-ahead log: there is none in memory.
  copy.fill(1, 18, 20);
  try {
    using sqlite = openCopy(copy);
    return await leftFeatures(new SqliteSql(sqlite.database), present);
  } catch (error) {
    // A start says more about it.
    if (isDamage(error)) return [];
    throw error;
  }
}

function openCopy(copy: Buffer) {
  const database = new Sqlite(copy, { readonly: true });
  return { database, [Symbol.dispose]: () => void database.close() };
}
