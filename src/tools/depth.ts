import type { JsonValue } from '../lib/json.ts';

/** Arguments that are nested deeper are refused: no tool means them, and every reader of JSON recurses. */
export const deepestArguments = 64;

/** Whether objects and arrays stand in each other more than `levels` times. Does not recurse. */
export function isDeeperThan(value: JsonValue, levels: number): boolean {
  let layer: readonly JsonValue[] = [value];
  for (let depth = 0; depth <= levels; depth++) {
    layer = layer.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : []));
    if (layer.length === 0) return false;
  }
  return true;
}
