import { constants, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { inDatabase } from './examine.ts';

/** `fault`: it is no database, or damaged; with the system's code, it cannot be copied. */
export type ForeignRows =
  | { readonly type: 'rows'; readonly rows: readonly Readonly<Record<string, unknown>>[] }
  | { readonly type: 'fault'; readonly code?: string };

/**
 * The rows of a table in the database of another program, at most so many; none if it has no such table. It is read as a
 * copy: to read a database with a log leaves files beside it, and its program may be writing.
 */
export function foreignRows(file: string, table: string, most: number): ForeignRows {
  const folder = mkdtempSync(join(tmpdir(), 'keyturn-copy-'));
  try {
    const copy = join(folder, 'copy.db');
    for (const end of ['', '-wal'])
      if (existsSync(file + end)) copyFileSync(file + end, copy + end, constants.COPYFILE_FICLONE);
    return inDatabase(copy, {}, (sqlite) => ({ type: 'rows', rows: rowsIn(sqlite, table, most) }));
  } catch (error) {
    if (error instanceof Sqlite.SqliteError) return { type: 'fault' };
    if (error instanceof Error && 'code' in error) return { type: 'fault', code: String(error.code) };
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowsIn(sqlite: Sqlite.Database, table: string, most: number): readonly Readonly<Record<string, unknown>>[] {
  const isThere = sqlite.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(table);
  if (isThere === undefined) return [];
  const quoted = `"${table.replaceAll('"', '""')}"`;
  return sqlite.prepare<[number], Record<string, unknown>>(`SELECT * FROM ${quoted} LIMIT ?`).all(most);
}
