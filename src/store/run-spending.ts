import type { RunState } from '../agent/run-store.ts';
import type { Spent } from '../agent/spending-store.ts';
import type { SubRun } from '../agent/sub-run.ts';
import type { Tables } from './tables/tables.ts';

/** Counts what was spent for a run and for all that wait for it. Belongs inside a write. */
export function spendForRun(tables: Tables, conversationId: string, runId: string, spent: Spent): void {
  const { conversations, calls, subRuns } = tables;
  conversations.spend(conversationId, runId, spent);
  let subRun = conversations.find(conversationId)?.subRun;
  while (subRun !== undefined) {
    const { callId, parentId } = subRun;
    const waiting = calls.find(callId);
    if (waiting !== undefined) subRuns.spendAbove(parentId, waiting.runId, spent);
    subRun = conversations.find(parentId)?.subRun;
  }
}

/** What the person's run has spent for which the sub-run works; undefined if that is over. */
export function runAbove(tables: Tables, subRun: SubRun): RunState['above'] {
  const { conversations, calls, approvals } = tables;
  const { callId, parentId, rootId } = subRun;
  const above = conversations.find(parentId);
  if (above?.subRun !== undefined) return runAbove(tables, above.subRun);
  if (above === undefined || above.spent.runId !== calls.find(callId)?.runId) return undefined;
  const extensions = above.askingRun === undefined ? [] : approvals.ofRun(rootId, above.askingRun);
  return { spent: above.spent, extensions };
}
