/*
 * Removes what is older than the operator wants to keep: messages, turns, calls with their results, what was sent, and
 * summaries of chats that are silent. A little at a time, each step a transaction of its own that reads and removes at most
 * `stepRows` rows, so that nothing waits, and a killed process goes on where it was. What is not finished stays, whatever its
 * age: a conversation in which work is open, a call that waits, a message that is to be delivered. The audit stays, and of
 * a refused call, that it was refused: otherwise rules would be offered for what somebody once denied.
 */

import type { Conversation } from '../../contract.ts';
import { placeOf } from '../../store/conversations.ts';
import type { Transactions } from '../../store/database.ts';
import type { FeatureTables } from '../../store/migrate.ts';
import { columns, type Row, type Sql, text } from '../../store/sql.ts';

export { backupWork } from '../../store/backup/backup-work.ts';

/** Without these indexes, each row that goes would have SQLite look through all rows that may refer to it. */
export const dataTables: FeatureTables = {
  steps: [
    `
  CREATE INDEX calls_of_turn ON calls (turn_id);
  CREATE INDEX approvals_of_call ON approvals (call_id);
`,
  ],
};

/** How many rows a step looks at. */
export const stepRows = 200;

/** The kinds of rows, in the order in which they go: what refers to others goes before them. */
const kinds = ['outbox', 'turns', 'summaries', 'inbox'] as const;

/** How far it has come. Undefined: it begins. */
export interface RetentionPlace {
  readonly kind: (typeof kinds)[number];
  /** The last row that was looked at. */
  readonly after: number;
}

export interface RetentionStep {
  /** Where the next step goes on; undefined: all is done. */
  readonly next: RetentionPlace | undefined;
  readonly removed: number;
}

export interface RemovedCall {
  readonly id: string;
  readonly principal: string;
  /** Where people saw it. */
  readonly conversation: Conversation;
  readonly result: string;
}

export interface RetentionStore {
  /** The calls that the same step will remove: their results may also stand in files. */
  due(before: number, place: RetentionPlace | undefined): Promise<readonly RemovedCall[]>;
  /** Takes a step. `before`: what is older goes; in ms since 1970. */
  step(before: number, place: RetentionPlace | undefined): Promise<RetentionStep>;
}

export function createRetentionStore(database: Transactions): RetentionStore {
  return {
    due: (before, place = first) => database.read(async (sql) => callsDue(sql, before, place)),
    step: (before, place = first) => database.write((sql) => takeStep(sql, before, place), 'relaxed'),
  };
}

const first: RetentionPlace = { kind: kinds[0], after: 0 };

async function callsDue(sql: Sql, before: number, { kind, after }: RetentionPlace): Promise<readonly RemovedCall[]> {
  if (kind !== 'turns') return [];
  const old = (await sql.all(rowsAfter.turns, after)).filter((row) => Number(row.at) < before);
  const calls: RemovedCall[] = [];
  for (const row of old) if (await isEnded(sql, row)) calls.push(...(await sql.list(toCall, callsOf, Number(row.id))));
  return calls;
}

async function takeStep(sql: Sql, before: number, { kind, after }: RetentionPlace): Promise<RetentionStep> {
  const rows = await sql.all(rowsAfter[kind], after);
  // In the order of their ids rows are in the order of their times, but for a clock that was set.
  const old = rows.filter((row) => Number(row.at) < before);
  let removed = 0;
  for (const row of old) if (await removeRow(sql, kind, { row, before })) removed += 1;
  const last = old.length === rows.length ? rows.at(-1) : undefined;
  if (last !== undefined && rows.length === stepRows) return { next: { kind, after: Number(last.id) }, removed };
  const following = kinds[kinds.indexOf(kind) + 1];
  return { next: following && { kind: following, after: 0 }, removed };
}

const rowsAfter = {
  outbox: `SELECT seq AS id, created_at AS at, state, parked_at, approval_id FROM outbox WHERE seq > ? ORDER BY seq LIMIT ${stepRows}`,
  turns: `SELECT turns.id AS id, turns.created_at AS at, conversation_id, run_id, seen_seq, is_open FROM turns
    LEFT JOIN conversations ON conversations.id = conversation_id WHERE turns.id > ? ORDER BY turns.id LIMIT ${stepRows}`,
  summaries: `SELECT summaries.id AS id, created_at AS at, conversation_id, summary_id, seen_at, is_open, up_to_turn, up_to_seq
    FROM summaries LEFT JOIN conversations ON conversations.id = conversation_id
    WHERE summaries.id > ? ORDER BY summaries.id LIMIT ${stepRows}`,
  inbox: `SELECT seq AS id, received_at AS at, key, is_open, (SELECT max(seq) FROM inbox) AS newest FROM inbox
    LEFT JOIN conversations ON conversations.id = conversation_id WHERE seq > ? ORDER BY seq LIMIT ${stepRows}`,
} as const;

