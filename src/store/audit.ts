import { hash } from 'node:crypto';
import type Sqlite from 'better-sqlite3';
import type { Origin } from '../engine/message.ts';
import type { JsonObject } from '../lib/json.ts';
import type { CallEnded } from '../telemetry.ts';
import type { CallOutcome, CallResult } from '../transcript.ts';
import { columns, type Eventual, type Row, type Sql } from './sql.ts';

export interface AuditEntry {
  readonly at: number;
  /** What was done, as noun and verb: `call-begun`, `person-paired`. A feature names its own. */
  readonly kind: string;
  readonly conversationId: string;
  /** The person who did it, or `keyturn`. */
  readonly actor: string;
  readonly callId?: string | undefined;
  readonly approvalId?: string | undefined;
  readonly detail: JsonObject;
}

/** A row, as the hash covers it. */
export interface AuditRow {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly conversationId: string;
  readonly actor: string;
  readonly callId: string | undefined;
  readonly approvalId: string | undefined;
  /** JSON, as it is stored. */
  readonly detail: string;
  readonly hash: string;
}

/**
 * Appends to the audit: who asked, who allowed, and the outcome. Triggers in the database prevent changes, and each row
 * bears the hash of the row before it: see `chained`. About 10 µs.
 */
export async function add(sql: Sql, entry: AuditEntry): Promise<void> {
  if (sql.audited.newest !== undefined && (await append(sql, entry, sql.audited.newest))) return;
  const isAdded = await append(sql, entry, (await sql.find(toLink, newestLink)) ?? { seq: 0, hash: '' });
  if (!isAdded) throw new Error('the newest row of the audit has changed while one was added');
}

/** Appends behind this row. False, and nothing is done, if that is not the newest one: it was rolled back, or another program has added one. */
async function append(sql: Sql, entry: AuditEntry, before: Pick<AuditRow, 'seq' | 'hash'>): Promise<boolean> {
  const seq = before.seq + 1;
  // The database stores a lone surrogate as another character, which has another hash.
  const { at } = entry;
  const row = {
    seq,
    at,
    kind: entry.kind.toWellFormed(),
    conversationId: entry.conversationId.toWellFormed(),
    actor: entry.actor.toWellFormed(),
    callId: entry.callId?.toWellFormed(),
    approvalId: entry.approvalId?.toWellFormed(),
    detail: JSON.stringify(entry.detail).toWellFormed(),
  };
  const link = { seq, hash: chained(before.hash, row) };
  const isBehind = await sql.changed(appendBehind, { ...row, ...link, beforeSeq: before.seq, beforeHash: before.hash });
  if (isBehind) sql.audited.newest = link;
  return isBehind;
}

const newestLink = 'SELECT seq, hash FROM audit WHERE seq = (SELECT max(seq) FROM audit)';
const toLink = columns({ seq: 'integer', hash: 'text' });
const appendBehind = `INSERT INTO audit (seq, at, kind, conversation_id, actor, call_id, approval_id, detail, hash)
  SELECT @seq, @at, @kind, @conversationId, @actor, @callId, @approvalId, @detail, @hash
  WHERE coalesce((SELECT max(seq) FROM audit), 0) = @beforeSeq AND coalesce((SELECT hash FROM audit WHERE seq = @beforeSeq), '') = @beforeHash`;

/** Appends what a person did by a command, in the conversation where they gave it. */
export const addBy = (
  sql: Sql,
  kind: string,
  { conversationId, principal: actor }: Pick<Origin, 'conversationId' | 'principal'>,
  at: number,
  detail: JsonObject = {},
): Eventual<void> => add(sql, { at, kind, conversationId, actor, detail });

/**
 * Appends that a call has ended, and how: also one that never began. The result itself stands with the call, and the digest
 * here says that it is the same.
 */
export async function addEnd(
  sql: Sql,
  call: EndedCall,
  { outcome, text }: Pick<CallResult, 'outcome' | 'text'>,
  { at, duration }: { readonly at: number; readonly duration?: number | undefined },
): Promise<void> {
  const { id: callId, name: tool, conversationId, runId, approvalId } = call;
  const detail = { tool, outcome, result: hash('sha256', text), ...(duration === undefined ? {} : { duration }) };
  await add(sql, { at, kind: 'call-ended', actor: 'keyturn', conversationId, callId, detail });
  const told = { callId, tool, outcome: toldOutcomes[outcome], duration: duration ?? 0, approvalId };
  sql.told.tell({ type: 'call_ended', runId, conversationId, ...told });
}

/** A call that has ended. */
export interface EndedCall {
  readonly id: string;
  readonly name: string;
  readonly conversationId: string;
  readonly runId: string;
  /** Its newest approval. */
  readonly approvalId: string | undefined;
}

/** A placeholder is the result of no ended call. */
const toldOutcomes: Readonly<Record<CallOutcome, CallEnded['outcome']>> = {
  success: 'done',
  completed: 'done',
  error: 'failed',
  refused: 'refused',
  denied: 'denied',
  expired: 'expired',
  cancelled: 'stopped',
  unknown: 'unknown',
  deferred: 'unknown',
};

/**
 * The hash of a row: SHA-256, in hex, over the JSON array of the hash before (empty for the first row) and of all columns
 * in their order, where a missing one is null and the detail is the text that is stored.
 */
export function chained(before: string, row: Omit<AuditRow, 'hash'>): string {
  const { seq, at, kind, conversationId, actor, callId = null, approvalId = null, detail } = row;
  return hash('sha256', JSON.stringify([before, seq, at, kind, conversationId, actor, callId, approvalId, detail]));
}

export const toAuditRow: (row: Row) => AuditRow = columns({
  seq: 'integer',
  at: 'integer',
  kind: 'text',
  conversationId: 'text',
  actor: 'text',
  callId: 'text?',
  approvalId: 'text?',
  detail: 'text',
  hash: 'text',
});

/** The step of the schema that gives each row its hash. What was noted before is chained as it stands. */
export const chaining = `ALTER TABLE audit ADD COLUMN hash TEXT NOT NULL DEFAULT ''`;

const changes = `CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END`;

/** What that step does to the rows. About 10 µs for each. */
export function chainRows(sqlite: Sqlite.Database): void {
  sqlite.exec('DROP TRIGGER audit_is_not_changed');
  const next = sqlite.prepare<[number], Row>('SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT 1000');
  const set = sqlite.prepare('UPDATE audit SET hash = ? WHERE seq = ?');
  let [before, seq] = ['', 0];
  for (let rows = next.all(seq); rows.length > 0; rows = next.all(seq))
    for (const row of rows.map(toAuditRow)) {
      before = chained(before, row);
      seq = row.seq;
      set.run(before, seq);
    }
  sqlite.exec(changes);
}
