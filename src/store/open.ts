import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { ownVersion } from '../lib/own-version.ts';
import { createDatabase, type Database } from './database.ts';
import { changesOf, createDatabaseFiles } from './database-files.ts';
import { examine, inDatabase, restoring, StoreError } from './examine.ts';
import { lockPatience } from './lock-wait.ts';
import { migrations } from './migrations.ts';

/** SQLite's application id ("Keyt" in ASCII): identifies the file to `file` and other tools. */
const applicationId = 0x4b_65_79_74;

/**
 * Opens the database file, creating it if missing, and migrates it to the newest schema. The schema number is SQLite's
 * `user_version`; the table `written_by` records which Keyturn first wrote each number. Before each step, a file with
 * data is copied to `<file>.v<number>.bak`. Throws `StoreError` and changes nothing if a newer Keyturn or another
 * program wrote the file, if it is damaged, or if data is missing; `DataLockedError` if another process has it open.
 */
export function openDatabase(file: string, steps: readonly string[] = migrations): Database {
  mkdirSync(dirname(file), { recursive: true });
  let sqlite: Sqlite.Database | undefined;
  try {
    const isToBeRead = examine(file);
    const isNew = !existsSync(file);
    const changes = isNew ? 0 : changesOf(file);
    sqlite = new Sqlite(file);
    if (isNew) chmodSync(file, 0o600);
    sqlite.pragma('foreign_keys = ON');
    sqlite.pragma('busy_timeout = 5000');
    migrate(sqlite, file, steps);
    const database = createDatabase(sqlite, createDatabaseFiles(sqlite, changes), isToBeRead ? file : undefined);
    // Takes the lock that `examine` checks. Writing the first page also bumps SQLite's change counter, which tells
    // older copies from checkpoints after this start.
    sqlite.pragma(`application_id = ${applicationId}`);
    sqlite.pragma(`busy_timeout = ${lockPatience}`);
    return database;
  } catch (error) {
    sqlite?.close();
    throw asStoreError(error, file, steps);
  }
}

/** Turns an SQLite error into a `StoreError` for the operator. Other errors pass unchanged. */
export function asStoreError(error: unknown, file: string, steps: readonly string[] = migrations): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  return new StoreError(refusal(error, file, steps), { cause: error });
}

function refusal(error: InstanceType<typeof Sqlite.SqliteError>, file: string, steps: readonly string[]): string {
  const cannot = `The database ${file} cannot be used: ${error.message}.`;
  if (/FULL|IOERR|READONLY|CANTOPEN/.test(error.code)) {
    return `${cannot} Is the disk full, or may this user not write there?`;
  }
  if (hasOtherSchema(file, steps)) return `${cannot} ${otherTables}`;
  return `${cannot} Nothing in it was changed. ${restoring(file)} To start without it, set data_dir to another folder.`;
}

const otherTables =
  'It is not damaged: its tables are those of a Keyturn from before its schema was numbered, or of another program. Nothing in it was changed. Start the program that wrote it, or set data_dir to another folder.';

/** Whether the file is intact, but its tables or columns differ from its schema number. */
function hasOtherSchema(file: string, steps: readonly string[]): boolean {
  try {
    return inDatabase(file, { readonly: true }, (found) =>
      inDatabase(':memory:', {}, (expected) => {
        if (found.pragma('quick_check(1)', { simple: true }) !== 'ok') return false;
        for (const step of steps.slice(0, schemaNumber(found))) expected.exec(step);
        return columnsOf(found) !== columnsOf(expected);
      }),
    );
  } catch {
    return false; // An unreadable file is damaged.
  }
}

function columnsOf(sqlite: Sqlite.Database): string {
  const rows = sqlite
    .prepare<[], { readonly name: string }>(
      `SELECT t.name || '.' || c.name AS name FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'written_by' ORDER BY 1`,
    )
    .all();
  return rows.map(({ name }) => name).join('\n');
}

function migrate(sqlite: Sqlite.Database, file: string, steps: readonly string[]): void {
  const number = schemaNumber(sqlite);
  if (number > steps.length) throw new StoreError(newerFile(sqlite, file, number, steps.length));
  const tables = sqlite.prepare(`SELECT count(*) FROM sqlite_schema WHERE type = 'table'`).pluck().get();
  if (number === 0 && tables !== 0) {
    throw new StoreError(
      `The database ${file} belongs to another program. Nothing in it was changed. Set data_dir to a folder of Keyturn's own.`,
    );
  }
  if (number > 0 && !isNumbered(sqlite) && hasOtherSchema(file, steps)) {
    throw new StoreError(`The database ${file} cannot be used. ${otherTables}`);
  }
  /** Takes the steps from one number to another, all or none. */
  const take = sqlite.transaction((from: number, to: number) => {
    for (const [index, step] of steps.slice(from, to).entries()) {
      sqlite.exec(step);
      sqlite.exec('CREATE TABLE IF NOT EXISTS written_by (schema INTEGER PRIMARY KEY, version TEXT NOT NULL) STRICT');
      sqlite.prepare('INSERT INTO written_by (schema, version) VALUES (?, ?)').run(from + index + 1, ownVersion());
    }
    sqlite.pragma(`application_id = ${applicationId}`);
    sqlite.pragma(`user_version = ${to}`);
  });
  // A new file has nothing to back up. Each transaction waits for the disk, so it has one.
  if (number === 0) take(0, steps.length);
  for (let index = schemaNumber(sqlite); index < steps.length; index += 1) {
    backUp(sqlite, `${file}.v${index}.bak`);
    take(index, index + 1);
  }
}

/** Databases from before schema numbers lack this table; their schema was edited in place. */
function isNumbered(sqlite: Sqlite.Database): boolean {
  return sqlite.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'written_by'`).get() !== undefined;
}

function schemaNumber(sqlite: Sqlite.Database): number {
  return Number(sqlite.pragma('user_version', { simple: true }));
}

function newerFile(sqlite: Sqlite.Database, file: string, number: number, known: number): string {
  const writer = isNumbered(sqlite) ? writerOf(sqlite, number) : undefined;
  const who = writer?.who ?? 'a newer Keyturn, or by another program';
  const start = writer === undefined ? 'Start the program that wrote it' : `Start ${writer.start}`;
  return `The database ${file} was written by ${who}: its schema is number ${number}, and Keyturn ${ownVersion()} knows ${known}. Your data are intact, and nothing was changed. ${start}, or set data_dir to another folder to try this one beside it.`;
}

/** The version that wrote the number, or else the newest known earlier writer. */
function writerOf(sqlite: Sqlite.Database, number: number) {
  const row = sqlite
    .prepare<[number], { schema: number; version: string }>(
      'SELECT schema, version FROM written_by WHERE schema <= ? ORDER BY schema DESC LIMIT 1',
    )
    .get(number);
  if (row === undefined) return undefined;
  const { schema, version } = row;
  if (schema === number) return { who: `Keyturn ${version}`, start: `Keyturn ${version} or newer` };
  return { who: `a Keyturn newer than ${version}`, start: 'that one' };
}

function backUp(sqlite: Sqlite.Database, target: string): void {
  rmSync(target, { force: true });
  sqlite.prepare('VACUUM INTO ?').run(target);
  chmodSync(target, 0o600);
}
