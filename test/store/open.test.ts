import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownVersion } from '../../src/lib/own-version.ts';
import { StoreError } from '../../src/store/examine.ts';
import { openStore } from '../../src/store/index.ts';
import { migrations } from '../../src/store/migrations.ts';
import { openDatabase } from '../../src/store/open.ts';
import { newFolder } from '../support/new-folder.ts';
import { rowsOf, tamperWith } from '../support/store-setting.ts';

const steps = [
  'CREATE TABLE list (word TEXT NOT NULL)',
  'ALTER TABLE list ADD COLUMN length INTEGER NOT NULL DEFAULT 0; UPDATE list SET length = length(word)',
  'CREATE INDEX list_by_length ON list (length)',
];

async function atVersion(version: number): Promise<string> {
  const file = join(await newFolder(), 'keyturn.db');
  const database = openDatabase(file, steps.slice(0, version));
  await database.write(() => database.sql.run('INSERT INTO list (word) VALUES (?)', 'key'));
  await database.close();
  return file;
}

function versionOf(file: string): unknown {
  return rowsOf(file, 'PRAGMA user_version')[0]?.user_version;
}

function attempt(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it was opened');
}

describe('the steps of the schema', () => {
  test.each([1, 2, 3])('lead from version %i to the newest, each after a backup that can be used', async (version) => {
    const file = await atVersion(version);
    await openDatabase(file, steps).close();
    expect(versionOf(file)).toBe(3);
    expect(rowsOf(file, 'SELECT word FROM list')).toEqual([{ word: 'key' }]);
    expect(rowsOf(file, `SELECT name FROM sqlite_schema WHERE name = 'list_by_length'`)).toHaveLength(1);
    for (let before = version; before < 3; before++) {
      const backup = `${file}.v${before}.bak`;
      expect(versionOf(backup)).toBe(before);
      expect(rowsOf(backup, 'SELECT word FROM list')).toEqual([{ word: 'key' }]);
      expect(statSync(backup).mode & 0o777).toBe(0o600);
      await openDatabase(backup, steps).close();
      expect(versionOf(backup)).toBe(3);
    }
    expect(existsSync(`${file}.v3.bak`)).toBe(false);
  });

  test('a new file needs no backup, and only its owner reads it', async () => {
    const file = join(await newFolder(), 'folder', 'keyturn.db');
    await openStore(file).close();
    expect(versionOf(file)).toBe(migrations.length);
    expect(existsSync(`${file}.v1.bak`)).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a new file gets all of them in one transaction, since each waits for the disk', async () => {
    const file = join(await newFolder(), 'keyturn.db');
    expect(attempt(() => openDatabase(file, [...steps, 'INSERT INTO nothing VALUES (1)']))).toBeInstanceOf(StoreError);
    expect(versionOf(file)).toBe(0);
    expect(rowsOf(file, 'SELECT name FROM sqlite_schema')).toEqual([]);
    await openDatabase(file, steps).close();
    expect(rowsOf(file, 'SELECT schema FROM written_by')).toEqual([{ schema: 1 }, { schema: 2 }, { schema: 3 }]);
  });

  test('a row that belongs to a row that is not there is refused', async () => {
    const database = openDatabase(join(await newFolder(), 'keyturn.db'));
    onTestFinished(() => database.close());
    const orphan = `INSERT INTO attachments (inbox_key, position, kind, handle, state) VALUES ('nobody', 0, 'file', 'h', 'pending')`;
    await expect(database.write(() => database.sql.run(orphan))).rejects.toThrow('FOREIGN KEY');
  });

  test('one that fails leaves the version before it', async () => {
    const file = await atVersion(1);
    const broken = [steps[0] ?? '', 'CREATE TABLE other (word TEXT); INSERT INTO nothing VALUES (1)'];
    expect(attempt(() => openDatabase(file, broken))).toBeInstanceOf(StoreError);
    expect(versionOf(file)).toBe(1);
    expect(rowsOf(file, `SELECT name FROM sqlite_schema WHERE name IN ('list', 'other')`)).toEqual([{ name: 'list' }]);
    expect(rowsOf(file, 'SELECT schema FROM written_by')).toEqual([{ schema: 1 }]);
  });
});

/** One database for each number of the schema, as the Keyturn that brought the number (or the one before it) wrote it. */
const databases = join(import.meta.dirname, 'databases');
const numbers = readdirSync(databases).map((name) => Number.parseInt(name, 10));

/** Each table with its columns, and each index and trigger with its words. */
function schemaOf(file: string): readonly unknown[] {
  return [
    ...rowsOf(
      file,
      `SELECT t.name AS "table", c.name, c.type, c."notnull", c.dflt_value, c.pk FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table' ORDER BY 1, 2`,
    ),
    ...rowsOf(file, `SELECT name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') ORDER BY 1`),
  ];
}

