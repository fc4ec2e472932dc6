import { isRepeatable, type ToolCategory } from '../tools/category.ts';
import type { CallState } from '../transcript.ts';

/** No answer needs more at once, and no server likes it. */
const mostTogether = 8;

/**
 * The calls whose turn it is to run: what stands behind one that awaits a person waits with it, unless he has let it run
 * himself. Never a reason for a longer wait: the model is asked when all are done.
 */
export function whoseTurn<Call>(
  calls: readonly Call[],
  stateOf: (call: Call) => CallState,
  isDecided: (call: Call) => boolean,
): readonly Call[] {
  const awaiting = calls.findIndex((call) => stateOf(call) === 'awaiting');
  const isFree = (call: Call, index: number): boolean => awaiting === -1 || index < awaiting || isDecided(call);
  return calls.filter((call, index) => ['ready', 'begun'].includes(stateOf(call)) && isFree(call, index));
}

/**
 * Of calls in their order, those that run now: the first, and with it what follows, as long as all of them only read. What
 * may change something runs alone and in its place.
 */
export function firstTogether<Call>(
  calls: readonly Call[],
  categoryOf: (call: Call) => ToolCategory | undefined,
): readonly Call[] {
  const reads = (call: Call): boolean => {
    const category = categoryOf(call);
    return category !== undefined && isRepeatable(category);
  };
  const end = calls.findIndex((call) => !reads(call));
  if (end === 0) return calls.slice(0, 1);
  return calls.slice(0, Math.min(end === -1 ? calls.length : end, mostTogether));
}
