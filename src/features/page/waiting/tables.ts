/* What was asked, decided and allowed, read for the page. */

import type { ApprovalState, AskedCall, AskedQuestion, Grant } from '../../../approval/approval.ts';
import type { Origin } from '../../../engine/message.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Language } from '../../../lib/words.ts';
import type { Transactions } from '../../../store/database.ts';
import { revokeGrants, toGrant } from '../../../store/grants.ts';
import { approvalStateIn } from '../../../store/journal.ts';
import { columns, json, optional, type Row, type Sql } from '../../../store/sql.ts';
import { partsTaken, type TitledConversation, titleIn } from '../tables.ts';

/** An approval that is over. */
export interface DecidedApproval {
  readonly id: string;
  /** The first of its calls; undefined if a run asked to go on, or a running call asked a person. */
  readonly callId: string | undefined;
  readonly conversationId: string;
  readonly runsIn: string | undefined;
  readonly requester: string;
  readonly requesterName: string;
  readonly toolName: string;
  readonly description: string;
  readonly otherwise: Partial<Readonly<Record<Language, string>>> | undefined;
  readonly state: ApprovalState;
  readonly asked: AskedCall | undefined;
  readonly question: AskedQuestion | undefined;
  readonly extension: JsonObject | undefined;
  readonly runId: string | undefined;
  readonly createdAt: number;
  readonly decidedBy: string | undefined;
  readonly decidedAt: number;
}

/** Where a list goes on: behind what was decided then. */
export interface DecidedPlace {
  readonly at: number;
  readonly id: string;
}

/** What became of a call. */
export interface CallOfApproval {
  readonly name: string;
  readonly runId: string;
  readonly outcome: string | undefined;
  readonly duration: number | undefined;
  /** The newest message that its turn had seen. */
  readonly seenSeq: number;
}

/** What the waiting room reads, and the end of permissions. */
export interface WaitingTables {
  /** The latest first. `requester`: of this account alone. */
  decided(before: DecidedPlace, most: number, requester?: string): Promise<readonly DecidedApproval[]>;
  /** How it ended; undefined while it has not. */
  ending(approvalId: string): Promise<Pick<DecidedApproval, 'state' | 'decidedBy' | 'decidedAt'> | undefined>;
  /** By the id of the call: those that are known. */
  calls(callIds: readonly string[]): Promise<ReadonlyMap<string, CallOfApproval>>;
  /** The newest that the person said there, or that began a run in their name, up to a sequence. */
  saidBefore(conversationId: string, principal: string, seq: number): Promise<string | undefined>;
  /** What the person calls themselves in the first of these conversations where they are known. */
  nameOf(principal: string, conversationIds: readonly string[]): Promise<string | undefined>;
  titleOf(conversation: TitledConversation): Promise<string | undefined>;
  /** Whether somebody with one of these accounts has talked there. */
  takesPart(conversationId: string, accounts: readonly string[]): Promise<boolean>;
  /** The newest first. `requester`: of this account alone. */
  grants(now: number, most: number, requester?: string): Promise<readonly Grant[]>;
  /** Ends those that stand, each in its conversation. Resolves with their number. */
  revoke(grants: readonly Grant[], by: Origin, at: number): Promise<number>;
}

export function createWaitingTables(database: Transactions): WaitingTables {
  const { sql } = database;
  return {
    decided: async ({ at, id }, most, requester) =>
      requester === undefined
        ? await sql.list(toDecided, decidedOfAll, { at, id, most })
        : await sql.list(toDecided, decidedOfPerson, { at, id, most, requester }),
    ending: async (approvalId) => sql.find(toEnding, endingOf, approvalId),
    calls: (callIds) => database.read(async (sql) => callsIn(sql, callIds)),
    saidBefore: async (conversationId, principal, seq) =>
      (await sql.texts(newestSaid, conversationId, seq, principal))[0],
    nameOf: (principal, conversationIds) => database.read(async (sql) => nameIn(sql, principal, conversationIds)),
    titleOf: (conversation) => database.read(async (sql) => titleIn(sql, conversation)),
    takesPart: (id, accounts) => database.read(async (sql) => (await partsTaken(sql, [id], accounts)).has(id)),
    grants: async (now, most, requester) =>
      requester === undefined
        ? await sql.list(toGrant, grantsOfAll, { now, most })
        : await sql.list(toGrant, grantsOfPerson, { now, most, requester }),
    revoke: (grants, by, at) => database.writeIncoming((sql) => revokeEach(grants, by, at, sql)),
  };
}

