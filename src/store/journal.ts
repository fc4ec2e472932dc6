/** The journal of runs: the turns of models with their calls, and the tries in progress. */
import {
  type AskDraft,
  type AttemptStore,
  type CallDraft,
  type ClosingDraft,
  spentOf,
  type TurnDraft,
} from '../engine/journal.ts';
import type { ModelWait, ModelWaitStore } from '../engine/model-wait-store.ts';
import type { AnswerEnding, CallResult, ClosingReason, ResultPicture, TurnPart } from '../transcript.ts';
import { endingInText } from '../words/answer-ending.ts';
import type { Database } from './database.ts';
import { newestUnanswered } from './lifetime.ts';
import * as outbox from './outbox.ts';
import { nextNumber } from './row-numbers.ts';
import { spend, toSpending } from './spending.ts';
import { columns, type Eventual, insertInto, json, oneOf, optional, type Row, type Sql, text } from './sql.ts';
import type { Telling } from './told.ts';

interface TurnFields {
  readonly id: number;
  readonly runId: string;
  readonly principal: string;
  readonly seenSeq: number;
}

/** A model's turn, or a run's end without one. */
export type TurnRow = TurnFields &
  (
    | { readonly type: 'turn'; readonly parts: readonly TurnPart[]; readonly ending?: AnswerEnding | undefined }
    | { readonly type: 'closing'; readonly reason: ClosingReason; readonly said: string }
  );

export async function addTurn(sql: Sql, draft: TurnDraft): Promise<void> {
  const { cachedInputTokens: cachedTokens = 0, cost = 0 } = draft.usage;
  await insert(sql, {
    ...draft,
    ...draft.usage,
    cachedTokens,
    cost,
    kind: 'turn',
    reason: draft.ending,
    createdAt: draft.at,
  });
}

export async function addClosing(sql: Sql, draft: Omit<ClosingDraft, 'after' | 'messages'>): Promise<void> {
  const none = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, cost: 0 };
  await insert(sql, { ...draft, ...none, kind: 'closing', parts: saidParts(draft.said), createdAt: draft.at });
}
const insert = insertInto(
  `turns (conversation_id, run_id, principal, seen_seq, created_at, kind, reason, parts, model, input_tokens, cached_tokens, output_tokens, cost)`,
  nextNumber.turns,
);

export function saidParts(said: string | undefined): readonly TurnPart[] {
  return said === undefined ? [] : [{ type: 'text', text: said }];
}

const turnsBeyond = `SELECT id, run_id, principal, kind, reason, seen_seq, parts FROM turns
  WHERE conversation_id = ? AND id > ? ORDER BY id DESC LIMIT ?`;

/** The newest turns beyond an id, oldest first. */
export async function newestTurns(
  sql: Sql,
  conversationId: string,
  beyond: number,
  limit: number,
): Promise<readonly TurnRow[]> {
  return (await sql.list(toTurn, turnsBeyond, conversationId, beyond, limit)).toReversed();
}

/** The same, back to the one that `goesOn` refuses; it gets the id of a turn's run, and the size of the turn in characters. */
export async function turnsWhile(
  sql: Sql,
  conversationId: string,
  beyond: number,
  goesOn: (runId: string, size: number) => boolean,
): Promise<readonly TurnRow[]> {
  const fits = (row: Row): boolean => goesOn(text(row, 'run_id'), text(row, 'parts').length);
  return (await sql.takeWhile(fits, turnsBeyond, conversationId, beyond, -1)).map(toTurn).toReversed();
}

export const newestTurnId = (sql: Sql, conversationId: string): Eventual<number> =>
  sql.number('SELECT coalesce(max(id), 0) FROM turns WHERE conversation_id = ?', conversationId);

const kindIn = oneOf('turn', 'closing');
const reasonIn = oneOf('stopped', 'failed', 'expired', 'limit', 'stuck', 'budget', 'completed');
const partsIn = json<readonly TurnPart[]>();
const saidIn = json<readonly { readonly text: string }[]>();

const fieldsOf: (row: Row) => TurnFields = columns({
  id: 'integer',
  runId: 'text',
  principal: 'text',
  seenSeq: 'integer',
});

