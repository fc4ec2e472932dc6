import type { NotedZone } from '../conversation/access/time-zones.ts';
import type { Within } from '../tools/output.ts';
import type { Database } from './database.ts';
import { columns, insertInto, oneOf, type Sql, sqlIn } from './sql.ts';

/** The time zones that people have set, or that their platforms tell. */
export interface TimeZoneStore {
  all(): Promise<readonly NotedZone[]>;
  /** Whether these accounts were never asked for their zone. They count as asked from now on. Call it inside an effect. */
  askOnce(accounts: readonly string[], at: number, within: Within): boolean;
}

export function createTimeZoneStore({ sql }: Database): TimeZoneStore {
  return {
    all: async () => sql.list(toNoted, 'SELECT * FROM time_zones ORDER BY noted_at'),
    askOnce: (accounts, at, within) => askOnce(sqlIn(within), accounts, at),
  };
}

function askOnce(sql: Sql, accounts: readonly string[], at: number): boolean {
  const subjects = accounts.map((account) => `time-zone ${account}`);
  const isNew = !sql.has('SELECT 1 FROM hints WHERE subject IN (SELECT value FROM json_each(?))', subjects);
  for (const subject of subjects)
    sql.run('INSERT INTO hints (subject, said_at) VALUES (?, ?) ON CONFLICT DO NOTHING', subject, at);
  return isNew;
}

const toNoted = columns({ principal: 'text', source: oneOf('set', 'platform'), timeZone: 'text' });

/** Notes a person's zone. A platform's is written only if it has changed. */
export const note = (sql: Sql, zone: NotedZone, at: number): boolean => insert(sql, { ...zone, notedAt: at });

const insert = insertInto(`time_zones (principal, source, time_zone, noted_at)
  ON CONFLICT (principal, source) DO UPDATE SET time_zone = excluded.time_zone, noted_at = excluded.noted_at
     WHERE time_zone <> excluded.time_zone OR source = 'set'`);

/** Forgets what these accounts have set. */
export function forget(sql: Sql, accounts: readonly string[]): void {
  for (const account of accounts) sql.run(`DELETE FROM time_zones WHERE principal = ? AND source = 'set'`, account);
}
