import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { features } from '../../src/features/index.ts';
import { migrations } from '../../src/store/migrations.ts';
import { openDatabase } from '../../src/store/open.ts';
import { newFolder } from '../support/new-folder.ts';
import { rowsOf } from '../support/store-setting.ts';

/** One database for each number of the schema, as the Keyturn that brought the number (or the one before it) wrote it. */
const databases = join(import.meta.dirname, '../store/databases');
const kept = readdirSync(databases).map((name) => name.replace('.db.gz', ''));
const definitions = await Promise.all(features.map((load) => load()));

async function databaseOf(name: string): Promise<string> {
  const file = join(await newFolder(), 'keyturn.db');
  writeFileSync(file, gunzipSync(readFileSync(join(databases, `${name}.db.gz`))));
  expect(rowsOf(file, 'PRAGMA user_version')).toEqual([{ user_version: Number.parseInt(name, 10) }]);
  return file;
}

async function open(file: string): Promise<void> {
  await openDatabase(file, definitions).close();
}

/** The text of each table, index and trigger, without comments and space. */
function schemaOf(file: string): ReadonlyMap<unknown, unknown> {
  const rows = rowsOf(file, `SELECT name, sql FROM sqlite_schema WHERE name <> 'written_by' ORDER BY name`);
  const plain = (sql: string): string => sql.replaceAll(/--[^\n]*/g, '').replaceAll(/\s*([(),]|\s)\s*/g, '$1');
  return new Map(rows.map(({ name, sql }) => [name, typeof sql === 'string' ? plain(sql) : sql]));
}

function countsOf(file: string): Readonly<Record<string, unknown>> {
  const tables = rowsOf(
    file,
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('written_by', 'feature_steps')`,
  );
  return Object.fromEntries(
    tables.map(({ name }) => [String(name), rowsOf(file, `SELECT count(*) AS n FROM "${String(name)}"`)[0]?.n]),
  );
}

describe('a database of each number that the schema had', () => {
  test('is kept here', () => {
    const further = definitions.flatMap(({ name, tables: { steps } = { steps: [] } }) =>
      steps.length > 1 ? [`.${name}${steps.length}`] : [],
    );
    const newest = `${migrations.length}${further.join('')}`;
    expect(kept).toEqual(expect.arrayContaining([...migrations.map((_, index) => String(index + 1)), newest]));
  });

  test.each(kept)('is opened with all that is in it, and gets the schema of a new one: %s', async (name) => {
    const file = await databaseOf(name);
    const before = countsOf(file);
    expect(Object.values(before).filter((rows) => Number(rows) > 0).length).toBeGreaterThan(10);

    await open(file);
    expect(rowsOf(file, 'PRAGMA user_version')).toEqual([{ user_version: migrations.length }]);
    expect(countsOf(file)).toMatchObject(before);
    expect(rowsOf(file, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(rowsOf(file, 'PRAGMA foreign_key_check')).toEqual([]);
    const fresh = join(await newFolder(), 'keyturn.db');
    await open(fresh);
    expect(schemaOf(file)).toEqual(schemaOf(fresh));
    const steps = 'SELECT feature, step FROM feature_steps';
    expect(rowsOf(file, steps)).toEqual(rowsOf(fresh, steps));
  });

  test.each(kept)('keeps what features have stored in it while they are left out: %s', async (name) => {
    const file = await databaseOf(name);
    const before = countsOf(file);
    await openDatabase(file).close();
    expect(countsOf(file)).toMatchObject(before);
    await open(file);
    expect(countsOf(file)).toMatchObject(before);
  });
});

test('a new database has no table of a feature that is left out', async () => {
  const file = join(await newFolder(), 'keyturn.db');
  const all = join(await newFolder(), 'keyturn.db');
  await openDatabase(file).close();
  await open(all);
  const own = new Set([...schemaOf(all).keys()].filter((name) => !schemaOf(file).has(name)));
  for (const name of ['memories', 'schedules', 'devices', 'composed_tools', 'trusted', 'inbox_of_sessions'])
    expect(own).toContain(name);
});
