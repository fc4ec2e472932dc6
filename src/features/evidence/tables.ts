/* What the core has stored of calls and of those who allowed them, read for people. */

import type { RuleScope } from '../../approval/rules/rule.ts';
import type { SubRun } from '../../engine/journal.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Language } from '../../lib/words.ts';
import type { Transactions } from '../../store/database.ts';
import type { FeatureTables } from '../../store/migrate.ts';
import { type OwnMessage, ownMessage } from '../../store/own-message.ts';
import { columns, json, optional, type Row, type Sql, texts } from '../../store/sql.ts';

/** Finds what was noted of one call without a scan of the audit. */
export const evidenceTables: FeatureTables = {
  steps: [`CREATE INDEX evidence_of_calls ON audit (call_id) WHERE kind IN ('call-proposed', 'approval-decided')`],
};

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

/** A call as `/why` needs it. */
export interface ExplainedCall extends LoggedCall, Described {
  /** The conversation that made it: a sub-run's own. */
  readonly runsIn: string;
  readonly result: string | undefined;
  readonly changedBy: string | undefined;
  /** In ms. */
  readonly duration: number | undefined;
  readonly model: string | undefined;
  /** The newest message that its turn had seen. */
  readonly seenSeq: number;
  readonly subRun: SubRun | undefined;
  /** Why it was asked for, as its card said it. */
  readonly reason: string | undefined;
  readonly readBefore: readonly string[] | undefined;
  /** Where its card is. */
  readonly places: readonly string[] | undefined;
  /** The call that stands for all on its card. */
  readonly askedCallId: string | undefined;
  readonly decidedAt: number | undefined;
}

/** What the audit notes of a call. */
export interface NotedDetail {
  readonly kind: string;
  readonly approvalId: string | undefined;
  readonly detail: JsonObject;
}

/** A permission that let calls run. */
export interface UsedGrant {
  readonly id: string;
  readonly kind: string;
  readonly toolName: string;
  readonly grantedBy: string;
  readonly createdAt: number;
  /** If it is a rule. */
  readonly rule: { readonly scope: RuleScope } | undefined;
}

/** What a run worked for, as it came in. */
export interface Said {
  readonly kind: string;
  readonly name: string;
  readonly text: string;
}

/** Reads only. */
export interface EvidenceStore {
  explained(callId: string): Promise<ExplainedCall | undefined>;
  /** The calls whose id begins so, two at most; or the one that an approval with this id is about. */
  idsLike(beginning: string): Promise<readonly string[]>;
  /** The newest call of the conversation, up to an instant. */
  newestCall(conversationId: string, until: number): Promise<string | undefined>;
  /** The call before it in its conversation. */
  callBefore(call: Pick<ExplainedCall, 'runsIn' | 'turnId' | 'position'>): Promise<string | undefined>;
  notedOf(callId: string): Promise<readonly NotedDetail[]>;
  grant(id: string): Promise<UsedGrant | undefined>;
  /** The newest that the person said there, or that began a run in their name, up to a sequence. */
  saidBefore(conversationId: string, principal: string, seq: number): Promise<Said | undefined>;
  /** Among the newest 1,000 messages. */
  ownMessage(conversationId: string, messageId: string): Promise<OwnMessage | undefined>;
  /** The calls from an instant on, the newest first, of all conversations or of one and its sub-runs. Reads 20,000 turns and calls at most. */
  callsSince(from: number, conversationId: string | undefined): Promise<LoggedCalls>;
  undosSince(from: number, conversationId: string | undefined): Promise<readonly LoggedUndo[]>;
  described(callId: string): Promise<Described | undefined>;
  /** What the person calls themselves there. */
  nameOf(conversationId: string, principal: string): Promise<string | undefined>;
}

