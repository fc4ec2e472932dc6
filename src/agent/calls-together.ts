import { isRepeatable, type ToolCategory } from '../tools/category.ts';

/** No answer needs more at once, and no server likes it. */
const mostTogether = 8;

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