function countsOf(file: string): Readonly<Record<string, unknown>> {
  const tables = rowsOf(file, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'written_by'`);
  return Object.fromEntries(
    tables.map(({ name }) => [String(name), rowsOf(file, `SELECT count(*) AS n FROM "${String(name)}"`)[0]?.n]),
  );
}

describe('a database of each number that the schema had', () => {
  test('is kept here', () => {
    expect(numbers.toSorted((a, b) => a - b)).toEqual(migrations.map((_, index) => index + 1));
  });

  test.each(numbers)('is opened: number %i', async (number) => {
    const folder = await newFolder();
    const file = join(folder, 'keyturn.db');
    writeFileSync(file, gunzipSync(readFileSync(join(databases, `${number}.db.gz`))));
    expect(versionOf(file)).toBe(number);
    const before = countsOf(file);
    expect(Object.values(before).filter((rows) => Number(rows) > 0).length).toBeGreaterThan(10);

    await openStore(file).close();
    expect(versionOf(file)).toBe(migrations.length);
    expect(countsOf(file)).toMatchObject(before);
    expect(rowsOf(file, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(rowsOf(file, 'PRAGMA foreign_key_check')).toEqual([]);
    const fresh = join(folder, 'fresh.db');
    await openStore(fresh).close();
    const frame = (row: unknown) => !JSON.stringify(row).includes('written_by');
    expect(schemaOf(file).filter(frame)).toEqual(schemaOf(fresh).filter(frame));
  });
});

describe('a file that can not be used', () => {
  test('because a newer Keyturn wrote it is refused with its version, and left as it is', async () => {
    const file = await atVersion(3);
    const error = attempt(() => openDatabase(file, steps.slice(0, 2)));
    expect(error).toBeInstanceOf(StoreError);
    expect(error.message).toContain(`was written by Keyturn ${ownVersion()}: its schema is number 3`);
    expect(error.message).toContain('Your data are intact');
    expect(versionOf(file)).toBe(3);
  });

  test('because a newer Keyturn wrote it that left no word of itself is refused with the version before it', async () => {
    const file = await atVersion(3);
    tamperWith(file, `UPDATE written_by SET version = '0.3.1' WHERE schema = 3; PRAGMA user_version = 5`);
    const { message } = attempt(() => openDatabase(file, steps));
    expect(message).toContain('was written by a Keyturn newer than 0.3.1: its schema is number 5');
    expect(message).toContain('Start that one, or set data_dir');
  });

  test('because another program numbers its tables, too, is not copied before it is refused', async () => {
    const file = join(await newFolder(), 'keyturn.db');
    tamperWith(file, 'CREATE TABLE recipes (name TEXT); PRAGMA user_version = 1');
    expect(attempt(() => openStore(file)).message).toContain('or of another program');
    expect(existsSync(`${file}.v1.bak`)).toBe(false);
  });

  test('because another program wrote it is refused, and left as it is', async () => {
    const file = join(await newFolder(), 'keyturn.db');
    tamperWith(file, 'CREATE TABLE recipes (name TEXT)');
    const before = readFileSync(file);
    for (const userVersion of [0, 77]) {
      tamperWith(file, `PRAGMA user_version = ${userVersion}`);
      const error = attempt(() => openStore(file));
      expect(error).toBeInstanceOf(StoreError);
      expect(error.message).toMatch(/another program/);
      expect(error.message).toMatch(/Nothing in it was changed|nothing was changed/);
    }
    expect(rowsOf(file, 'SELECT name FROM sqlite_schema')).toEqual([{ name: 'recipes' }]);
    expect(statSync(file).size).toBe(before.length);
  });

  test('because its schema was edited in place, before there were numbers, is called intact', async () => {
    const file = join(await newFolder(), 'keyturn.db');
    await openStore(file).close();
    tamperWith(file, 'ALTER TABLE approvals DROP COLUMN question; DROP TABLE written_by');
    copyFileSync(file, `${file}.before`);
    const { message } = attempt(() => openStore(file));
    expect(message).toContain('It is not damaged');
    expect(readFileSync(file).equals(readFileSync(`${file}.before`))).toBe(true);
  });

  test.each([
    ['no database', (file: string) => writeFileSync(file, 'this is no database at all'.repeat(40))],
    ['cut off', (file: string) => truncateSync(file, 3000)],
    [
      'overwritten behind its first page',
      (file: string) => {
        const { size } = statSync(file);
        tamperWith(file, 'PRAGMA wal_checkpoint(TRUNCATE)');
        writeFileSync(file, Buffer.alloc(size - 4096, 0xa5), { flag: 'r+', flush: true });
      },
    ],
  ])('because it is %s is refused with words that say what to do', async (_what, damage) => {
    const file = join(await newFolder(), 'keyturn.db');
    await openStore(file).close();
    damage(file);
    const error = attempt(() => openStore(file));
    expect(error).toBeInstanceOf(StoreError);
    expect(error.message).toContain(file);
    expect(error.message).toContain('copy the folder first, then put your latest backup in the place of keyturn.db');
    await writeFile(`${file}.v1.bak`, '');
    const { message } = attempt(() => openStore(file));
    expect(message).toContain('put your latest backup, or keyturn.db.v1.bak, in the place of keyturn.db');
    expect(message).toContain('remove keyturn.db-wal, keyturn.db-shm and keyturn.db.numbers');
  });

  test.each(['', '-wal', '-shm'])('because keyturn.db%s is a folder is refused, with words for it', async (end) => {
    const file = join(await newFolder(), 'keyturn.db');
    await openStore(file).close();
    if (end === '') renameSync(file, `${file}.moved`);
    mkdirSync(file + end);
    const error = attempt(() => openStore(file));
    expect(error).toBeInstanceOf(StoreError);
    expect(error.message).toContain(`${file}${end} is a folder, and Keyturn keeps its database in files there.`);
    expect(error.message).toContain('mount the whole data_dir');
  });

  test('because it is a pipe is refused, and not waited for', async () => {
    const file = join(await newFolder(), 'keyturn.db');
    execFileSync('mkfifo', [file]);
    expect(attempt(() => openStore(file)).message).toContain('is no file, but a device, a pipe or a socket');
  });
});
