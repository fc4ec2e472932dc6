import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import type { Sql } from '../../src/store/sql.ts';
import { createDatabase } from '../../src/store/sqlite-database.ts';
import { storageWords } from '../../src/store/words.ts';
import { countSyncs } from '../support/count-syncs.ts';
import { failingPower, leave, type Power } from '../support/failing-power.ts';
import { newFolder } from '../support/new-folder.ts';
import { SeededRandom } from '../support/random.ts';
import { rowsOf } from '../support/store-setting.ts';
import { inFull } from '../support/thorough.ts';

const pageSize = 4096;

async function newDatabase() {
  const file = join(await newFolder(), 'test.db');
  const sqlite = new Sqlite(file);
  sqlite.exec('CREATE TABLE list (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE, filling TEXT NOT NULL) STRICT');
  const database = createDatabase(sqlite);
  onTestFinished(() => database.close());
  const putStatement =
    'INSERT INTO list VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET word = excluded.word, filling = excluded.filling';
  const fillStatement = `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
     INSERT INTO list SELECT CAST(? AS INTEGER) + i, 'word ' || (CAST(? AS INTEGER) + i), hex(randomblob(2000)) FROM n`;
  const fill =
    (behind = 0) =>
    async (sql: Sql): Promise<void> =>
      void (await sql.run(fillStatement, behind, behind));
  const put = (id: number, word: string, size: number) => (sql: Sql) =>
    sql.run(putStatement, id, word, 'x'.repeat(size));
  /** A log that was copied, and may be begun again. */
  const fillAndCopy = async (): Promise<Power> => {
    await database.write(put(0, 'the first', 10));
    const power = failingPower([file, `${file}-wal`]);
    void database.write(fill());
    for (let sync = 0; sync < 4; sync += 1) await nextSync(power);
    await expect.poll(() => power.awaited).toBe(0);
    return power;
  };
  return { file, database, fill, put, fillAndCopy };
}

const sizeOf = (path: string): number => statSync(path).size;

test('while the disk does not answer, the log is not copied into the database, and the process goes on', async () => {
  const { file, database, fill, put } = await newDatabase();
  const syncs = countSyncs();
  syncs.hold();
  const written = database.write(fill());
  await database.write(put(1, 'other', 10), 'relaxed');
  await database.write(put(2, 'another', 10), 'relaxed');
  expect(sizeOf(file)).toBeLessThan(10 * pageSize);
  expect(sizeOf(`${file}-wal`)).toBeGreaterThan(1000 * pageSize);
  syncs.release();
  await written;
  await expect.poll(() => sizeOf(file)).toBeGreaterThan(1000 * pageSize);
});

test('the log is begun again when it was copied', async () => {
  const { file, database, put, fillAndCopy } = await newDatabase();
  const power = await fillAndCopy();
  power.end();
  const size = sizeOf(`${file}-wal`);
  for (let id = 1; id <= 100; id += 1) await database.write(put(id, `new ${id}`, 4000));
  expect(sizeOf(`${file}-wal`)).toBe(size);
});

test('under steady load, of which no checkpoint sees the end, the log is begun again and stays short', async () => {
  const { file, database, put } = await newDatabase();
  const syncs = countSyncs();
  syncs.hold();
  let longest = 0;
  // Whatever is synced, something is committed before that ends.
  for (let step = 0; step < 2000; step += 1) {
    void database.write(put(step % 50, `step ${step}`, 40_000));
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    syncs.release();
    syncs.hold();
    longest = Math.max(longest, sizeOf(`${file}-wal`));
  }
  syncs.release();
  expect(longest).toBeGreaterThan(1000 * pageSize);
  expect(longest).toBeLessThan(16 * 2 ** 20);
});

test('commits wait no longer for the end of a checkpoint where the disk does not answer', async () => {
  const { file, database, fill, put } = await newDatabase();
  await database.write(put(0, 'the first', 10));
  const power = failingPower([file, `${file}-wal`]);
  void database.write(fill());
  await nextSync(power);
  await expect.poll(() => power.awaited).toBe(1);
  await database.write(put(1, 'meanwhile', 10), 'relaxed');
  await nextSync(power);
  await nextSync(power);
  await expect.poll(() => power.awaited).toBe(1);
  let isStored = false;
  const waiting = database.writeNow(put(2, 'behind', 10)).then(() => {
    isStored = true;
  });
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  expect(isStored).toBe(false);
  await waiting;
  expect(power.awaited).toBe(1);
  power.end();
  expect(await wordsLeft(file, readFileSync)).toContain('behind');
});

test('a reader that stays does not let anything be lost that is committed meanwhile', async () => {
  const { file, database, fill, put } = await newDatabase();
  const reader = new Sqlite(file, { readonly: true });
  onTestFinished(() => void reader.close());
  const syncs = countSyncs();
  await database.write(fill());
  reader.exec('BEGIN; SELECT count(*) FROM list');
  await expect.poll(() => syncs.count).toBe(4);
  await database.write(put(2000, 'behind the reader', 10));
  expect(await wordsLeft(file, readFileSync)).toContain('behind the reader');
});

test('commits do not wait for a copy that another program, which reads an older commit, lets not end', async () => {
  const { file, database, fill, put } = await newDatabase();
  await database.write(put(0, 'the first', 10));
  const reader = new Sqlite(file, { readonly: true });
  onTestFinished(() => void reader.close());
  reader.exec('BEGIN; SELECT count(*) FROM list');
  const power = failingPower([file, `${file}-wal`]);
  void database.write(async (sql) => {
    for (const behind of [0, 10_000, 20_000]) await fill(behind)(sql);
  });
  await nextSync(power);
  await expect.poll(() => power.awaited).toBe(1);
  await database.write(put(2000, 'meanwhile', 10), 'relaxed');
  for (let sync = 0; sync < 2; sync += 1) await nextSync(power);
  // No more is synced until something is to be on disk, and that is its own sync.
  const stored = database.write(put(2001, 'afterwards', 10));
  await nextSync(power);
  await stored;
  expect(power.awaited).toBe(0);
});

