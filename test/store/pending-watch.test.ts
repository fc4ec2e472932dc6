import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { Sql } from '../../src/store/sql.ts';
import { createDatabase } from '../../src/store/sqlite-database.ts';
import { countSql } from '../support/count-sql.ts';
import { newFolder } from '../support/new-folder.ts';

async function newDatabase() {
  const sqlite = new Sqlite(join(await newFolder(), 'test.db'));
  sqlite.exec('CREATE TABLE approvals (id INTEGER PRIMARY KEY, state TEXT)');
  const database = createDatabase(sqlite);
  const change = (statement: string) => database.write((sql) => sql.run(statement));
  return { sql: database.sql, database, change };
}

test('whether any approval is pending is read once, and again after each change', async () => {
  const { sql, change } = await newDatabase();
  const counts = countSql();
  const isAny = () => sql.approvals.isAny();
  expect([isAny(), isAny(), isAny()]).toEqual([false, false, false]);
  expect(counts.texts.filter((text) => text.startsWith('SELECT'))).toHaveLength(1);
  await change(`INSERT INTO approvals (state) VALUES ('pending'), ('denied')`);
  expect(isAny()).toBe(true);
  await change(`UPDATE approvals SET state = 'approved' WHERE state = 'pending'`);
  expect(isAny()).toBe(false);
  await change(`UPDATE approvals SET state = 'pending' WHERE id = 2`);
  expect(isAny()).toBe(true);
  await change('DELETE FROM approvals');
  expect(isAny()).toBe(false);
});

test('what a write that is rolled back has seen of approvals is not kept, be it the first that looks', async () => {
  const { sql, database, change } = await newDatabase();
  const seen: boolean[] = [];
  const rolledBack = async (step: Sql): Promise<never> => {
    await step.run(`INSERT INTO approvals (state) VALUES ('pending')`);
    seen.push(step.approvals.isAny());
    throw new Error('taken back');
  };
  for (let round = 0; round < 2; round += 1) {
    await expect(database.write(rolledBack)).rejects.toThrow('taken back');
    seen.push(sql.approvals.isAny());
  }
  await change(`INSERT INTO approvals (state) VALUES ('pending')`);
  expect([...seen, sql.approvals.isAny()]).toEqual([true, false, true, false, true]);
});
