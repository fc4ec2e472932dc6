import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { add } from '../../src/store/audit.ts';
import { auditRows, hasHash, proveAudit } from '../../src/store/audit-proof.ts';
import { openDatabase } from '../../src/store/open.ts';
import type { Sql } from '../../src/store/sql.ts';
import { SqliteSql } from '../../src/store/sqlite-sql.ts';
import { direct } from '../support/deed.ts';
import { newFolder } from '../support/new-folder.ts';
import { newStore, originOf, rowsOf, tamperWith } from '../support/store-setting.ts';

const query = 'SELECT at, kind, conversation_id, actor, detail FROM audit';

test.each([
  `UPDATE audit SET actor = 'somebody else'`,
  'UPDATE audit SET at = 0 WHERE seq = 1',
  'DELETE FROM audit',
  `INSERT OR REPLACE INTO audit (seq, at, kind, conversation_id, actor, detail) VALUES (1, 0, '', '', '', '')`,
])('the database itself refuses to change the trail: %s', async (sql) => {
  const { store, file } = await newStore();
  const effect = store.effects.claim;
  const answer = () => undefined;
  await store.inbox.obey({ origin: originOf('ada', direct('test')), name: 'claim', effect, answer, at: 5 });
  const before = rowsOf(file, query);
  expect(before.map(({ kind, actor }) => [kind, actor])).toEqual([
    ['owner-claimed', 'test:ada'],
    ['command', 'test:ada'],
  ]);
  const sqlite = new Sqlite(file);
  expect(() => sqlite.exec(sql)).toThrow('the audit is only ever added to');
  sqlite.close();
  expect(rowsOf(file, query)).toEqual(before);
});

function proofOf(file: string) {
  const sqlite = new Sqlite(file, { readonly: true });
  try {
    return proveAudit(sqlite);
  } finally {
    sqlite.close();
  }
}

