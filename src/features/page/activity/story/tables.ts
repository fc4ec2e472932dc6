/* What is known of one run besides its story: what calls answered, who let them, what they began, and what was sent. */

import type { ApprovalState } from '../../../../approval/approval.ts';
import type { SubRun } from '../../../../engine/journal.ts';
import type { Transactions } from '../../../../store/database.ts';
import { findRun, type RunPlace, type RunStory } from '../../../../store/run-story.ts';
import { columns, json, oneOf, optional, type Row, type Sql, texts } from '../../../../store/sql.ts';

/** The rest of a call. */
export interface CallDetail {
  readonly id: string;
  readonly result: string | undefined;
  /** Of the whole result, in characters. */
  readonly resultLength: number;
  readonly changedBy: string | undefined;
  readonly begunAt: number | undefined;
  readonly approvalId: string | undefined;
  readonly isQuestion: boolean;
  readonly approvalState: ApprovalState | undefined;
  readonly reason: string | undefined;
  readonly because: readonly string[] | undefined;
  readonly readBefore: readonly string[] | undefined;
  readonly askedAt: number | undefined;
  readonly decidedBy: string | undefined;
  readonly decidedAt: number | undefined;
  /** What gave the work to others found the run by this sequence. */
  readonly subRunSeq: number | undefined;
  readonly subRunIn: string | undefined;
}

export interface GrantRow {
  readonly id: string;
  readonly kind: string;
  readonly isRule: boolean;
  readonly grantedBy: string;
  readonly createdAt: number;
}

export interface SentRow {
  readonly id: string;
  readonly kind: 'reply' | 'for_user' | 'card' | 'notice' | 'status';
  readonly conversationId: string;
  readonly at: number;
  readonly state: 'streaming' | 'queued' | 'delivered' | 'failed' | 'abandoned';
  readonly isRetried: boolean;
  readonly deliveredAt: number | undefined;
  readonly failure: string | undefined;
  readonly markdown: string;
}

/** The time in which something was sent. */
export interface SentWithin {
  readonly conversationId: string;
  readonly from: number;
  readonly to: number;
}

/** A run with all that is known of it, as of one moment. */
export interface WholeStory extends RunStory {
  readonly details: readonly CallDetail[];
  /** Permissions that let its calls run. */
  readonly grants: readonly GrantRow[];
  /** Whether what is private was read in its conversation until now. */
  readonly isPrivate: boolean;
  /** The call that gave it its work. */
  readonly parent: { readonly runId: string; readonly callId: string } | undefined;
}

/** Reads only. */
export interface StoryStore {
  /** Undefined: there is none. */
  story(place: RunPlace): Promise<WholeStory | undefined>;
  /** What a call of this run has answered. */
  resultOf(runId: string, callId: string): Promise<string | undefined>;
  /** Messages of a conversation, and cards of these approvals wherever they are. The oldest first. */
  sent(within: SentWithin, approvalIds: readonly string[]): Promise<readonly SentRow[]>;
}

/** So much of a result is told at once, in characters. */
export const longestResult = 8_000;

/** So much of a message that was sent. */
export const longestSent = 8_000;
/** What is hidden is looked for behind the end, too. */
const mostOfSent = 10_000;

export function createStoryStore(database: Pick<Transactions, 'sql' | 'read'>): StoryStore {
  const { sql } = database;
  return {
    story: (place) => database.read((sql) => wholeStory(sql, place)),
    resultOf: async (runId, callId) => (await sql.find(toResult, wholeResult, callId, runId))?.result,
    sent: (within, approvalIds) => database.read((sql) => sent(sql, within, approvalIds)),
  };
}

async function wholeStory(sql: Sql, { conversationId, runId }: RunPlace): Promise<WholeStory | undefined> {
  const story = await findRun(sql, runId);
  if (story === undefined) return undefined;
  const grantIds = story.calls.flatMap(({ noted }) => (typeof noted?.grant === 'string' ? noted.grant : []));
  const conversation = await sql.find(toConversation, oneConversation, conversationId);
  return {
    ...story,
    details: await sql.list(toDetail, detailsOfRun, conversationId, runId),
    grants: await grantsOf(sql, new Set(grantIds)),
    isPrivate: conversation?.isPrivate ?? true,
    parent: await parentOf(sql, conversation?.subRun),
  };
}

async function grantsOf(sql: Sql, ids: ReadonlySet<string>): Promise<readonly GrantRow[]> {
  const grants: GrantRow[] = [];
  for (const id of ids) {
    const grant = await sql.find(toGrant, oneGrant, id);
    if (grant !== undefined) grants.push(grant);
  }
  return grants;
}

async function parentOf(sql: Sql, subRun: SubRun | undefined): Promise<WholeStory['parent']> {
  const above = subRun && (await sql.find(toRunId, runOfCall, subRun.callId));
  return subRun && above && { runId: above.runId, callId: subRun.callId };
}