test('what was not synced in the log is not copied: a power failure leaves the database as it was', async () => {
  const { file, database, fill, put, fillAndCopy } = await newDatabase();
  const power = await fillAndCopy();
  const filled = database.write(fill(10_000));
  await nextSync(power);
  await filled;
  await expect.poll(() => power.awaited).toBe(1);
  await database.write(put(1, 'not on disk', 50_000), 'relaxed');
  await nextSync(power);
  await expect.poll(() => power.awaited).toBe(1);
  const words = await wordsLeft(file, (path) => (path === file ? readFileSync(path) : power.synced(path)));
  expect(words).not.toContain('not on disk');
  expect(words).toContain('word 11100');
});

test('of a log that was begun again, nothing old comes back in a power failure', async () => {
  const { file, database, put, fillAndCopy } = await newDatabase();
  const power = await fillAndCopy();
  await database.write(put(0, 'new', 50_000), 'relaxed');
  const log = readFileSync(`${file}-wal`);
  power.synced(`${file}-wal`).copy(log, 0, 0, 3 * pageSize);
  const words = await wordsLeft(file, (path) => (path === file ? power.synced(path) : log));
  expect(words).toContain('the first');
  expect(words).toContain('word 1100');
});

test('where the disk refuses what was copied, nothing more is stored, and the log is kept for the next start', async () => {
  const { file, database, fill, put } = await newDatabase();
  await database.write(put(0, 'the first', 10));
  const power = failingPower([file, `${file}-wal`]);
  void database.write(fill());
  for (let sync = 0; sync < 2; sync += 1) await nextSync(power);
  await expect.poll(() => power.awaited).toBe(1);
  power.answer(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }));
  await expect.poll(() => database.state.isLost).toBe(true);
  await expect(database.write(put(1, 'one more', 10))).rejects.toThrow(storageWords.en.refusedCopy);
  power.end();
  await database.close();
  expect(await wordsLeft(file, (path) => (path === file ? power.synced(path) : readFileSync(path)))).toContain(
    'word 1100',
  );
});

/** The sync that is awaited, or is next, ends. */
async function nextSync(power: Power): Promise<void> {
  await expect.poll(() => power.awaited).toBe(1);
  power.answer();
}

inFull(() => {
  test('after a power failure at any instant, all is there that was said to be on disk, and the database is whole', async () => {
    const random = new SeededRandom(11);
    for (let round = 0; round < 3; round += 1) await failAtInstants(random);
  });
});

async function failAtInstants(random: SeededRandom): Promise<void> {
  const { file, database, put } = await newDatabase();
  const copy = join(await newFolder(), 'failed.db');
  const safe = new Map<number, number>();
  const faults: string[] = [];
  await database.write(put(0, '0 of 0', 10));
  let [closeLook, copies] = [0, 0];
  const power = failingPower([file, `${file}-wal`], (path) => {
    closeLook = path === file ? 6 : closeLook - 1;
    copies += path === file ? 1 : 0;
    if (closeLook <= 0 && !random.chance(0.02)) return;
    for (let failure = 0; failure < 2; failure += 1) {
      leave((left) => power.left(left, random), file, copy);
      faults.push(...faultsIn(copy, safe));
    }
  });
  for (let step = 1; step < 500; step += 1) {
    const id = random.integer(1, 20);
    const isFull = random.chance(0.3);
    const size = random.chance(0.5) ? random.integer(1, 2_000) : random.integer(1, 200_000);
    void database
      .write(put(id, `${step} of ${id}`, size), isFull ? 'full' : 'relaxed')
      .then(() => isFull && safe.set(id, Math.max(step, safe.get(id) ?? 0)));
    const pause = random.chance(0.15) ? random.integer(10, 40) : random.integer(1, 4);
    for (let turn = 0; turn < pause; turn += 1) {
      await new Promise(setImmediate);
      if (random.chance(0.3)) power.answer();
    }
  }
  power.end();
  await database.close();
  expect(faults).toEqual([]);
  expect(copies).toBeGreaterThan(3);
}

/** What is wrong in a database after a power failure. Of each row, a version is given that was said to be on disk. */
function faultsIn(file: string, safe: ReadonlyMap<number, number>): readonly string[] {
  const sqlite = new Sqlite(file);
  try {
    const health = sqlite.pragma('integrity_check', { simple: true });
    if (health !== 'ok') return [String(health)];
    const versionOf = sqlite.prepare<[number], number>(`SELECT word + 0 FROM list WHERE id = ?`).pluck();
    return [...safe].flatMap(([id, version]) => {
      const found = versionOf.get(id) ?? 0;
      return found >= version ? [] : [`row ${id} is of version ${found}, and ${version} was on disk`];
    });
  } catch (error) {
    if (error instanceof Sqlite.SqliteError) return [error.message];
    throw error;
  } finally {
    sqlite.close();
  }
}

/** The words in a database of which this is left. */
async function wordsLeft(file: string, read: Parameters<typeof leave>[0]): Promise<readonly string[]> {
  const copy = join(await newFolder(), 'left.db');
  leave(read, file, copy);
  expect(rowsOf(copy, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  return rowsOf(copy, 'SELECT word FROM list ORDER BY id').map(({ word }) => String(word));
}
