import type { RunEnded } from '../telemetry.ts';
import { columns, type Eventual, type Sql } from './sql.ts';
import type { RunUnderWay } from './told.ts';

/** A run has ended. Undefined: the one under way there, if there is one. */
export async function tellRunEnded(
  sql: Sql,
  conversationId: string,
  run: { readonly runId: string; readonly principal: string } | undefined,
  { outcome, at }: { readonly outcome: RunEnded['outcome']; readonly at: number },
): Promise<void> {
  const isKnown = run === undefined || sql.told.knows(conversationId, run.runId);
  const stored = isKnown ? undefined : await storedRun(sql, conversationId, run.runId);
  sql.told.tell({ type: 'run_ending', conversationId, run, outcome, at, stored });
}

/** What is stored of a run; undefined if it has no turn. */
async function storedRun(
  sql: Sql,
  conversationId: string,
  runId: string,
): Promise<Omit<RunUnderWay, 'runId'> | undefined> {
  const first = await sql.find(toFirstTurn, firstTurn, conversationId, runId);
  if (first === undefined) return undefined;
  const calls = await sql.number(callsSince, conversationId, first.id, runId);
  return { beganAt: first.createdAt, calls, modelCalls: await turnsOfRun(sql, conversationId, runId) };
}
const firstTurn = `SELECT id, created_at FROM turns WHERE conversation_id = ? AND run_id = ? AND kind = 'turn' ORDER BY id LIMIT 1`;
const callsSince = `SELECT count(*) FROM calls WHERE conversation_id = ? AND turn_id >= ? AND run_id = ? AND state = 'done'`;
const toFirstTurn = columns({ id: 'integer', createdAt: 'integer' });

const turnsOfRun = (sql: Sql, conversationId: string, runId: string): Eventual<number> =>
  sql.number(
    `SELECT count(*) FROM turns WHERE conversation_id = ? AND run_id = ? AND kind = 'turn'`,
    ...[conversationId, runId],
  );
