import type { CallDraft, JournalEntry } from '../../agent/run-store.ts';
import type { WaitingCall } from '../../agent/summary.ts';
import { toolCategories } from '../../tools/category.ts';
import type { CallResult } from '../../transcript.ts';
import type { Database, Statement } from '../database.ts';
import { Row } from '../row.ts';
import { picturesColumn, picturesOf } from './picture-column.ts';

/** Where a call belongs. */
export interface CallPlace {
  readonly turnId: number;
  readonly position: number;
  readonly conversationId: string;
  readonly runId: string;
  readonly principal: string;
}

/** A call that was called off, as far as others have to know. */
export interface OpenCall {
  readonly id: string;
  readonly turnId: number;
  readonly name: string;
  readonly conversationId: string;
  readonly runId: string;
  readonly principal: string;
  readonly isDeferred: boolean;
}

const columns = `calls.*, approvals.id AS approval_id, approvals.state AS approval_state, approvals.decided_at AS decided_at,
  coalesce(participants.name, calls.principal) AS principal_name`;
const joins = `LEFT JOIN approvals ON approvals.id = (SELECT id FROM approvals WHERE call_id = calls.id ORDER BY created_at DESC, id LIMIT 1)
  LEFT JOIN participants ON participants.conversation_id = calls.conversation_id AND participants.principal = calls.principal`;