interface Removing {
  readonly row: Row;
  readonly before: number;
}

/** False if it is still needed. */
async function removeRow(sql: Sql, kind: RetentionPlace['kind'], removing: Removing): Promise<boolean> {
  switch (kind) {
    case 'outbox':
      return await removeSent(sql, removing.row);
    case 'turns':
      return await removeTurn(sql, removing.row);
    case 'summaries':
      return await removeSummary(sql, removing);
    case 'inbox':
      return await removeMessage(sql, removing.row);
  }
}

async function removeSent(sql: Sql, { id, state, parked_at, approval_id }: Row): Promise<boolean> {
  if (state === 'queued' || state === 'streaming' || parked_at !== null) return false;
  if (approval_id !== null && (await sql.has(pendingApproval, Number(id)))) return false;
  return await sql.changed('DELETE FROM outbox WHERE seq = ?', Number(id));
}

const pendingApproval = `SELECT 1 FROM approvals WHERE id = (SELECT approval_id FROM outbox WHERE seq = ?) AND state = 'pending'`;

/** No work on this turn is open. */
async function isEnded(sql: Sql, row: Row): Promise<boolean> {
  return row.is_open !== 1 && !(await sql.has(openCallOf, Number(row.id)));
}

async function removeTurn(sql: Sql, row: Row): Promise<boolean> {
  if (!(await isEnded(sql, row))) return false;
  const id = Number(row.id);
  const conversationId = text(row, 'conversation_id');
  await sql.run(bareDenialsOfCalls, id);
  await sql.run(endedApprovalsOfCalls, id);
  await sql.run(
    `DELETE FROM approvals WHERE conversation_id = ? AND run_id = ? AND run_id IS NOT NULL AND state <> 'pending'
      AND NOT (state = 'denied' AND ruled IS NOT NULL)`,
    conversationId,
    text(row, 'run_id'),
  );
  await sql.run('DELETE FROM calls WHERE turn_id = ?', id);
  // What this turn had read must not count as unread once the turn is gone.
  await sql.run(marked, { conversation: conversationId, turn: id, seen: Number(row.seen_seq) });
  return await sql.changed('DELETE FROM turns WHERE id = ?', id);
}

const openCallOf = `SELECT 1 FROM calls WHERE turn_id = ? AND (state <> 'done'
  OR EXISTS (SELECT 1 FROM approvals WHERE call_id = calls.id AND approvals.state = 'pending')) LIMIT 1`;
const callsOf = `SELECT calls.id AS id, calls.principal AS principal, coalesce(result, '') AS result, root.channel AS channel,
    root.tenant AS tenant, root.chat_id AS chat_id, root.thread_id AS thread_id, root.kind AS kind, root.title AS title
  FROM calls JOIN conversations AS own ON own.id = calls.conversation_id
    JOIN conversations AS root ON root.id = coalesce(own.root_id, own.id) WHERE calls.turn_id = ?`;
/** A denial keeps what rules compare calls by, and who decided when; nothing of the card. */
const bareDenialsOfCalls = `UPDATE approvals SET call_id = NULL, run_id = NULL, runs_in = NULL, requester_name = '', description = '',
    otherwise = NULL, asked = NULL, places = '[]'
  WHERE state = 'denied' AND ruled IS NOT NULL AND call_id IN (SELECT id FROM calls WHERE turn_id = ?)`;
const endedApprovalsOfCalls = 'DELETE FROM approvals WHERE call_id IN (SELECT id FROM calls WHERE turn_id = ?)';
const marked = `UPDATE conversations SET since_turn = max(since_turn, @turn), since_seq = max(since_seq, @seen) WHERE id = @conversation`;
const toCall: (row: Row) => RemovedCall = columns({
  id: 'text',
  principal: 'text',
  conversation: placeOf,
  result: 'text',
});

/** The summary that a chat goes on from stays while people talk there. */
async function removeSummary(sql: Sql, { row, before }: Removing): Promise<boolean> {
  const id = Number(row.id);
  if (row.summary_id === id) {
    if (row.is_open === 1 || Number(row.seen_at) >= before) return false;
    const conversation = text(row, 'conversation_id');
    await sql.run(marked, { conversation, turn: Number(row.up_to_turn), seen: Number(row.up_to_seq) });
    await sql.run('UPDATE conversations SET summary_id = NULL WHERE id = ?', conversation);
  }
  return await sql.changed('DELETE FROM summaries WHERE id = ?', id);
}

/** The newest of all stays: a start compares its number with the one that was noted. */
async function removeMessage(sql: Sql, row: Row): Promise<boolean> {
  if (row.is_open === 1 || row.id === row.newest) return false;
  await sql.run('DELETE FROM attachments WHERE inbox_key = ?', text(row, 'key'));
  return await sql.changed('DELETE FROM inbox WHERE seq = ?', Number(row.id));
}
