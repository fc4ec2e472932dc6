import type { TurnRow, TurnsTable } from './tables/turns.ts';

/** How far back turns are read. What is older was summarised before. */
const turnsToLoad = 120;

/**
 * The newest turns beyond an id: so many that the newest run is whole, however long it is, since its beginning holds the
 * task. The one before them tells what was read before, and need not be read again.
 */
export function newestTurns(
  turns: TurnsTable,
  conversationId: string,
  beyond: number,
): { readonly before?: TurnRow; readonly used: readonly TurnRow[] } {
  const newest = turns.newest(conversationId, beyond, turnsToLoad + 1);
  const runId = newest.at(-1)?.runId;
  const isRunCut = runId !== undefined && newest.length > turnsToLoad && newest[1]?.runId === runId;
  const wanted = isRunCut ? turns.countOfRun(conversationId, runId) : turnsToLoad;
  const found = isRunCut ? turns.newest(conversationId, beyond, wanted + 1) : newest;
  const [before, ...used] = found;
  return before !== undefined && found.length > wanted ? { before, used } : { used: found };
}
