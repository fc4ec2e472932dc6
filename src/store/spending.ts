import { type SpendingDraft, type Spent, spentOf } from '../engine/journal.ts';
import type { SpendingEntry, SpendingStore } from '../runs/run-budget.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';
import { columns, insertInto, integer, type Row, type Sql, text } from './sql.ts';

/** Spent tokens and money, summed per day: the table grows with days, not with messages. */
export function createSpendingStore(database: Database): SpendingStore {
  const { sql } = database;
  return {
    /** Also ends the model request. Relaxed, as turns are: a power failure may lose the last amount. */
    add: (spending) =>
      database.write(async (sql) => {
        await spend(sql, spending);
        await sql.run(endAsk, spending.conversationId);
      }, 'relaxed'),
    spentOn: (day, accounts) =>
      database.read(async (sql) => ({
        person: toSpent(await sql.one(sumOfAccounts, day, accounts)),
        all: toSpent(await sql.one(sumOfAll, day)),
      })),
    entriesOf: async (day) => sql.list(toSpendingEntry, 'SELECT * FROM spending WHERE day = ?', day),
  };
}

const endAsk = `DELETE FROM attempts WHERE kind = 'ask' AND key = ?`;
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
export const toSpending = columns({
  conversationId: (row) => text(row, 'key'),
  runId: 'text?',
  principal: 'text',
  model: 'text',
  day: 'text',
  usage: (row) => ({ inputTokens: integer(row, 'tokens'), outputTokens: 0, cost: integer(row, 'cost') }),
});

/** Records spending of an answer that was not kept as a turn. */
export async function spend(sql: Sql, spending: SpendingDraft): Promise<void> {
  const { conversationId, runId, usage } = spending;
  const talkedIn = (await conversations.find(sql, conversationId))?.subRun?.rootId ?? conversationId;
  await addSpending(sql, { ...spending, conversationId: talkedIn });
  if (runId !== undefined) await spendForRun(sql, conversationId, runId, spentOf(usage));
}

/** Writes nothing if nothing was spent. */
export async function addSpending(sql: Sql, draft: SpendingDraft): Promise<void> {
  const { tokens, cost } = spentOf(draft.usage);
  if (tokens > 0 || cost > 0) await insertSpending(sql, { ...draft, tokens, cost });
}
const insertSpending = insertInto(`spending (day, principal, conversation_id, model, tokens, cost)
  ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens, cost = cost + excluded.cost`);

/** Adds to the run and to all runs that wait for it. */
export async function spendForRun(sql: Sql, conversationId: string, runId: string, spent: Spent): Promise<void> {
  await conversations.spend(sql, conversationId, runId, spent);
  let subRun = (await conversations.find(sql, conversationId))?.subRun;
  while (subRun !== undefined) {
    const { callId, parentId } = subRun;
    const waiting = await sql.get('SELECT run_id FROM calls WHERE id = ?', callId);
    // Not if another run has begun there.
    const { tokens, cost } = spent;
    if (waiting !== undefined) await sql.run(spendAbove, { id: parentId, run: text(waiting, 'run_id'), tokens, cost });
    subRun = (await conversations.find(sql, parentId))?.subRun;
  }
}
const spendAbove = `UPDATE conversations SET spent_tokens = spent_tokens + @tokens, spent_cost = spent_cost + @cost
  WHERE id = @id AND spent_run IS @run`;
