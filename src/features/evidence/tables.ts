/* What the core has stored of calls and of those who allowed them, read for people. */

import type { Language } from '../../lib/words.ts';
import type { Transactions } from '../../store/database.ts';
import { columns, json, optional, type Row, type Sql } from '../../store/sql.ts';

/** A call as `/log` needs it. */
export interface LoggedCall {
  readonly id: string;
  readonly turnId: number;
  readonly position: number;
  readonly at: number;
  readonly name: string;
  /** Undefined if it was never valid. */
  readonly category: string | undefined;
  readonly state: string;
  readonly outcome: string | undefined;
  readonly principal: string;
  /** Where people see it: that of the call, or of the run above its sub-run. */
  readonly conversationId: string;
  readonly approvalId: string | undefined;
  readonly approvalState: string | undefined;
  /** It asked a person something, and needed no permission. */
  readonly isQuestion: boolean;
}

/** How a call was described to those who were asked for it. */
export interface Described {
  readonly arguments: string;
  /** Markdown; undefined if nobody was asked. */
  readonly description: string | undefined;
  readonly otherwise: Partial<Readonly<Record<Language, string>>> | undefined;
  /** It was asked for together with others, and the description is that of all. */
  readonly isJoint: boolean;
  readonly decidedBy: string | undefined;
}

/** A call that was undone. */
export interface LoggedUndo {
  readonly seq: number;
  readonly at: number;
  readonly conversationId: string;
  readonly principal: string;
  /** As it was told to the model. */
  readonly text: string;
}

export interface LoggedCalls {
  readonly calls: readonly LoggedCall[];
  /** There were more than are read. */
  readonly isCut: boolean;
}

/** Reads only. */
export interface EvidenceStore {
  /** The calls from an instant on, the newest first, of all conversations or of one and its sub-runs. Reads 20,000 turns and calls at most. */
  callsSince(from: number, conversationId: string | undefined): LoggedCalls;
  undosSince(from: number, conversationId: string | undefined): readonly LoggedUndo[];
  described(callId: string): Described | undefined;
  /** What the person calls themselves there. */
  nameOf(conversationId: string, principal: string): string | undefined;
}

export function createEvidenceStore({ sql }: Pick<Transactions, 'sql'>): EvidenceStore {
  return {
    callsSince: (from, conversationId) => callsSince(from, conversationId, sql),
    undosSince: (from, conversationId) =>
      sql
        .list(toUndo, undos, from)
        .filter((one) => conversationId === undefined || one.conversationId === conversationId),
    described: (callId) => sql.find(toDescribed, describedCall, callId),
    nameOf: (conversationId, principal) => sql.find(toName, nameThere, conversationId, principal)?.name,
  };
}

const mostRead = 20_000;

/** Newest first, so that reading can end where the time does. A turn without calls is a row, too: it may be the first that is too old. */
const newestCalls = `SELECT turns.id AS turn_id, turns.created_at AS at, calls.id, calls.position, calls.name, calls.category,
    calls.state, calls.outcome, turns.principal, coalesce(conversations.root_id, turns.conversation_id) AS conversation_id,
    calls.approval_id, approvals.state AS approval_state, approvals.question IS NOT NULL AS is_question
  FROM turns LEFT JOIN calls ON calls.conversation_id = turns.conversation_id AND calls.turn_id = turns.id
    LEFT JOIN approvals ON approvals.id = calls.approval_id
    LEFT JOIN conversations ON conversations.id = turns.conversation_id
  WHERE turns.id <= (SELECT max(id) FROM turns) ORDER BY turns.id DESC LIMIT ${mostRead}`;

const undos = `SELECT seq, received_at AS at, conversation_id, principal, text FROM inbox
  WHERE key > 'undo:' AND key < 'undo;' AND kind = 'event' AND received_at >= ?`;

const describedCall = `SELECT calls.arguments, approvals.description, approvals.otherwise, approvals.decided_by,
    approvals.asked ->> '$.others' IS NOT NULL AS is_joint
  FROM calls LEFT JOIN approvals ON approvals.id = calls.approval_id WHERE calls.id = ?`;

const nameThere = 'SELECT name FROM participants WHERE conversation_id = ? AND principal = ?';

const toCall: (row: Row) => LoggedCall = columns({
  id: 'text',
  turnId: 'integer',
  position: 'integer',
  at: 'integer',
  name: 'text',
  category: 'text?',
  state: 'text',
  outcome: 'text?',
  principal: 'text',
  conversationId: 'text',
  approvalId: 'text?',
  approvalState: 'text?',
  isQuestion: 'flag',
});

const toUndo: (row: Row) => LoggedUndo = columns({
  seq: 'integer',
  at: 'integer',
  conversationId: 'text',
  principal: 'text',
  text: 'text',
});

const toDescribed: (row: Row) => Described = columns({
  arguments: 'text',
  description: 'text?',
  otherwise: optional(json<Partial<Record<Language, string>>>()),
  isJoint: 'flag',
  decidedBy: 'text?',
});

const toName = columns({ name: 'text' });

function callsSince(from: number, conversationId: string | undefined, sql: Sql): LoggedCalls {
  const rows = sql.takeWhile((row) => Number(row.at) >= from, newestCalls);
  const calls = rows
    .filter((row) => row.id !== null && (conversationId === undefined || row.conversation_id === conversationId))
    .map(toCall)
    .toSorted((one, other) => other.turnId - one.turnId || other.position - one.position);
  return { calls, isCut: rows.length === mostRead };
}