describe('the chain of the audit', () => {
  async function withDeeds(): Promise<string> {
    const { database, file } = await newStore();
    for (const tool of ['shell', 'write_file', 'shell', 'web_fetch'])
      await database.write((sql) =>
        add(sql, {
          at: 7,
          kind: 'call-begun',
          conversationId: 'test:1',
          actor: 'test:ada',
          detail: { tool, what: '"Zoë" 你好 \u2028' },
        }),
      );
    return file;
  }
  const unlock =
    'DROP TRIGGER audit_is_not_changed; DROP TRIGGER audit_is_not_deleted; DROP TRIGGER audit_is_not_replaced;';

  test('is whole after any number of commits, and ends in the hash of the newest row', async () => {
    const file = await withDeeds();
    const [{ hash } = { hash: '' }] = rowsOf(file, 'SELECT hash FROM audit ORDER BY seq DESC LIMIT 1');
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(proofOf(file)).toEqual({ type: 'whole', rows: 4, hash });
  });

  test.each([
    ['changed', `UPDATE audit SET actor = 'test:eve' WHERE seq = 2`, 2],
    ['dated back', 'UPDATE audit SET at = 6 WHERE seq = 3', 3],
    ['taken out', 'DELETE FROM audit WHERE seq = 2', 3],
    ['taken from the beginning', 'DELETE FROM audit WHERE seq = 1', 2],
    [
      'put in with a hash of its own',
      `INSERT INTO audit (at, kind, conversation_id, actor, detail, hash) VALUES (7, 'call-begun', '', 'x', '{}', 'abc')`,
      5,
    ],
    ['left without a hash', `UPDATE audit SET hash = '' WHERE seq = 4`, 4],
  ])('tells the first row that was %s', async (_what, sql, seq) => {
    const file = await withDeeds();
    tamperWith(file, `${unlock} ${sql}`);
    expect(proofOf(file)).toMatchObject({ type: 'broken', seq });
  });

  test('tells of rows that are missing at the end, unless their count is changed too; a hash that was noted does', async () => {
    const file = await withDeeds();
    const proof = proofOf(file);
    const noted = proof.type === 'whole' ? proof.hash : '';
    tamperWith(file, `${unlock} DELETE FROM audit WHERE seq = 4`);
    expect(proofOf(file)).toEqual({ type: 'cut', seq: 3, missing: 1 });
    tamperWith(file, `UPDATE sqlite_sequence SET seq = 3 WHERE name = 'audit'`);
    expect(proofOf(file)).toMatchObject({ type: 'whole', rows: 3 });
    const sqlite = new Sqlite(file, { readonly: true });
    expect(hasHash(sqlite, noted)).toBe(false);
    sqlite.close();
  });

  test('is whole with half a character in any text', async () => {
    const { database, file } = await newStore();
    const half = 'x\ud83d';
    const ids = { conversationId: half, actor: half, callId: half, approvalId: half };
    for (const kind of [half, 'after'])
      await database.write((sql) => add(sql, { at: 7, kind, ...ids, detail: { tool: half } }));
    expect(proofOf(file)).toMatchObject({ type: 'whole', rows: 2 });
  });

  test('has no link of a write that failed', async () => {
    const { database, file } = await newStore();
    const note = (kind: string) => (sql: Sql) =>
      add(sql, { at: 7, kind, conversationId: '', actor: 'keyturn', detail: {} });
    const writes = [
      database.write(note('one')),
      database.write(async (sql) => {
        await note('two')(sql);
        throw new Error('no');
      }),
      database.write(note('three')),
    ];
    await Promise.allSettled(writes);
    expect(proofOf(file)).toMatchObject({ type: 'whole', rows: 2 });
  });

  test('goes on behind what another program has added, also in place of what was rolled back', async () => {
    const { database, file } = await newStore();
    const entry = { at: 7, kind: 'call-begun', conversationId: 'test:1', actor: 'test:ada', detail: {} };
    const note = (tool: string) => (sql: Sql) => add(sql, { ...entry, detail: { tool } });
    await database.write(note('one'));
    const rolledBack = async (sql: Sql): Promise<never> => {
      await note('two')(sql);
      throw new Error('taken back');
    };
    await expect(database.write(rolledBack)).rejects.toThrow('taken back');
    const other = new Sqlite(file);
    await add(new SqliteSql(other), { ...entry, detail: { tool: 'three' } });
    other.close();
    await database.write(note('four'));
    await expect(Promise.all([database.write(note('five')), database.write(rolledBack)])).rejects.toThrow();
    await database.write(note('six'));
    const tools = rowsOf(file, `SELECT detail ->> '$.tool' AS tool FROM audit ORDER BY seq`);
    expect(tools.map(({ tool }) => tool)).toEqual(['one', 'three', 'four', 'five', 'six']);
    expect(proofOf(file)).toMatchObject({ type: 'whole', rows: 5 });
  });

  test('begins with the oldest row of a database from before there were hashes', async () => {
    const file = join(await newFolder(), 'keyturn.db');
    writeFileSync(file, gunzipSync(readFileSync(join(import.meta.dirname, 'databases/19.db.gz'))));
    const before = rowsOf(file, 'SELECT * FROM audit');
    expect(before.length).toBeGreaterThan(0);
    expect(proofOf(file)).toEqual({ type: 'unchained' });
    const sqlite = new Sqlite(file, { readonly: true });
    expect(auditRows(sqlite, { most: 100 }).map(({ seq, hash }) => ({ seq, hash }))).toEqual(
      before.map(({ seq }) => ({ seq, hash: '' })),
    );
    sqlite.close();
    await openDatabase(file).close();
    expect(proofOf(file)).toMatchObject({ type: 'whole', rows: before.length });
    expect(rowsOf(file, 'SELECT * FROM audit')).toMatchObject(before);
    expect(() => tamperWith(file, 'UPDATE audit SET at = 0')).toThrow('the audit is only ever added to');
  });

  test('is listed by time, person and tool, the newest last', async () => {
    const file = await withDeeds();
    const sqlite = new Sqlite(file, { readonly: true });
    const seqs = (filter: Partial<Parameters<typeof auditRows>[1]>) =>
      auditRows(sqlite, { most: 10, ...filter }).map(({ seq }) => seq);
    expect(seqs({})).toEqual([1, 2, 3, 4]);
    expect(seqs({ tool: 'shell' })).toEqual([1, 3]);
    expect(seqs({ person: 'test:eve' })).toEqual([]);
    expect(seqs({ since: 8 })).toEqual([]);
    expect(seqs({ most: 1 })).toEqual([4]);
    sqlite.close();
  });
});
