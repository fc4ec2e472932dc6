/* The runs of a database, for the operator: what began each, what the model did, what was asked and decided. Reads only. */

import type { JsonObject } from '../lib/json.ts';
import { columns, json, optional, type Row, type Sql } from './sql.ts';

/** A run in a list. Instants are ms since 1970, costs millionths. */
export interface ListedRun {
  readonly id: string;
  readonly conversationId: string;
  readonly principal: string;
  readonly beganAt: number;
  readonly lastAt: number;
  readonly turns: number;
  readonly calls: number;
  readonly tokens: number;
  readonly cost: number;
  readonly models: string;
  /** Why it ended without an answer; undefined if it has answered, or goes on. */
  readonly closing: string | undefined;
  readonly isOpen: boolean;
  /** It works for another run. */
  readonly isSubRun: boolean;
}

/** How many turns are looked at for the newest runs. */
const mostTurns = 5_000;

/** The newest runs, the latest first. `conversationId`: only those of this one and of its sub-runs. */
export async function newestRuns(sql: Sql, most: number, conversationId?: string): Promise<readonly ListedRun[]> {
  return conversationId === undefined
    ? await sql.list(toRun, newestOfAll, { most })
    : await sql.list(toRun, newestOfOne, { most, conversationId });
}

const runColumns = `turns.run_id AS id, turns.conversation_id, min(turns.principal) AS principal, min(turns.created_at) AS began_at,
  max(turns.created_at) AS last_at, sum(turns.kind = 'turn') AS turns,
  (SELECT count(*) FROM turns AS one JOIN calls ON calls.conversation_id = one.conversation_id AND calls.turn_id = one.id
    WHERE one.conversation_id = turns.conversation_id AND one.run_id = turns.run_id) AS calls,
  sum(turns.input_tokens + turns.output_tokens) AS tokens, sum(turns.cost) AS cost,
  coalesce(group_concat(DISTINCT turns.model), '') AS models, max(iif(turns.kind = 'closing', turns.reason, NULL)) AS closing,
  coalesce(conversations.is_open, 0) AND max(turns.id) = (SELECT max(id) FROM turns AS other WHERE other.conversation_id = turns.conversation_id)
    AS is_open,
  conversations.sub_run IS NOT NULL AS is_sub_run`;

/** Of these conversations, the turns are found by their index. */
const ofOne = `WHERE conversation_id IN (SELECT @conversationId UNION SELECT id FROM conversations WHERE root_id = @conversationId)`;

const newestFrom = `WITH newest AS (
    SELECT conversation_id, run_id, max(id) AS last FROM (SELECT id, conversation_id, run_id FROM turns`;
const newestTo = `ORDER BY id DESC LIMIT ${mostTurns})
    GROUP BY conversation_id, run_id ORDER BY last DESC LIMIT @most)
  SELECT ${runColumns} FROM newest JOIN turns ON turns.conversation_id = newest.conversation_id AND turns.run_id = newest.run_id
    LEFT JOIN conversations ON conversations.id = turns.conversation_id
  GROUP BY turns.conversation_id, turns.run_id ORDER BY newest.last DESC`;

const newestOfAll = `${newestFrom} ${newestTo}`;
const newestOfOne = `${newestFrom} ${ofOne} ${newestTo}`;

const toRun: (row: Row) => ListedRun = columns({
  id: 'text',
  conversationId: 'text',
  principal: 'text',
  beganAt: 'integer',
  lastAt: 'integer',
  turns: 'integer',
  calls: 'integer',
  tokens: 'integer',
  cost: 'integer',
  models: 'text',
  closing: 'text?',
  isOpen: 'flag',
  isSubRun: 'flag',
});

/** What came in. */
export interface StoryMessage {
  /** Of its row in the inbox. */
  readonly seq: number;
  readonly kind: 'message' | 'event';
  readonly at: number;
  readonly name: string;
  readonly principal: string;
  readonly text: string;
}

/** What the model said at once. */
export interface StoryTurn {
  readonly id: number;
  readonly at: number;
  readonly kind: string;
  readonly reason: string | undefined;
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
  /** What it said to people. */
  readonly text: string;
}

/** A call, and what became of it. */
export interface StoryCall {
  readonly id: string;
  readonly turnId: number;
  readonly name: string;
  readonly category: string | undefined;
  readonly arguments: JsonObject;
  readonly state: string;
  readonly outcome: string | undefined;
  /** In ms. */
  readonly duration: number | undefined;
  readonly doneAt: number | undefined;
  /** What the rules noted: `verdict`, and `why` and `grant` where nobody was asked. */
  readonly noted: JsonObject | undefined;
  readonly approval: StoryApproval | undefined;
}

export interface StoryApproval {
  readonly id: string;
  readonly state: string;
  readonly askedAt: number;
  /** Why it was asked for: half a sentence of markdown. */
  readonly reason: string | null;
  readonly decidedBy: string | null;
  readonly decidedAt: number | null;
}

export interface RunStory {
  readonly run: ListedRun;
  readonly messages: readonly StoryMessage[];
  readonly turns: readonly StoryTurn[];
  readonly calls: readonly StoryCall[];
}

const mostMessages = 50;
const mostSteps = 500;

/** The run with this id, or in which this call or approval is. Undefined if there is none. */
export async function findRun(sql: Sql, id: string): Promise<RunStory | undefined> {
  const place = await findPlace(sql, id);
  const run = place && (await listedRun(sql, place));
  if (place === undefined || run === undefined) return undefined;
  const { conversationId, runId } = place;
  return {
    run,
    messages: await messagesIn(sql, place),
    turns: await sql.list(toTurn, turnsOfRun, conversationId, runId, mostSteps),
    calls: await sql.list(toCall, callsOfRun, conversationId, runId, mostSteps),
  };
}