/** The journal of tool calls. Every change of state is a compare-and-set. Its methods belong inside a write. */
export class CallsTable {
  readonly #insert: Statement;
  readonly #ofTurns: Statement;
  readonly #anyOpen: Statement;
  readonly #leftBehind: Statement;
  readonly #deferredWorkable: Statement;
  readonly #waitingUpTo: Statement;
  readonly #find: Statement;
  readonly #begin: Statement;
  readonly #end: Statement;
  readonly #endAwaiting: Statement;
  readonly #approve: Statement;
  readonly #await: Statement;
  readonly #defer: Statement;
  readonly #cancellable: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare(
      `INSERT INTO calls (id, turn_id, position, conversation_id, run_id, principal, name, arguments, hash, category, changed_by, state,
         outcome, result, ready_at, begun_at, done_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#ofTurns = database.prepare(
      `SELECT ${columns} FROM calls ${joins} WHERE calls.conversation_id = ? AND calls.turn_id >= ? ORDER BY calls.turn_id, calls.position`,
    );
    this.#anyOpen = database.prepare(`SELECT 1 FROM calls WHERE conversation_id = ? AND state <> 'done' LIMIT 1`);
    // The words "<> 'done'" are those of the index: without them, all calls that there ever were would be read.
    this.#deferredWorkable = database.prepare(
      `SELECT ${columns} FROM calls ${joins}
       WHERE calls.conversation_id = ? AND calls.is_deferred = 1 AND calls.state <> 'done' AND calls.state IN ('ready', 'begun') ORDER BY calls.ready_at, calls.id`,
    );
    this.#leftBehind = database.prepare(
      `SELECT ${columns} FROM calls ${joins}
       WHERE calls.conversation_id = ? AND calls.state <> 'done' AND calls.state = 'begun' AND calls.is_deferred = 0 AND calls.turn_id <> ?
       ORDER BY calls.id`,
    );
    // Without the plus, all calls up to there would be read.
    this.#waitingUpTo = database.prepare(
      `SELECT id, name, arguments FROM calls WHERE conversation_id = ? AND state <> 'done' AND state = 'awaiting' AND +turn_id <= ? ORDER BY id`,
    );
    this.#find = database.prepare(
      'SELECT id, turn_id, name, conversation_id, run_id, principal, is_deferred FROM calls WHERE id = ?',
    );
    this.#begin = database.prepare(`UPDATE calls SET state = 'begun', begun_at = ? WHERE id = ? AND state = 'ready'`);
    this.#end = database.prepare(
      `UPDATE calls SET state = 'done', outcome = ?, result = ?, pictures = ?, duration = ?, done_at = ? WHERE id = ? AND state IN ('ready', 'begun')`,
    );
    this.#endAwaiting = database.prepare(
      `UPDATE calls SET state = 'done', outcome = ?, result = ?, done_at = ? WHERE id = ? AND state IN ('awaiting', 'ready')`,
    );
    this.#approve = database.prepare(
      `UPDATE calls SET state = 'ready', ready_at = ? WHERE id = ? AND state = 'awaiting'`,
    );
    this.#await = database.prepare(`UPDATE calls SET state = 'awaiting' WHERE id = ? AND state IN ('ready', 'begun')`);
    this.#defer = database.prepare(
      `UPDATE calls SET is_deferred = 1 WHERE id = ? AND state = 'awaiting' AND is_deferred = 0`,
    );
    this.#cancellable = database.prepare(
      `SELECT id, turn_id, name, conversation_id, run_id, principal, is_deferred FROM calls WHERE conversation_id = ? AND state <> 'done' AND state IN ('ready', 'awaiting')`,
    );
  }

  add(call: CallDraft, place: CallPlace, at: number): void {
    const { id, name, hash, category, changedBy, state, result } = call;
    this.#insert.run(
      id,
      place.turnId,
      place.position,
      place.conversationId,
      place.runId,
      place.principal,
      name,
      JSON.stringify(call.arguments),
      hash ?? null,
      category ?? null,
      changedBy ?? null,
      state,
      result?.outcome ?? null,
      result?.text ?? null,
      state === 'ready' || state === 'begun' ? at : null,
      state === 'begun' ? at : null,
      state === 'done' ? at : null,
    );
  }

  /** The calls of a conversation's turns, from this turn on, in their order. */
  ofTurns(
    conversationId: string,
    fromTurn: number,
  ): readonly { readonly turnId: number; readonly entry: JournalEntry }[] {
    return this.#ofTurns.all(conversationId, fromTurn).map((found) => {
      const row = new Row(found);
      return { turnId: row.integer('turn_id'), entry: toEntry(row) };
    });
  }

  /** Deferred calls that can be brought to an end, the first decided first. */
  deferredWorkable(conversationId: string): readonly JournalEntry[] {
    if (this.#anyOpen.get(conversationId) === undefined) return [];
    return this.#deferredWorkable.all(conversationId).map((found) => toEntry(new Row(found)));
  }

  /** Calls that had begun, and whose run was ended before they were: those of any turn but this one. */
  leftBehind(conversationId: string, currentTurn: number): readonly JournalEntry[] {
    if (this.#anyOpen.get(conversationId) === undefined) return [];
    return this.#leftBehind.all(conversationId, currentTurn).map((found) => toEntry(new Row(found)));
  }

  /** The calls that wait for a person, of the turns up to this one. */
  waitingUpTo(conversationId: string, turnId: number): readonly WaitingCall[] {
    if (this.#anyOpen.get(conversationId) === undefined) return [];
    return this.#waitingUpTo.all(conversationId, turnId).map((found) => {
      const row = new Row(found);
      return { id: row.text('id'), name: row.text('name'), arguments: row.json('arguments') };
    });
  }

  find(id: string): OpenCall | undefined {
    const found = this.#find.get(id);
    return found === undefined ? undefined : toOpenCall(new Row(found));
  }

  begin(id: string, at: number): boolean {
    return this.#begin.run(at, id).changes === 1;
  }

  end(id: string, { outcome, text, pictures }: CallResult, duration: number, at: number): boolean {
    return this.#end.run(outcome, text, picturesColumn(pictures), duration, at, id).changes === 1;
  }

  /** Ends a call that never began. */
  endUnbegun(id: string, { outcome, text }: CallResult, at: number): boolean {
    return this.#endAwaiting.run(outcome, text, at, id).changes === 1;
  }

  /** Lets a call run that a person allowed. */
  approve(id: string, at: number): boolean {
    return this.#approve.run(at, id).changes === 1;
  }

  /** Lets a call wait for a person again. */
  await(id: string): boolean {
    return this.#await.run(id).changes === 1;
  }

  defer(id: string): boolean {
    return this.#defer.run(id).changes === 1;
  }

  /** The calls of the conversation that have not begun. */
  cancellable(conversationId: string): readonly OpenCall[] {
    return this.#cancellable.all(conversationId).map((found) => toOpenCall(new Row(found)));
  }
}

function toOpenCall(row: Row): OpenCall {
  return {
    id: row.text('id'),
    turnId: row.integer('turn_id'),
    name: row.text('name'),
    conversationId: row.text('conversation_id'),
    runId: row.text('run_id'),
    principal: row.text('principal'),
    isDeferred: row.flag('is_deferred'),
  };
}

const outcomes = [
  'success',
  'error',
  'refused',
  'denied',
  'expired',
  'cancelled',
  'unknown',
  'deferred',
  'completed',
] as const;

function toEntry(row: Row): JournalEntry {
  const state = row.word('state', ['ready', 'awaiting', 'begun', 'done']);
  const hash = row.optionalText('hash');
  const approvalId = row.optionalText('approval_id');
  const changedBy = row.optionalText('changed_by');
  return {
    id: row.text('id'),
    name: row.text('name'),
    arguments: row.json('arguments'),
    state,
    deferred: row.flag('is_deferred'),
    runId: row.text('run_id'),
    principal: row.text('principal'),
    principalName: row.text('principal_name'),
    ...(state === 'done'
      ? { result: { outcome: row.word('outcome', outcomes), text: row.text('result'), ...picturesOf(row) } }
      : {}),
    ...(hash === undefined ? {} : { hash }),
    ...(row.optionalText('category') === undefined ? {} : { category: row.word('category', toolCategories) }),
    ...(changedBy === undefined ? {} : { changedBy }),
    ...(approvalId === undefined ? {} : { approval: toApproval(row, approvalId) }),
  };
}

function toApproval(row: Row, id: string): NonNullable<JournalEntry['approval']> {
  const decidedAt = row.optionalInteger('decided_at');
  const state = row.word('approval_state', ['pending', 'approved', 'denied', 'answered', 'expired', 'cancelled']);
  return { id, state, ...(decidedAt === undefined ? {} : { decidedAt }) };
}
