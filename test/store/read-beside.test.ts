import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { readTables } from '../../src/store/read-beside.ts';
import { newStore } from '../support/store-setting.ts';

/** A database of a stopped process, at least this large. */
async function stopped(bytes: number): Promise<string> {
  const { store, file } = await newStore();
  await store.close();
  const sqlite = new Sqlite(file);
  sqlite.exec(`CREATE TABLE filler (content BLOB); INSERT INTO filler VALUES (zeroblob(${bytes}))`);
  sqlite.close();
  return file;
}

test.each([
  ['small', 0, true],
  ['large', 20 * 2 ** 20, false],
])(
  'a %s database that is stopped is read, and nothing is changed or left beside it',
  async (_what, bytes, isCopied) => {
    const file = await stopped(bytes);
    const before = [readdirSync(dirname(file)), readFileSync(file)] as const;
    const seen = await readTables(dirname(file), async (sql) => {
      expect(() => sql.run('DELETE FROM filler')).toThrow(/readonly|read-only/i);
      const [{ file: opened } = { file: undefined }] = await sql.list((row) => row, 'PRAGMA database_list');
      return { count: await sql.list((row) => row, 'SELECT length(content) AS size FROM filler'), opened };
    });
    expect(seen.count).toEqual([{ size: bytes }]);
    expect(seen.opened === '').toBe(isCopied);
    expect(readdirSync(dirname(file))).toEqual(before[0]);
    expect(readFileSync(file).equals(before[1])).toBe(true);
  },
);
