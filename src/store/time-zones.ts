import type { NotedZone } from '../conversation/access/time-zones.ts';
import type { Within } from '../tools/output.ts';
import type { Database } from './database.ts';
import { columns, type Eventual, insertInto, oneOf, type Sql, sqlIn } from './sql.ts';

/** The time zones that people have set, or that their platforms tell. */
export interface TimeZoneStore {
  all(): Promise<readonly NotedZone[]>;
  /** Whether these accounts were never asked for their zone. They count as asked from now on. Call it inside an effect. */
  askOnce(accounts: readonly string[], at: number, within: Within): Promise<boolean>;
}

export function createTimeZoneStore(database: Database): TimeZoneStore {
  const { sql } = database;
  return {
    all: async () => sql.list(toNoted, 'SELECT * FROM time_zones ORDER BY noted_at'),
    askOnce: (accounts, at, within) => askOnce(sqlIn(within), accounts, at),
  };
}

async function askOnce(sql: Sql, accounts: readonly string[], at: number): Promise<boolean> {
  const subjects = accounts.map((account) => `time-zone ${account}`);
  const isNew = !(await sql.has('SELECT 1 FROM hints WHERE subject IN (SELECT value FROM json_each(?))', subjects));
  for (const subject of subjects)
    await sql.run('INSERT INTO hints (subject, said_at) VALUES (?, ?) ON CONFLICT DO NOTHING', subject, at);
  return isNew;
}

const toNoted = columns({ principal: 'text', source: oneOf('set', 'platform'), timeZone: 'text' });

/** Notes a person's zone. A platform's is written only if it has changed. */
export const note = (sql: Sql, zone: NotedZone, at: number): Eventual<boolean> => insert(sql, { ...zone, notedAt: at });

const insert = insertInto(`time_zones (principal, source, time_zone, noted_at)
  ON CONFLICT (principal, source) DO UPDATE SET time_zone = excluded.time_zone, noted_at = excluded.noted_at
     WHERE time_zone <> excluded.time_zone OR source = 'set'`);

/** Forgets what these accounts have set. */
export async function forget(sql: Sql, accounts: readonly string[]): Promise<void> {
  for (const account of accounts)
    await sql.run(`DELETE FROM time_zones WHERE principal = ? AND source = 'set'`, account);
}