/** Of a decision that only counts for rules, what it was about is gone. */
const isKnown = `AND coalesce(call_id, question, extension) IS NOT NULL`;
const decidedColumns = `id, call_id, conversation_id, runs_in, requester, requester_name, tool_name, description, otherwise, state,
  asked, question, extension, run_id, created_at, decided_by, decided_at`;

const decidedOfAll = `SELECT ${decidedColumns} FROM approvals INDEXED BY page_decided
  WHERE decided_at IS NOT NULL AND (decided_at, id) < (@at, @id) ${isKnown} ORDER BY decided_at DESC, id DESC LIMIT @most`;
const decidedOfPerson = `SELECT ${decidedColumns} FROM approvals INDEXED BY page_decided_of_person
  WHERE requester = @requester AND decided_at IS NOT NULL AND (decided_at, id) < (@at, @id) ${isKnown}
  ORDER BY decided_at DESC, id DESC LIMIT @most`;

const endingOf = 'SELECT state, decided_by, decided_at FROM approvals WHERE id = ? AND decided_at IS NOT NULL';

const callOfApproval = `SELECT calls.name, calls.run_id, calls.outcome, calls.duration, turns.seen_seq
  FROM calls JOIN turns ON turns.id = calls.turn_id WHERE calls.id = ?`;

const newestSaid = `SELECT coalesce(edited_text, text) AS text FROM inbox
  WHERE conversation_id = ? AND seq <= ? AND kind IN ('message', 'event') AND kind = 'message'
    AND principal = ? AND is_person = 1 ORDER BY seq DESC LIMIT 1`;

const nameThere = 'SELECT name FROM participants WHERE conversation_id = ? AND principal = ?';

const grantsOfAll = `SELECT * FROM grants INDEXED BY page_grants
  WHERE created_at <= @now AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > @now) ORDER BY created_at DESC LIMIT @most`;
const grantsOfPerson = `SELECT * FROM grants INDEXED BY page_grants_of_person
  WHERE requester = @requester AND created_at <= @now AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > @now)
  ORDER BY created_at DESC LIMIT @most`;

const endingShape = { state: approvalStateIn, decidedBy: 'text?', decidedAt: 'integer' } as const;
const toEnding = columns(endingShape);

const toDecided: (row: Row) => DecidedApproval = columns({
  ...endingShape,
  id: 'text',
  callId: 'text?',
  conversationId: 'text',
  runsIn: 'text?',
  requester: 'text',
  requesterName: 'text',
  toolName: 'text',
  description: 'text',
  otherwise: optional(json<Partial<Record<Language, string>>>()),
  asked: optional(json<AskedCall>()),
  question: optional(json<AskedQuestion>()),
  extension: optional(json<JsonObject>()),
  runId: 'text?',
  createdAt: 'integer',
});

const toCall: (row: Row) => CallOfApproval = columns({
  name: 'text',
  runId: 'text',
  outcome: 'text?',
  duration: 'integer?',
  seenSeq: 'integer',
});

async function callsIn(sql: Sql, callIds: readonly string[]): Promise<ReadonlyMap<string, CallOfApproval>> {
  const calls = new Map<string, CallOfApproval>();
  for (const id of callIds) {
    const call = await sql.find(toCall, callOfApproval, id);
    if (call !== undefined) calls.set(id, call);
  }
  return calls;
}

async function nameIn(sql: Sql, principal: string, conversationIds: readonly string[]): Promise<string | undefined> {
  for (const id of conversationIds) {
    const [name] = await sql.texts(nameThere, id, principal);
    if (name !== undefined) return name;
  }
  return undefined;
}

async function revokeEach(grants: readonly Grant[], by: Origin, at: number, sql: Sql): Promise<number> {
  let count = 0;
  for (const { id, conversationId } of grants) count += await revokeGrants(sql, [id], { ...by, conversationId }, at);
  return count;
}
