import type { CallDraft, ClosingDraft, TurnDraft } from '../engine/journal.ts';
import type { CallResult, ClosingReason, ResultPicture, TurnPart } from '../transcript.ts';
import { columns, insertInto, integer, json, jsonOf, oneOf, optional, type Row, type Sql, text } from './sql.ts';

/** A model's turn, or a run's end without one. */
export type TurnRow = {
  readonly id: number;
  readonly runId: string;
  readonly principal: string;
  readonly seenSeq: number;
} & (
  | { readonly type: 'turn'; readonly parts: readonly TurnPart[] }
  | { readonly type: 'closing'; readonly reason: ClosingReason; readonly said: string }
);

export function addTurn(sql: Sql, draft: TurnDraft): number {
  const { cachedInputTokens: cachedTokens = 0, cost = 0 } = draft.usage;
  insert(sql, { ...draft, ...draft.usage, cachedTokens, cost, kind: 'turn', createdAt: draft.at });
  // RETURNING would make SQLite scan all calls for references to this turn.
  return newestTurnId(sql, draft.conversationId);
}

export function addClosing(sql: Sql, draft: Omit<ClosingDraft, 'after' | 'messages'>): void {
  const none = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, cost: 0 };
  insert(sql, { ...draft, ...none, kind: 'closing', parts: saidParts(draft.said), createdAt: draft.at });
}
const insert = insertInto(
  `turns (conversation_id, run_id, principal, seen_seq, created_at, kind, reason, parts, model, input_tokens, cached_tokens, output_tokens, cost)`,
);

export function saidParts(said: string | undefined): string {
  return JSON.stringify(said === undefined ? [] : [{ type: 'text', text: said }]);
}

/** The newest turns beyond an id, oldest first. */
export function newestTurns(sql: Sql, conversationId: string, beyond: number, limit: number): readonly TurnRow[] {
  const rows = sql.all(
    `SELECT id, run_id, principal, kind, reason, seen_seq, parts FROM turns
     WHERE conversation_id = ? AND id > ? ORDER BY id DESC LIMIT ?`,
    ...[conversationId, beyond, limit],
  );
  return rows.toReversed().map(toTurn);
}

export const newestTurnId = (sql: Sql, conversationId: string): number =>
  integer(sql.one('SELECT coalesce(max(id), 0) AS id FROM turns WHERE conversation_id = ?', conversationId), 'id');

export const turnsOfRun = (sql: Sql, conversationId: string, runId: string): number =>
  sql.count(
    `SELECT count(*) AS count FROM turns WHERE conversation_id = ? AND run_id = ? AND kind = 'turn'`,
    ...[conversationId, runId],
  );

const kindIn = oneOf('turn', 'closing');
const reasonIn = oneOf('stopped', 'failed', 'expired', 'limit', 'stuck', 'budget', 'completed');
const partsIn = json<readonly TurnPart[]>();
const saidIn = json<readonly { readonly text: string }[]>();

function toTurn(row: Row): TurnRow {
  const ofRun = { runId: text(row, 'run_id'), principal: text(row, 'principal') };
  const fields = { id: integer(row, 'id'), ...ofRun, seenSeq: integer(row, 'seen_seq') };
  const type = kindIn(row, 'kind');
  switch (type) {
    case 'turn':
      return { ...fields, type, parts: partsIn(row, 'parts') };
    case 'closing': {
      const said = saidIn(row, 'parts').map((part) => part.text);
      return { ...fields, type, said: said.join(''), reason: reasonIn(row, 'reason') };
    }
  }
}

export function hasCalls(turn: TurnRow): boolean {
  return turn.type === 'turn' && turn.parts.some((part) => part.type === 'call');
}

/** The turn of a call, and its position in it. */
type CallPlace = Omit<OpenCall, 'id' | 'name' | 'isDeferred'> & { readonly position: number };

/** Adds a call to the journal. Every later state change is a compare-and-set. */
export function addCall(sql: Sql, call: CallDraft, place: CallPlace, now: number): void {
  const at = (...states: readonly string[]) => (states.includes(call.state) ? now : undefined);
  const times = { readyAt: at('ready', 'begun'), begunAt: at('begun'), doneAt: at('done') };
  const { outcome, text: result } = call.result ?? {};
  insertCall(sql, { ...call, ...place, arguments: JSON.stringify(call.arguments), outcome, result, ...times });
}
const insertCall = insertInto(
  `calls (id, turn_id, position, conversation_id, run_id, principal, name, arguments, hash, category, changed_by, state, outcome, result, ready_at, begun_at, done_at)`,
);

/** The fields of a call that are needed to end it. */
export type OpenCall = ReturnType<typeof toOpenCall>;

const toOpenCall = columns({
  id: 'text',
  turnId: 'integer',
  name: 'text',
  conversationId: 'text',
  runId: 'text',
  principal: 'text',
  isDeferred: 'flag',
});

export const findCall = (sql: Sql, id: string): OpenCall | undefined =>
  sql.find(
    toOpenCall,
    'SELECT id, turn_id, name, conversation_id, run_id, principal, is_deferred FROM calls WHERE id = ?',
    id,
  );

/** Whether other calls of the same turn are open. */
export const hasOpenTwins = (sql: Sql, id: string): boolean =>
  sql.get(
    `SELECT 1 FROM calls WHERE turn_id = (SELECT turn_id FROM calls WHERE id = ?) AND id <> ? AND state <> 'done'`,
    ...[id, id],
  ) !== undefined;

/** The calls of the conversation that have not begun. */
export const cancellable = (sql: Sql, conversationId: string): readonly OpenCall[] =>
  sql
    .all(
      `SELECT id, turn_id, name, conversation_id, run_id, principal, is_deferred FROM calls WHERE conversation_id = ? AND state <> 'done' AND state IN ('ready', 'awaiting')`,
      conversationId,
    )
    .map(toOpenCall);

export const endCall = (sql: Sql, id: string, result: CallResult, duration: number, at: number): boolean =>
  sql.changed(
    `UPDATE calls SET state = 'done', outcome = ?, result = ?, pictures = ?, duration = ?, done_at = ? WHERE id = ? AND state IN ('ready', 'begun')`,
    ...[result.outcome, result.text, picturesColumn(result.pictures), duration, at, id],
  );

/** Ends a call that never began. */
export const endUnbegun = (sql: Sql, id: string, { outcome, text: words }: CallResult, at: number): boolean =>
  sql.changed(
    `UPDATE calls SET state = 'done', outcome = ?, result = ?, done_at = ? WHERE id = ? AND state IN ('awaiting', 'ready')`,
    ...[outcome, words, at, id],
  );

/** Makes a call wait for a person again. */
export const awaitCall = (sql: Sql, id: string): boolean =>
  sql.changed(`UPDATE calls SET state = 'awaiting' WHERE id = ? AND state IN ('ready', 'begun')`, id);

export const deferCall = (sql: Sql, id: string): number =>
  sql.run(`UPDATE calls SET is_deferred = 1 WHERE id = ? AND state = 'awaiting' AND is_deferred = 0`, id);

export const approvalStateIn = oneOf('pending', 'approved', 'denied', 'answered', 'expired', 'cancelled');

/** The column for pictures: their paths as JSON. */
export function picturesColumn(pictures: readonly ResultPicture[] = []): string | undefined {
  return jsonOf(pictures.length === 0 ? undefined : pictures.map(({ path }) => path));
}

/** The pictures of a row; undefined if none. */
export const picturesIn = optional((row, column): readonly ResultPicture[] => {
  const paths: unknown = JSON.parse(text(row, column));
  return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string').map((path) => ({ path })) : [];
});