function toTurn(row: Row): TurnRow {
  const [fields, type] = [fieldsOf(row), kindIn(row, 'kind')];
  switch (type) {
    case 'turn':
      return { ...fields, type, ...endingIn(partsIn(row, 'parts'), row) };
    case 'closing': {
      const said = saidIn(row, 'parts').map((part) => part.text);
      return { ...fields, type, said: said.join(''), reason: reasonIn(row, 'reason') };
    }
  }
}

/** A row of an earlier version has its ending in the text. */
function endingIn(parts: readonly TurnPart[], row: Row) {
  const ending = optionalEnding(row, 'reason');
  return ending === undefined ? (endingInText(parts) ?? { parts }) : { parts, ending };
}

const optionalEnding = optional(oneOf('cut', 'withheld'));

export function hasCalls(turn: TurnRow): boolean {
  return turn.type === 'turn' && turn.parts.some((part) => part.type === 'call');
}

/** The turn of a call, and its position in it. */
type CallPlace = Omit<OpenCall, 'id' | 'name' | 'isDeferred' | 'approvalId'> & { readonly position: number };

/** Adds a call to the journal. Every later state change is a compare-and-set. */
export async function addCall(sql: Sql, call: CallDraft, place: CallPlace, now: number): Promise<void> {
  const at = (...states: readonly string[]) => (states.includes(call.state) ? now : undefined);
  const times = { readyAt: at('ready', 'begun'), begunAt: at('begun'), doneAt: at('done') };
  const { outcome, text: result } = call.result ?? {};
  await insertCall(sql, { ...call, ...place, arguments: argumentsColumn(call), outcome, result, ...times });
}

/** The column for arguments, as the audit's digest covers it. */
export const argumentsColumn = (call: Pick<CallDraft, 'arguments'>): string => JSON.stringify(call.arguments);

const insertCall = insertInto(
  `calls (id, turn_id, position, conversation_id, run_id, principal, name, arguments, hash, category, changed_by, state, outcome, result, ready_at, begun_at, done_at)`,
);

/** The fields of a call that are needed to end it. */
export interface OpenCall {
  readonly id: string;
  readonly turnId: number;
  readonly name: string;
  readonly conversationId: string;
  readonly runId: string;
  readonly principal: string;
  readonly isDeferred: boolean;
  readonly approvalId: string | undefined;
}

const toOpenCall: (row: Row) => OpenCall = columns({
  id: 'text',
  turnId: 'integer',
  name: 'text',
  conversationId: 'text',
  runId: 'text',
  principal: 'text',
  isDeferred: 'flag',
  approvalId: 'text?',
});

const openCall = 'id, turn_id, name, conversation_id, run_id, principal, is_deferred, approval_id';
const callOfId = `SELECT ${openCall} FROM calls WHERE id = ?`;
const unbegunCalls = `SELECT ${openCall} FROM calls WHERE conversation_id = ? AND state <> 'done' AND state IN ('ready', 'awaiting')`;
const begin = `UPDATE calls SET state = 'begun', begun_at = ? WHERE id = ? AND state = 'ready' RETURNING ${openCall}`;
const end = `UPDATE calls SET state = 'done', outcome = ?, result = ?, pictures = ?, duration = ?, done_at = ?
  WHERE id = ? AND state IN ('ready', 'begun') RETURNING ${openCall}`;
const endBefore = `UPDATE calls SET state = 'done', outcome = ?, result = ?, done_at = ?
  WHERE id = ? AND state IN ('awaiting', 'ready') RETURNING ${openCall}`;

export const findCall = (sql: Sql, id: string) => sql.find(toOpenCall, callOfId, id);

/** The calls of the conversation that have not begun. */
export const cancellable = (sql: Sql, conversationId: string): Eventual<readonly OpenCall[]> =>
  sql.list(toOpenCall, unbegunCalls, conversationId);

/** Begins a ready call. Undefined if it is not ready. */
export const beginCall = (sql: Sql, id: string, at: number) => sql.find(toOpenCall, begin, at, id);

