import type { RunEnded } from '../telemetry.ts';
import { columns, type Sql } from './sql.ts';
import type { RunUnderWay } from './told.ts';

/** A run has ended. Undefined: the one under way there, if there is one. */
export function tellRunEnded(
  sql: Sql,
  conversationId: string,
  run: { readonly runId: string; readonly principal: string } | undefined,
  { outcome, at }: { readonly outcome: RunEnded['outcome']; readonly at: number },
): void {
  const isKnown = run === undefined || sql.told.knows(conversationId, run.runId);
  const stored = isKnown ? undefined : storedRun(sql, conversationId, run.runId);
  sql.told.tell({ type: 'run_ending', conversationId, run, outcome, at, stored });
}

/** What is stored of a run; undefined if it has no turn. */
function storedRun(sql: Sql, conversationId: string, runId: string): Omit<RunUnderWay, 'runId'> | undefined {
  const first = sql.find(toFirstTurn, firstTurn, conversationId, runId);
  if (first === undefined) return undefined;
  const calls = sql.number(callsSince, conversationId, first.id, runId);
  return { beganAt: first.createdAt, calls, modelCalls: turnsOfRun(sql, conversationId, runId) };
}
const firstTurn = `SELECT id, created_at FROM turns WHERE conversation_id = ? AND run_id = ? AND kind = 'turn' ORDER BY id LIMIT 1`;
const callsSince = `SELECT count(*) FROM calls WHERE conversation_id = ? AND turn_id >= ? AND run_id = ? AND state = 'done'`;
const toFirstTurn = columns({ id: 'integer', createdAt: 'integer' });

const turnsOfRun = (sql: Sql, conversationId: string, runId: string): number =>
  sql.number(
    `SELECT count(*) FROM turns WHERE conversation_id = ? AND run_id = ? AND kind = 'turn'`,
    ...[conversationId, runId],
  );
