import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { storeOf } from '../../src/store/index.ts';
import { migrations } from '../../src/store/migrations.ts';
import { openDatabase } from '../../src/store/open.ts';
import { newFolder } from '../support/new-folder.ts';
import { newStore, originOf, rowsOf, said, tamperWith } from '../support/store-setting.ts';

const ada = { channel: 'test', chatId: 'ada', kind: 'direct' } as const;
const conversationId = 'test:ada';

function open(file: string) {
  const database = openDatabase(file);
  onTestFinished(() => database.close());
  return { database, store: storeOf(database, dirname(file)) };
}

/** Adds a message, what is said about it, and the end of a run. Returns their numbers. */
async function addOfEach({ store }: Pick<ReturnType<typeof open>, 'store'>, file: string) {
  await store.inbox.accept(said(originOf('ada', ada), 'hello'));
  await store.outbox.say(conversationId, { id: crypto.randomUUID(), kind: 'notice', markdown: 'well' }, 0);
  const after = (await store.runs.load(conversationId, 0)).newestTurn;
  const run = { conversationId, runId: crypto.randomUUID(), principal: 'test:ada', seenSeq: 0, after };
  await store.runs.close({ ...run, reason: 'stopped', messages: [], at: 0 });
  const [newest] = rowsOf(
    file,
    'SELECT (SELECT max(seq) FROM inbox) AS inbox, (SELECT max(id) FROM turns) AS turns, (SELECT max(seq) FROM outbox) AS outbox',
  );
  return newest;
}

const removals = ['DELETE FROM inbox', 'DELETE FROM turns', 'DELETE FROM outbox'];

test('the number of a row that is gone is not given again, also by the next process', async () => {
  const setting = await newStore();
  const { file, database } = setting;
  await addOfEach(setting, file);
  const second = await addOfEach(setting, file);
  expect(second).toEqual({ inbox: 2, turns: 2, outbox: 2 });
  await database.write(async (sql) => {
    for (const removal of removals) await sql.run(removal);
  });
  expect(await addOfEach(setting, file)).toEqual({ inbox: 3, turns: 3, outbox: 3 });
  await database.write(async (sql) => {
    for (const removal of removals) await sql.run(`${removal} WHERE true`);
  });
  await database.close();
  expect(await addOfEach(open(file), file)).toEqual({ inbox: 4, turns: 4, outbox: 4 });
});

test('numbers that rows had in a database of an earlier version are not given again', async () => {
  const file = join(await newFolder(), 'keyturn.db');
  writeFileSync(file, gunzipSync(readFileSync(join(import.meta.dirname, 'databases/21.db.gz'))));
  tamperWith(file, `UPDATE sqlite_sequence SET seq = 7000 WHERE name IN ('inbox', 'turns', 'outbox')`);
  expect(await addOfEach(open(file), file)).toEqual({ inbox: 7001, turns: 7001, outbox: 7001 });
});

test('a change of the numbering that does not end is as if it had not begun', async () => {
  const file = join(await newFolder(), 'keyturn.db');
  writeFileSync(file, gunzipSync(readFileSync(join(import.meta.dirname, 'databases/21.db.gz'))));
  const unended = migrations.slice(0, 22).map((step, index) => {
    if (index < 21) return step;
    return {
      ...step,
      rows: (...[sqlite]: Parameters<Required<typeof step>['rows']>) => {
        step.rows?.(sqlite);
        throw new Error('the power failed');
      },
    };
  });
  expect(() => openDatabase(file, [], unended)).toThrow('the power failed');
  const numberedBySqlite = `SELECT name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%' AND name IN ('inbox', 'turns', 'outbox')`;
  expect(rowsOf(file, numberedBySqlite)).toHaveLength(3);
  expect(rowsOf(file, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  const setting = open(file);
  expect(rowsOf(file, numberedBySqlite)).toEqual([]);
  const { inbox } = z.object({ inbox: z.number() }).parse(await addOfEach(setting, file));
  expect(await addOfEach(setting, file)).toMatchObject({ inbox: inbox + 1 });
});

test('SQLite writes nothing of its own for a message and its answer', async () => {
  const setting = await newStore();
  await addOfEach(setting, setting.file);
  expect(rowsOf(setting.file, `SELECT name FROM sqlite_sequence WHERE name <> 'audit'`)).toEqual([]);
});
