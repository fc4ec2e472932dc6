import { existsSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { migrations } from '../../src/store/migrations.ts';
import { openDatabase } from '../../src/store/open.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { newFolder, rowsOf } from '../support/store-setting.ts';

const steps = [
  'CREATE TABLE list (word TEXT NOT NULL)',
  'ALTER TABLE list ADD COLUMN length INTEGER NOT NULL DEFAULT 0; UPDATE list SET length = length(word)',
  'CREATE INDEX list_by_length ON list (length)',
];

async function atVersion(version: number): Promise<string> {
  const file = join(await newFolder(), 'keyturn.db');
  const database = openDatabase(file, steps.slice(0, version));
  await database.write(() => database.prepare('INSERT INTO list (word) VALUES (?)').run('key'));
  database.close();
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
  test.each([1, 2, 3])('lead from version %i to the newest, with what was there', async (version) => {
    const file = await atVersion(version);
    openDatabase(file, steps).close();
    expect(versionOf(file)).toBe(3);
    expect(rowsOf(file, 'SELECT word FROM list')).toEqual([{ word: 'key' }]);
    expect(rowsOf(file, `SELECT name FROM sqlite_schema WHERE name = 'list_by_length'`)).toHaveLength(1);
  });

  test.each([1, 2])('each of them from version %i is preceded by a backup that can be used', async (version) => {
    const file = await atVersion(version);
    openDatabase(file, steps).close();
    for (let before = version; before < 3; before++) {
      const backup = `${file}.v${before}.bak`;
      expect(versionOf(backup)).toBe(before);
      expect(rowsOf(backup, 'SELECT word FROM list')).toEqual([{ word: 'key' }]);
      expect(statSync(backup).mode & 0o777).toBe(0o600);
      openDatabase(backup, steps).close();
      expect(versionOf(backup)).toBe(3);
    }
    expect(existsSync(`${file}.v3.bak`)).toBe(false);
  });

  test('a new file needs no backup, and only its owner reads it', async () => {
    const file = join(await newFolder(), 'folder', 'keyturn.db');
    openStore(file).close();
    expect(versionOf(file)).toBe(migrations.length);
    expect(existsSync(`${file}.v1.bak`)).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('one that fails leaves the version before it', async () => {
    const file = await atVersion(1);
    const broken = [steps[0] ?? '', 'CREATE TABLE other (word TEXT); INSERT INTO nothing VALUES (1)'];
    expect(attempt(() => openDatabase(file, broken))).toBeInstanceOf(StoreError);
    expect(versionOf(file)).toBe(1);
    expect(rowsOf(file, 'SELECT name FROM sqlite_schema')).toEqual([{ name: 'list' }]);
  });
});

describe('a file that can not be used', () => {
  test('because a newer Keyturn wrote it is refused, and left as it is', async () => {
    const file = await atVersion(3);
    const error = attempt(() => openDatabase(file, steps.slice(0, 2)));
    expect(error).toBeInstanceOf(StoreError);
    expect(error.message).toContain('was written by a newer Keyturn (version 3, and this one knows 2)');
    expect(versionOf(file)).toBe(3);
  });

  test.each([
    [
      'no database',
      (file: string) => writeFileSync(file, 'this is no database at all, however long it may be'.repeat(20)),
    ],
    ['cut off', (file: string) => truncateSync(file, 3000)],
    [
      'overwritten behind its first page',
      (file: string) => {
        const { size } = statSync(file);
        const sqlite = new Sqlite(file);
        sqlite.pragma('wal_checkpoint(TRUNCATE)');
        sqlite.close();
        writeFileSync(file, Buffer.alloc(size - 4096, 0xa5), { flag: 'r+', flush: true });
      },
    ],
    [
      'of another program',
      (file: string) => {
        const sqlite = new Sqlite(file);
        sqlite.exec('DROP TABLE inbox');
        sqlite.close();
      },
    ],
  ])('because it is %s is refused with words that say what to do', async (_what, damage) => {
    const file = join(await newFolder(), 'keyturn.db');
    openStore(file).close();
    damage(file);
    const error = attempt(() => openStore(file));
    expect(error).toBeInstanceOf(StoreError);
    expect(error.message).toContain(file);
    expect(error.message).toContain('Move it away to begin anew');
    await writeFile(`${file}.v1.bak`, '');
    expect(attempt(() => openStore(file)).message).toContain('Restore it from keyturn.db.v1.bak');
  });

  test('because it is a folder is refused too', async () => {
    const folder = await newFolder();
    expect(attempt(() => openStore(folder))).toBeInstanceOf(StoreError);
  });
});