const detailsOfRun = `SELECT calls.id, substr(calls.result, 1, ${longestResult}) AS result, coalesce(length(calls.result), 0) AS result_length,
    calls.changed_by, calls.begun_at, calls.approval_id, approvals.question IS NOT NULL AS is_question, approvals.state AS approval_state,
    approvals.asked ->> '$.reason' AS reason, approvals.asked -> '$.because' AS because, approvals.asked -> '$.readBefore' AS read_before,
    approvals.created_at AS asked_at, approvals.decided_by, approvals.decided_at, below.seq AS sub_run_seq, below.conversation_id AS sub_run_in
  FROM turns JOIN calls ON calls.conversation_id = turns.conversation_id AND calls.turn_id = turns.id
    LEFT JOIN approvals ON approvals.id = calls.approval_id LEFT JOIN inbox AS below ON below.key = 'sub-run:' || calls.id
  WHERE turns.conversation_id = ? AND turns.run_id = ? ORDER BY calls.turn_id, calls.position LIMIT 500`;
const toDetail: (row: Row) => CallDetail = columns({
  id: 'text',
  result: 'text?',
  resultLength: 'integer',
  changedBy: 'text?',
  begunAt: 'integer?',
  approvalId: 'text?',
  isQuestion: 'flag',
  approvalState: optional(oneOf('pending', 'approved', 'denied', 'answered', 'expired', 'cancelled')),
  reason: 'text?',
  because: optional(texts),
  readBefore: optional(texts),
  askedAt: 'integer?',
  decidedBy: 'text?',
  decidedAt: 'integer?',
  subRunSeq: 'integer?',
  subRunIn: 'text?',
});

const wholeResult = 'SELECT result FROM calls WHERE id = ? AND run_id = ?';
const toResult = columns({ result: 'text?' });
const oneGrant = 'SELECT id, kind, rule IS NOT NULL AS is_rule, granted_by, created_at FROM grants WHERE id = ?';
const toGrant: (row: Row) => GrantRow = columns({
  id: 'text',
  kind: 'text',
  isRule: 'flag',
  grantedBy: 'text',
  createdAt: 'integer',
});
const oneConversation = 'SELECT private AS is_private, sub_run FROM conversations WHERE id = ?';
const toConversation = columns({ isPrivate: 'flag', subRun: optional(json<SubRun>()) });
const runOfCall = 'SELECT run_id FROM calls WHERE id = ?';
const toRunId = columns({ runId: 'text' });

const sentColumns = `id, seq, kind, conversation_id, created_at AS at, state, failing_since IS NOT NULL AS is_retried, delivered_at, failure,
  substr(markdown, 1, ${mostOfSent}) AS markdown`;
/** From the first of that time on. */
const sentThen = `SELECT ${sentColumns} FROM (SELECT * FROM outbox WHERE seq >= @first ORDER BY seq LIMIT @window)
  WHERE conversation_id = @conversationId AND created_at <= @to AND private_to IS NULL AND kind IN ('reply', 'for_user', 'card') ORDER BY seq`;
const sentFor = `SELECT ${sentColumns} FROM outbox WHERE approval_id IN (SELECT value FROM json_each(?)) AND kind = 'card' ORDER BY seq LIMIT 100`;
const toSent: (row: Row) => SentRow & { readonly seq: number } = columns({
  id: 'text',
  seq: 'integer',
  kind: oneOf('reply', 'for_user', 'card', 'notice', 'status'),
  conversationId: 'text',
  at: 'integer',
  state: oneOf('streaming', 'queued', 'delivered', 'failed', 'abandoned'),
  isRetried: 'flag',
  deliveredAt: 'integer?',
  failure: 'text?',
  markdown: 'text',
});

/** So many messages of all conversations are looked through. */
const window = 2_000;

async function sent(
  sql: Sql,
  { conversationId, from, to }: SentWithin,
  approvalIds: readonly string[],
): Promise<readonly SentRow[]> {
  const first = await firstSince(sql, from);
  const then = await sql.list(toSent, sentThen, { first, window, conversationId, to });
  const cards = approvalIds.length === 0 ? [] : await sql.list(toSent, sentFor, JSON.stringify(approvalIds));
  const all = new Map([...then, ...cards].map((row) => [row.seq, row]));
  return [...all.values()].toSorted((one, other) => one.seq - other.seq);
}

const newestSent = 'SELECT seq, created_at AS at FROM outbox WHERE seq = (SELECT max(seq) FROM outbox)';
const nextSent = 'SELECT seq, created_at AS at FROM outbox WHERE seq >= ? ORDER BY seq LIMIT 1';
const toInstant = columns({ seq: 'integer', at: 'integer' });

/** The first message since then, found by halves: they are numbered in the order of time, but for clocks that went back. */
async function firstSince(sql: Sql, from: number): Promise<number> {
  let [low, high] = [0, (await sql.find(toInstant, newestSent))?.seq ?? 0];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = await sql.find(toInstant, nextSent, middle);
    if (found === undefined || found.at < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