/** Where the run is that has this id, or in which this call or approval is. */
export async function findPlace(sql: Sql, id: string): Promise<RunPlace | undefined> {
  return (
    (await sql.find(toPlace, placeOfRun, { id })) ??
    (await sql.find(toPlace, placeOfCall, id, id)) ??
    (await sql.find(toPlace, placeOfOldRun, id))
  );
}

/** Where a run is. */
export interface RunPlace {
  readonly conversationId: string;
  readonly runId: string;
}

/** One run, as lists show it. */
export async function listedRun(sql: Sql, { conversationId, runId }: RunPlace): Promise<ListedRun | undefined> {
  return await sql.find(toRun, oneRun, conversationId, runId);
}

/** What came in for a run, the oldest first; the newest of it if it is much. */
export async function messagesIn(sql: Sql, { conversationId, runId }: RunPlace): Promise<readonly StoryMessage[]> {
  return (await sql.list(toMessage, messagesOfRun, { conversationId, runId, most: mostMessages })).toReversed();
}

/** A run is called after the sequence of what began it. */
const placeOfRun = `SELECT conversation_id, run_id FROM turns WHERE run_id = @id
    AND conversation_id = (SELECT conversation_id FROM inbox WHERE @id GLOB 'run[1-9]*' AND seq = CAST(substr(@id, 4) AS INTEGER))
  ORDER BY id DESC LIMIT 1`;
/** What began it is there no longer: one look in each conversation. */
const placeOfOldRun = `WITH RECURSIVE places (id) AS (SELECT min(conversation_id) FROM turns
    UNION ALL SELECT (SELECT min(conversation_id) FROM turns WHERE conversation_id > places.id) FROM places WHERE places.id IS NOT NULL)
  SELECT turns.conversation_id, turns.run_id FROM places JOIN turns ON turns.conversation_id = places.id AND turns.run_id = ?
  ORDER BY turns.id DESC LIMIT 1`;
const placeOfCall = `SELECT conversation_id, run_id FROM calls
  WHERE id = ? OR id = (SELECT call_id FROM approvals WHERE id = ?) LIMIT 1`;
const toPlace = columns({ conversationId: 'text', runId: 'text' });

const oneRun = `SELECT ${runColumns} FROM turns LEFT JOIN conversations ON conversations.id = turns.conversation_id
  WHERE turns.conversation_id = ? AND turns.run_id = ? GROUP BY turns.conversation_id, turns.run_id`;

/** What came in after all that the turn before it had seen, up to what it has seen itself. */
const messagesOfRun = `SELECT seq, kind, received_at AS at, name, principal, coalesce(edited_text, text) AS text FROM inbox
  WHERE conversation_id = @conversationId AND kind IN ('message', 'event')
    AND seq <= (SELECT max(seen_seq) FROM turns WHERE conversation_id = @conversationId AND run_id = @runId)
    AND seq > coalesce((SELECT seen_seq FROM turns WHERE conversation_id = @conversationId
      AND id < (SELECT min(id) FROM turns WHERE conversation_id = @conversationId AND run_id = @runId) ORDER BY id DESC LIMIT 1), 0)
  ORDER BY seq DESC LIMIT @most`;

const toMessage: (row: Row) => StoryMessage = columns({
  seq: 'integer',
  kind: (row) => (row.kind === 'event' ? 'event' : 'message'),
  at: 'integer',
  name: 'text',
  principal: 'text',
  text: 'text',
});

const turnsOfRun = `SELECT id, created_at AS at, kind, reason, model, input_tokens, cached_tokens, output_tokens, cost,
    coalesce((SELECT group_concat(value ->> 'text', '') FROM json_each(parts) WHERE value ->> 'type' = 'text'), '') AS text
  FROM turns WHERE conversation_id = ? AND run_id = ? ORDER BY id LIMIT ?`;

const toTurn: (row: Row) => StoryTurn = columns({
  id: 'integer',
  at: 'integer',
  kind: 'text',
  reason: 'text?',
  model: 'text?',
  inputTokens: 'integer',
  cachedTokens: 'integer',
  outputTokens: 'integer',
  cost: 'integer',
  text: 'text',
});

const callsOfRun = `SELECT calls.id, turn_id, name, category, arguments, calls.state, outcome, duration, done_at,
    (SELECT detail FROM audit WHERE audit.call_id = calls.id
      AND kind IN ('call-proposed', 'approval-decided') AND kind = 'call-proposed') AS noted,
    (SELECT json_object('id', id, 'state', state, 'askedAt', created_at, 'reason', asked ->> '$.reason', 'decidedBy', decided_by,
      'decidedAt', decided_at) FROM approvals WHERE approvals.id = calls.approval_id) AS approval
  FROM calls WHERE conversation_id = ? AND run_id = ? ORDER BY turn_id, position LIMIT ?`;

const toCall: (row: Row) => StoryCall = columns({
  id: 'text',
  turnId: 'integer',
  name: 'text',
  category: 'text?',
  arguments: json<JsonObject>(),
  state: 'text',
  outcome: 'text?',
  duration: 'integer?',
  doneAt: 'integer?',
  noted: optional(json<JsonObject>()),
  approval: optional(json<StoryApproval>()),
});
