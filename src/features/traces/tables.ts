/* What the core has stored of what was said in runs and calls, read for their spans. */

import type { JsonObject, JsonValue } from '../../lib/json.ts';
import { messagesIn, type StoryMessage } from '../../store/run-story.ts';
import { columns, json, type Row, type Sql } from '../../store/sql.ts';

/** A run, and its conversation. */
export interface RunPlace {
  readonly conversationId: string;
  readonly runId: string;
}

/** What one answer of the model says. */
export interface SaidTurn {
  readonly id: number;
  /** As they are stored: texts, thoughts and calls. */
  readonly parts: readonly JsonObject[];
  /** Why it looks complete but is not: `cut` or `withheld`. */
  readonly ending: string | undefined;
}

/** What a call was given, and what it has answered, if it has. */
export interface SaidCall {
  readonly arguments: JsonValue;
  readonly result: string | undefined;
}

/** What came in for the run, the oldest first. */
export async function messagesFor(sql: Sql, place: RunPlace): Promise<readonly StoryMessage[]> {
  return await messagesIn(sql, place);
}

/** The last answer of the run. */
export async function lastTurn(sql: Sql, { conversationId, runId }: RunPlace): Promise<SaidTurn | undefined> {
  return await sql.find(toTurn, newestTurn, conversationId, runId);
}

/** Tells which answer is meant: the first one that was stored after this one, not before `at`, and that used as much. */
export interface TurnSought extends RunPlace {
  readonly after: number;
  readonly at: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The answer to one request of the run; undefined if it was not kept. */
export async function turnOf(sql: Sql, sought: TurnSought): Promise<SaidTurn | undefined> {
  const { conversationId, runId, after, at, inputTokens, outputTokens } = sought;
  return await sql.find(toTurn, nextTurn, conversationId, runId, after, at, inputTokens, outputTokens);
}

export async function saidInCall(sql: Sql, callId: string): Promise<SaidCall | undefined> {
  return await sql.find(toCall, oneCall, callId);
}

const newestTurn = `SELECT id, parts, reason AS ending FROM turns
  WHERE conversation_id = ? AND run_id = ? AND kind = 'turn' ORDER BY id DESC LIMIT 1`;
const nextTurn = `SELECT id, parts, reason AS ending FROM turns
  WHERE conversation_id = ? AND run_id = ? AND kind = 'turn' AND id > ? AND created_at >= ? AND input_tokens = ? AND output_tokens = ?
  ORDER BY id LIMIT 1`;

const toTurn: (row: Row) => SaidTurn = columns({
  id: 'integer',
  parts: json<readonly JsonObject[]>(),
  ending: 'text?',
});

const oneCall = 'SELECT arguments, result FROM calls WHERE id = ?';
const toCall: (row: Row) => SaidCall = columns({ arguments: json<JsonValue>(), result: 'text?' });