/** Ends a ready or begun call. Undefined if it is none. */
export const endCall = (
  sql: Sql,
  id: string,
  { outcome, text: words, pictures }: CallResult,
  took: number,
  at: number,
) => sql.find(toOpenCall, end, outcome, words, picturesColumn(pictures), took, at, id);

/** Ends a call that never began. Undefined if it has begun. */
export const endUnbegun = (sql: Sql, id: string, { outcome, text: words }: CallResult, at: number) =>
  sql.find(toOpenCall, endBefore, outcome, words, at, id);

/** Makes a call wait for a person again. */
export const awaitCall = (sql: Sql, id: string): Eventual<boolean> =>
  sql.changed(`UPDATE calls SET state = 'awaiting' WHERE id = ? AND state IN ('ready', 'begun')`, id);

export const deferCall = (sql: Sql, id: string): Eventual<number> =>
  sql.run(`UPDATE calls SET is_deferred = 1 WHERE id = ? AND state = 'awaiting' AND is_deferred = 0`, id);

export const approvalStateIn = oneOf('pending', 'approved', 'denied', 'answered', 'expired', 'cancelled');

/** The column for pictures: their paths. */
export function picturesColumn(pictures: readonly ResultPicture[] = []): readonly string[] | undefined {
  return pictures.length === 0 ? undefined : pictures.map(({ path }) => path);
}

/** The pictures of a row; undefined if none. */
export const picturesIn = optional((row, column): readonly ResultPicture[] => {
  const paths: unknown = JSON.parse(text(row, column));
  return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string').map((path) => ({ path })) : [];
});

/** Runs and model requests in progress. The transaction that ends one deletes its row. */
export function createAttemptStore(database: Database): AttemptStore & ModelWaitStore {
  const { sql } = database;
  const endIfOpen = async (kind: 'run' | 'ask', conversationId: string): Promise<void> => {
    if (await isOpen(sql, kind, conversationId))
      await database.write((sql) => endAttempts(sql, conversationId, kind), 'relaxed');
  };
  return {
    beginWork: async (key, at) => {
      if (await isOpen(sql, 'run', key)) return;
      await database.write((sql) => insertRun(sql, { kind: 'run', key, number: 1, begunAt: at }), 'relaxed');
    },
    endWork: (conversationId) => endIfOpen('run', conversationId),
    beginAsk: (draft) =>
      database.writeNow(async (sql) => {
        await storeAsk(sql, draft);
        if (draft.runId !== undefined) sql.told.tell(asking(draft, draft.runId));
      }),
    tellAsk(draft) {
      if (draft.runId !== undefined) sql.told.tellNow(asking(draft, draft.runId));
    },
    noteAsk: (draft, isOpen) =>
      database.write(async (sql) => (isOpen() ? await storeAsk(sql, draft) : undefined), 'relaxed'),
    endAsk: (conversationId) => endIfOpen('ask', conversationId),
    /** Relaxed: after a power failure, the model is asked again at once. */
    waitForModel: ({ conversationId: key, at, after, messages, ...wait }) =>
      database.write(async (sql) => {
        if ((await newestTurnId(sql, key)) !== after) return 'outdated';
        await insertWait(sql, { ...wait, kind: 'wait', key, begunAt: at, afterTurn: after });
        await outbox.addAll(sql, messages, at);
        return 'stored';
      }, 'relaxed'),
    hasAnswered: async (model, since) =>
      sql.has('SELECT 1 FROM spending WHERE day >= ? AND model = ? LIMIT 1', since, model),
    modelWaits: async () => {
      const waits = `SELECT key AS conversation_id, retry_at FROM attempts WHERE kind = 'wait'`;
      return await sql.list(toModelWait, waits);
    },
    recover: () =>
      database.write(async (sql) => {
        const asks = await sql.all(`DELETE FROM attempts WHERE kind = 'ask' RETURNING *`);
        for (const row of asks) await spend(sql, toSpending(row));
        await sql.run(
          `DELETE FROM attempts WHERE kind = 'run' AND key NOT IN (SELECT id FROM conversations WHERE is_open = 1)`,
        );
        await sql.run(`UPDATE attempts SET begun_at = NULL WHERE kind = 'run'`);
        // Least-tried first.
        const left = `SELECT key AS conversation_id, number FROM attempts WHERE kind = 'run' ORDER BY number, key`;
        return await sql.list(toLeftRun, left);
      }, 'relaxed'),
    leave: () =>
      database.write(async (sql) => {
        await sql.run(
          `UPDATE attempts SET number = number - 1, begun_at = NULL WHERE kind = 'run' AND begun_at IS NOT NULL`,
        );
        await sql.run(`DELETE FROM attempts WHERE kind = 'run' AND number <= 0`);
      }, 'relaxed'),
    unanswered: () => database.read(async (sql) => newestUnanswered(sql)),
  };
}

