import type Sqlite from 'better-sqlite3';
import { type AuditRow, chained, toAuditRow } from './audit.ts';
import type { Row } from './sql.ts';

/** What the chain of hashes says of an audit. */
export type AuditProof =
  | { readonly type: 'whole'; readonly rows: number; readonly hash: string }
  /** The first row that is not as it was written, or follows one that is gone. */
  | { readonly type: 'broken'; readonly seq: number; readonly at: number; readonly kind: string }
  /** Newer rows than this one were written, and are gone. */
  | { readonly type: 'cut'; readonly seq: number; readonly missing: number }
  /** Written before there were hashes: the next start chains it. */
  | { readonly type: 'unchained' };

/**
 * Proves that no row of the audit was changed, removed or put between since it was written, from the first on: about 10 µs
 * a row. Rows that are missing at the end are told by SQLite's own count of them. Whoever can write the file can change that too, and
 * chain anew: only who has noted the newest hash knows, and asks `hasHash`. `look` gets each row that is proven.
 */
export function proveAudit(sqlite: Sqlite.Database, look: (row: AuditRow) => void = () => {}): AuditProof {
  if (!isChained(sqlite)) return { type: 'unchained' };
  const next = sqlite.prepare<[number], Row>('SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT 1000');
  let [hash, seq, count] = ['', 0, 0];
  for (let rows = next.all(seq); rows.length > 0; rows = next.all(seq))
    for (const row of rows.map(toAuditRow)) {
      const { at, kind } = row;
      if (chained(hash, row) !== row.hash) return { type: 'broken', seq: row.seq, at, kind };
      hash = row.hash;
      seq = row.seq;
      count += 1;
      look(row);
    }
  const missing = newestEver(sqlite) - seq;
  return missing > 0 ? { type: 'cut', seq, missing } : { type: 'whole', rows: count, hash };
}

/** Whether its rows have hashes. */
export function isChained(sqlite: Sqlite.Database): boolean {
  return sqlite.prepare(`SELECT 1 FROM pragma_table_info('audit') WHERE name = 'hash'`).get() !== undefined;
}

/** The highest number that a row ever had. */
function newestEver(sqlite: Sqlite.Database): number {
  const row = sqlite.prepare<[], { seq: number }>(`SELECT seq FROM sqlite_sequence WHERE name = 'audit'`).get();
  return row?.seq ?? 0;
}

/** Whether a row of the audit bears this hash: with a chain that is whole, nothing up to that row is missing. */
export function hasHash(sqlite: Sqlite.Database, hash: string): boolean {
  return sqlite.prepare('SELECT 1 FROM audit WHERE +hash = ? LIMIT 1').get(hash) !== undefined;
}

/** Which rows of the audit are asked for. */
export interface AuditFilter {
  /** In ms since 1970. */
  readonly since?: number | undefined;
  /** An account, as `telegram:17`: who did it. */
  readonly person?: string | undefined;
  /** The name of a tool. */
  readonly tool?: string | undefined;
  readonly most: number;
}

/** The newest rows of the audit that fit, oldest first. Rows from before there were hashes have an empty one. */
export function auditRows(sqlite: Sqlite.Database, { since, person, tool, most }: AuditFilter): readonly AuditRow[] {
  return sqlite
    .prepare<unknown[], Row>(isChained(sqlite) ? filtered : filteredUnchained)
    .all({ since: since ?? null, person: person ?? null, tool: tool ?? null, most })
    .map(toAuditRow)
    .toReversed();
}

const fitting = `WHERE (@since IS NULL OR at >= @since) AND (@person IS NULL OR actor = @person)
  AND (@tool IS NULL OR detail ->> '$.tool' = @tool) ORDER BY seq DESC LIMIT @most`;

const filtered = `SELECT * FROM audit ${fitting}`;
const filteredUnchained = `SELECT * FROM (SELECT *, '' AS hash FROM audit) ${fitting}`;
