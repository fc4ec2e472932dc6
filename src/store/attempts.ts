import {
  type AttemptStore,
  type ModelWait,
  type ModelWaitStore,
  type SpendingDraft,
  type Spent,
  spentOf,
} from '../engine/journal.ts';
import type { SpendingEntry, SpendingStore } from '../runs/run-budget.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';
import * as outbox from './outbox.ts';
import { columns, insertInto, integer, type Row, type Sql, text } from './sql.ts';
import { findCall, newestTurnId } from './turns.ts';

/** Runs and model requests in progress. The transaction that ends one deletes its row. */
export function createAttemptStore(database: Database): AttemptStore & ModelWaitStore {
  const { sql } = database;
  const endIfOpen = async (kind: 'run' | 'ask', conversationId: string): Promise<void> => {
    if (isOpen(sql, kind, conversationId)) await database.write(() => end(sql, conversationId, kind), 'relaxed');
  };
  return {
    beginRun: async (key, at) => {
      if (isOpen(sql, 'run', key)) return;
      await database.write(() => insertRun(sql, { kind: 'run', key, number: 1, begunAt: at }), 'relaxed');
    },
    endRun: (conversationId) => endIfOpen('run', conversationId),
    beginAsk: ({ conversationId: key, usage, at, ...ask }) =>
      database.writeNow(() => {
        insertAsk(sql, { ...ask, ...spentOf(usage), kind: 'ask', key, number: 1, begunAt: at });
      }),
    endAsk: (conversationId) => endIfOpen('ask', conversationId),
    /** Relaxed: after a power failure, the model is asked again at once. */
    waitForModel: ({ conversationId: key, at, after, messages, ...wait }) =>
      database.write(() => {
        if (newestTurnId(sql, key) !== after) return 'outdated';
        insertWait(sql, { ...wait, kind: 'wait', key, begunAt: at, afterTurn: after });
        outbox.addAll(sql, messages, at);
        return 'stored';
      }, 'relaxed'),
    modelWaits: async () => {
      const waits = `SELECT key AS conversation_id, retry_at FROM attempts WHERE kind = 'wait'`;
      return sql.all(waits).map(toModelWait);
    },
    recover: () =>
      database.write(() => {
        const asks = sql.all(`DELETE FROM attempts WHERE kind = 'ask' RETURNING *`);
        for (const row of asks) spend(sql, toSpending(row));
        sql.run(
          `DELETE FROM attempts WHERE kind = 'run' AND key NOT IN (SELECT id FROM conversations WHERE is_open = 1)`,
        );
        sql.run(`UPDATE attempts SET begun_at = NULL WHERE kind = 'run'`);
        // Least-tried first.
        const left = `SELECT key AS conversation_id, number FROM attempts WHERE kind = 'run' ORDER BY number, key`;
        return sql.all(left).map(toLeftRun);
      }, 'relaxed'),
    leave: () =>
      database.write(() => {
        sql.run(`UPDATE attempts SET number = number - 1, begun_at = NULL WHERE kind = 'run' AND begun_at IS NOT NULL`);
        sql.run(`DELETE FROM attempts WHERE kind = 'run' AND number <= 0`);
      }, 'relaxed'),
  };
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

function isOpen(sql: Sql, kind: 'run' | 'ask', conversationId: string): boolean {
  const begun = 'SELECT 1 FROM attempts WHERE kind = ? AND key = ? AND begun_at IS NOT NULL';
  return sql.get(begun, kind, conversationId) !== undefined;
}

export function end(sql: Sql, conversationId: string, ...kinds: readonly ('run' | 'ask' | 'wait')[]): void {
  for (const kind of kinds) sql.run('DELETE FROM attempts WHERE kind = ? AND key = ?', kind, conversationId);
}

/** Marks a run as starting, unless an earlier one failed there: the retry of that one marks it. */
export const expectRun = (sql: Sql, conversationId: string, at: number): number =>
  sql.run(
    `INSERT INTO attempts (kind, key, number, begun_at) VALUES ('run', ?, 1, ?) ON CONFLICT DO NOTHING`,
    ...[conversationId, at],
  );

/** The run made progress: reset the count of tries. */
export const cameOn = (sql: Sql, conversationId: string): number =>
  sql.run(`UPDATE attempts SET number = 0 WHERE kind = 'run' AND key = ?`, conversationId);

/** The run's wait after this turn. Any other turn ends it. */
export const waitAfter = (sql: Sql, conversationId: string, turn: number): ModelWait | undefined =>
  sql.find(
    toWait,
    `SELECT number, begun_at AS at, retry_at, until FROM attempts WHERE kind = 'wait' AND key = ? AND after_turn = ?`,
    ...[conversationId, turn],
  );
const toWait = columns({ number: 'integer', at: 'integer', retryAt: 'integer', until: 'integer' });

/** Ends the back-off: the model is tried when the conversation resumes. */
export const retry = (sql: Sql, conversationId: string): number =>
  sql.run(`UPDATE attempts SET retry_at = 0 WHERE kind = 'wait' AND key = ?`, conversationId);

/** Spent tokens and money, summed per day: the table grows with days, not with messages. */
export function createSpendingStore(database: Database): SpendingStore {
  const { sql } = database;
  return {
    /** Also ends the model request. Relaxed, as turns are: a power failure may lose the last amount. */
    add: (spending) =>
      database.write(() => {
        spend(sql, spending);
        end(sql, spending.conversationId, 'ask');
      }, 'relaxed'),
    spentOn: async (day, accounts) => ({
      person: toSpent(sql.one(sumOfAccounts, day, JSON.stringify(accounts))),
      all: toSpent(sql.one(sumOfAll, day)),
    }),
    entriesOf: async (day) => sql.all('SELECT * FROM spending WHERE day = ?', day).map(toSpendingEntry),
  };
}

const sums = 'SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost), 0) AS cost FROM spending';
const sumOfAll = `${sums} WHERE day = ?`;
const sumOfAccounts = `${sums} WHERE day = ? AND principal IN (SELECT value FROM json_each(?))`;
const toSpent = columns({ tokens: 'integer', cost: 'integer' });
const toSpendingEntry: (row: Row) => SpendingEntry = columns({
  principal: 'text',
  conversationId: 'text',
  model: 'text',
  tokens: 'integer',
  cost: 'integer',
});

/** The estimate for an unfinished model request. */
const toSpending = columns({
  conversationId: (row) => text(row, 'key'),
  runId: 'text?',
  principal: 'text',
  model: 'text',
  day: 'text',
  usage: (row) => ({ inputTokens: integer(row, 'tokens'), outputTokens: 0, cost: integer(row, 'cost') }),
});

/** Records spending of an answer that was not kept as a turn. */
function spend(sql: Sql, spending: SpendingDraft): void {
  const { conversationId, runId, usage } = spending;
  const talkedIn = conversations.find(sql, conversationId)?.subRun?.rootId ?? conversationId;
  addSpending(sql, { ...spending, conversationId: talkedIn });
  if (runId !== undefined) spendForRun(sql, conversationId, runId, spentOf(usage));
}

/** Writes nothing if nothing was spent. */
export function addSpending(sql: Sql, draft: SpendingDraft): void {
  const { tokens, cost } = spentOf(draft.usage);
  if (tokens > 0 || cost > 0) insertSpending(sql, { ...draft, tokens, cost });
}
const insertSpending = insertInto(`spending (day, principal, conversation_id, model, tokens, cost)
  ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens, cost = cost + excluded.cost`);

/** Adds to the run and to all runs that wait for it. */
export function spendForRun(sql: Sql, conversationId: string, runId: string, spent: Spent): void {
  conversations.spend(sql, conversationId, runId, spent);
  let subRun = conversations.find(sql, conversationId)?.subRun;
  while (subRun !== undefined) {
    const { callId, parentId } = subRun;
    const waiting = findCall(sql, callId);
    if (waiting !== undefined) conversations.spendAbove(sql, parentId, waiting.runId, spent);
    subRun = conversations.find(sql, parentId)?.subRun;
  }
}