async function storeAsk(
  sql: Sql,
  { conversationId: key, usage, at, begins: _begins, ...ask }: AskDraft,
): Promise<void> {
  await insertAsk(sql, { ...ask, ...spentOf(usage), kind: 'ask', key, number: 1, begunAt: at });
}

function asking({ conversationId, principal, begins, at }: AskDraft, runId: string): Telling {
  return { type: 'model_asking', conversationId, runId, principal, begins, at };
}

/** Increments the number if a process was killed in the last try. */
const insertRun = insertInto(`attempts (kind, key, number, begun_at)
  ON CONFLICT DO UPDATE SET number = number + 1, begun_at = excluded.begun_at WHERE begun_at IS NULL`);
const insertAsk = insertInto(`attempts (kind, key, number, begun_at, run_id, principal, model, day, tokens, cost)
  ON CONFLICT DO UPDATE SET number = number + 1, begun_at = excluded.begun_at, run_id = excluded.run_id,
     principal = excluded.principal, model = excluded.model, day = excluded.day, tokens = excluded.tokens, cost = excluded.cost`);
const insertWait = insertInto(`attempts (kind, key, number, begun_at, run_id, principal, after_turn, retry_at, until)
  ON CONFLICT DO UPDATE SET number = excluded.number, begun_at = excluded.begun_at, run_id = excluded.run_id,
     principal = excluded.principal, after_turn = excluded.after_turn, retry_at = excluded.retry_at, until = excluded.until`);

const toModelWait = columns({ conversationId: 'text', retryAt: 'integer' });
const toLeftRun = columns({ conversationId: 'text', number: 'integer' });

async function isOpen(sql: Sql, kind: 'run' | 'ask', conversationId: string): Promise<boolean> {
  return await sql.has(
    'SELECT 1 FROM attempts WHERE kind = ? AND key = ? AND begun_at IS NOT NULL',
    kind,
    conversationId,
  );
}

/** What has begun in a conversation. */
type Attempt = 'run' | 'ask' | 'wait';

/** Ends up to three kinds of attempts with one statement. */
export async function endAttempts(
  sql: Sql,
  conversationId: string,
  ...kinds: readonly [Attempt, ...Attempt[]]
): Promise<void> {
  const [one, other = one, third = one] = kinds;
  await sql.run('DELETE FROM attempts WHERE kind IN (?, ?, ?) AND key = ?', one, other, third, conversationId);
}

/** Marks a run as starting, unless an earlier one failed there: the retry of that one marks it. */
export const expectRun = (sql: Sql, conversationId: string, at: number): Eventual<number> =>
  sql.run(
    `INSERT INTO attempts (kind, key, number, begun_at) VALUES ('run', ?, 1, ?) ON CONFLICT DO NOTHING`,
    ...[conversationId, at],
  );

/** The run made progress: reset the count of tries. */
export const cameOn = (sql: Sql, conversationId: string): Eventual<number> =>
  sql.run(`UPDATE attempts SET number = 0 WHERE kind = 'run' AND key = ?`, conversationId);

/** The run's wait after this turn. Any other turn ends it. */
export const waitAfter = (sql: Sql, conversationId: string, turn: number): Eventual<ModelWait | undefined> =>
  sql.find(
    toWait,
    `SELECT number, begun_at AS at, retry_at, until FROM attempts WHERE kind = 'wait' AND key = ? AND after_turn = ?`,
    ...[conversationId, turn],
  );
const toWait = columns({ number: 'integer', at: 'integer', retryAt: 'integer', until: 'integer' });