export function createEvidenceStore(database: Pick<Transactions, 'sql' | 'read'>): EvidenceStore {
  const { sql } = database;
  return {
    callsSince: (from, conversationId) => database.read(async (sql) => callsSince(from, conversationId, sql)),
    undosSince: async (from, conversationId) =>
      (await sql.list(toUndo, undos, from)).filter(
        (one) => conversationId === undefined || one.conversationId === conversationId,
      ),
    explained: async (callId) => sql.find(toExplained, explainedCall, callId),
    idsLike: (beginning) => database.read(async (sql) => idsLike(beginning, sql)),
    newestCall: async (conversationId, until) => (await sql.find(toId, newestCallOf, conversationId, until))?.id,
    callBefore: async ({ runsIn, turnId, position }) =>
      (await sql.find(toId, callBefore, runsIn, turnId, position))?.id,
    notedOf: async (callId) => sql.list(toNoted, notedOfCall, callId),
    grant: async (id) => sql.find(toGrant, usedGrant, id),
    saidBefore: async (conversationId, principal, seq) => sql.find(toSaid, newestSaid, conversationId, seq, principal),
    ownMessage: (conversationId, messageId) => database.read(async (sql) => ownMessage(sql, conversationId, messageId)),
    described: async (callId) => sql.find(toDescribed, describedCall, callId),
    nameOf: async (conversationId, principal) => (await sql.find(toName, nameThere, conversationId, principal))?.name,
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

const explainedCall = `SELECT turns.id AS turn_id, turns.created_at AS at, turns.model, turns.seen_seq,
    turns.conversation_id AS runs_in, calls.id, calls.position, calls.name, calls.category, calls.state, calls.outcome,
    calls.result, calls.arguments, calls.changed_by, calls.duration, turns.principal, calls.approval_id, conversations.sub_run,
    coalesce(conversations.root_id, turns.conversation_id) AS conversation_id,
    approvals.state AS approval_state, approvals.question IS NOT NULL AS is_question, approvals.description,
    approvals.otherwise, approvals.decided_by, approvals.decided_at, approvals.places, approvals.call_id AS asked_call_id,
    approvals.asked ->> '$.others' IS NOT NULL AS is_joint, approvals.asked ->> '$.reason' AS reason,
    approvals.asked -> '$.readBefore' AS read_before
  FROM calls JOIN turns ON turns.id = calls.turn_id
    LEFT JOIN conversations ON conversations.id = turns.conversation_id
    LEFT JOIN approvals ON approvals.id = calls.approval_id WHERE calls.id = ?`;

const callOfApproval = 'SELECT call_id AS id FROM approvals WHERE id = ? AND call_id IS NOT NULL';
const callsLike = 'SELECT id FROM calls WHERE calls.id >= ? AND calls.id < ? ORDER BY calls.id LIMIT 2';
const newestCallOf = `SELECT calls.id FROM calls JOIN turns ON turns.id = calls.turn_id
  WHERE calls.conversation_id = ? AND turns.created_at <= ? ORDER BY calls.turn_id DESC, calls.position DESC LIMIT 1`;
const callBefore = `SELECT id FROM calls WHERE conversation_id = ? AND (turn_id, position) < (?, ?)
  ORDER BY turn_id DESC, position DESC LIMIT 1`;
const notedOfCall = `SELECT kind, approval_id, detail FROM audit
  WHERE call_id = ? AND kind IN ('call-proposed', 'approval-decided') ORDER BY seq`;
const usedGrant = 'SELECT id, kind, tool_name, granted_by, created_at, rule FROM grants WHERE id = ?';
const newestSaid = `SELECT kind, name, coalesce(edited_text, text) AS text FROM inbox
  WHERE conversation_id = ? AND seq <= ? AND kind IN ('message', 'event') AND principal = ?
    AND is_person = 1 AND (kind = 'message' OR wants_answer = 1) ORDER BY seq DESC LIMIT 1`;

const describedCall = `SELECT calls.arguments, approvals.description, approvals.otherwise, approvals.decided_by,
    approvals.asked ->> '$.others' IS NOT NULL AS is_joint
  FROM calls LEFT JOIN approvals ON approvals.id = calls.approval_id WHERE calls.id = ?`;

const nameThere = 'SELECT name FROM participants WHERE conversation_id = ? AND principal = ?';

const callShape = {
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
} as const;

const toCall: (row: Row) => LoggedCall = columns(callShape);

const describedShape = {
  arguments: 'text',
  description: 'text?',
  otherwise: optional(json<Partial<Record<Language, string>>>()),
  isJoint: 'flag',
  decidedBy: 'text?',
} as const;

const toId = columns({ id: 'text' });

const toExplained: (row: Row) => ExplainedCall = columns({
  ...callShape,
  ...describedShape,
  runsIn: 'text',
  result: 'text?',
  changedBy: 'text?',
  duration: 'integer?',
  model: 'text?',
  seenSeq: 'integer',
  subRun: optional(json<SubRun>()),
  reason: 'text?',
  readBefore: optional(texts),
  places: optional(texts),
  askedCallId: 'text?',
  decidedAt: 'integer?',
});

const toNoted: (row: Row) => NotedDetail = columns({ kind: 'text', approvalId: 'text?', detail: json<JsonObject>() });
const toGrant: (row: Row) => UsedGrant = columns({
  id: 'text',
  kind: 'text',
  toolName: 'text',
  grantedBy: 'text',
  createdAt: 'integer',
  rule: optional(json<{ readonly scope: RuleScope }>()),
});
const toSaid: (row: Row) => Said = columns({ kind: 'text', name: 'text', text: 'text' });

/** Ids are letters and digits: `~` comes after all of them. */
async function idsLike(beginning: string, sql: Sql): Promise<readonly string[]> {
  const asked = await sql.find(toId, callOfApproval, beginning);
  if (asked !== undefined) return [asked.id];
  return (await sql.list(toId, callsLike, beginning, `${beginning}~`)).map(({ id }) => id);
}

const toUndo: (row: Row) => LoggedUndo = columns({
  seq: 'integer',
  at: 'integer',
  conversationId: 'text',
  principal: 'text',
  text: 'text',
});

const toDescribed: (row: Row) => Described = columns(describedShape);

const toName = columns({ name: 'text' });

async function callsSince(from: number, conversationId: string | undefined, sql: Sql): Promise<LoggedCalls> {
  const rows = await sql.takeWhile((row) => Number(row.at) >= from, newestCalls);
  const calls = rows
    .filter((row) => row.id !== null && (conversationId === undefined || row.conversation_id === conversationId))
    .map(toCall)
    .toSorted((one, other) => other.turnId - one.turnId || other.position - one.position);
  return { calls, isCut: rows.length === mostRead };
}
