import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { makeBackup } from '../../src/store/backup/make-backup.ts';
import { verifyData } from '../../src/store/backup/verify-data.ts';
import { openDatabase } from '../../src/store/open.ts';
import { readTables } from '../../src/store/read-beside.ts';
import { storeWords } from '../../src/store/words.ts';
import { newFolder } from '../support/new-folder.ts';
import { newStore, rowsOf } from '../support/store-setting.ts';

/** A database as a kill leaves it in a large transaction, before it has a write-ahead log. */
async function leftInTransaction(): Promise<string> {
  const { store, file } = await newStore();
  await store.close();
  const sqlite = new Sqlite(file);
  sqlite.pragma('journal_mode = DELETE');
  sqlite.pragma('cache_size = 10');
  sqlite.exec('BEGIN; CREATE TABLE filler (content BLOB); INSERT INTO filler VALUES (zeroblob(500000))');
  const left = join(await newFolder(), 'keyturn.db');
  for (const end of ['', '-journal']) copyFileSync(`${file}${end}`, `${left}${end}`);
  sqlite.close();
  expect(() => rowsOf(left, 'SELECT name FROM sqlite_schema')).toThrow(/readonly database/);
  return left;
}

test('a transaction that a kill has left before there was a write-ahead log is undone at the start', async () => {
  const file = await leftInTransaction();
  await openDatabase(file).close();
  expect(existsSync(`${file}-journal`)).toBe(false);
  expect(rowsOf(file, `SELECT name FROM sqlite_schema WHERE name = 'filler'`)).toEqual([]);
});

test('who only looks at it, or backs it up, is told to start Keyturn', async () => {
  const file = await leftInTransaction();
  const folder = dirname(file);
  const words = storeWords.en.unended({ file });
  await expect(readTables(folder, () => undefined)).rejects.toThrow(words);
  await expect(verifyData(folder, [])).rejects.toThrow(words);
  const target = join(folder, 'backup.tar.gz');
  const order = { dataFolder: folder, target, replaces: false, config: undefined, secrets: undefined, at: 0 };
  await expect(makeBackup(order)).rejects.toThrow(words);
  expect(readdirSync(folder)).toEqual(['keyturn.db', 'keyturn.db-journal']);
});
