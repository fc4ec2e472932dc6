import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { insertInto, integer, oneOf, sqlIn, text } from '../../src/store/sql.ts';
import { planOnce, SqliteSql } from '../../src/store/sqlite-sql.ts';

test.each([['a text'], [7], [0.5], [null], ['']])('the value %j arrives as it is, by place and by name', (value) => {
  const sql = new SqliteSql(new Sqlite(':memory:'));
  expect(sql.one('SELECT ? AS found, typeof(?) AS type', value, value)).toEqual(
    sql.one('SELECT @a AS found, typeof(@a) AS type', { a: value }),
  );
  expect(sql.one('SELECT ? AS found', value)).toEqual({ found: value });
});

test('only parameters become expressions, and no sign inside of a text', () => {
  expect(planOnce(`SELECT '?', 'it''s @me' FROM t WHERE a = ? AND b > @b LIMIT ?`)).toBe(
    `SELECT '?', 'it''s @me' FROM t WHERE a = +? AND b > +@b LIMIT +?`,
  );
});

test.each([[7], ['7'], ['7.0']])('%j is compared with a column as it is without that', (value) => {
  const sqlite = new Sqlite(':memory:');
  sqlite.exec(`CREATE TABLE t (a TEXT NOT NULL, n INTEGER NOT NULL) STRICT; INSERT INTO t VALUES ('7', 7)`);
  for (const text of ['SELECT n FROM t WHERE a = ?', 'SELECT n FROM t WHERE n = ?', 'SELECT n FROM t WHERE n + 0 = ?'])
    expect(new SqliteSql(sqlite).all(text, value)).toEqual(sqlite.prepare(text).all(value));
});

test('a row is added by the names of its columns: lists are JSON, flags numbers, and what is missing NULL', () => {
  const sqlite = new Sqlite(':memory:');
  sqlite.exec('CREATE TABLE t (id TEXT PRIMARY KEY, sent_at INTEGER, is_open INTEGER, refs TEXT, note TEXT) STRICT');
  const insert = insertInto(`t (id, sent_at, is_open, refs, note) ON CONFLICT (id) DO NOTHING`);
  const sql = new SqliteSql(sqlite);
  expect(insert(sql, { id: 'a', sentAt: 7, isOpen: true, refs: ['x'], note: undefined })).toBe(true);
  expect(insert(sql, { id: 'a', sentAt: 8 })).toBe(false);
  expect(sql.all('SELECT * FROM t')).toEqual([{ id: 'a', sent_at: 7, is_open: 1, refs: '["x"]', note: null }]);
});

test('a column that holds what the code does not expect is a bug, which is said', () => {
  const row = { name: null, size: 'x', kind: 'other' };
  expect(() => text(row, 'name')).toThrow('the column name is null');
  expect(() => text({ name: 7 }, 'name')).toThrow('the column name is no text');
  expect(() => integer(row, 'size')).toThrow('the column size is no number');
  expect(() => integer(row, 'name')).toThrow('the column name is null');
  expect(() => oneOf('one')(row, 'kind')).toThrow('the column kind holds "other", which it must not');
  expect(() => new SqliteSql(new Sqlite(':memory:')).one('SELECT 1 WHERE 0')).toThrow('the database gave no row');
});

test('a change is made in a transaction of the store, and nowhere else', () => {
  const sql = new SqliteSql(new Sqlite(':memory:'));
  expect(sqlIn({ transaction: sql })).toBe(sql);
  expect(() => sqlIn({ transaction: {} })).toThrow('within a transaction');
});
