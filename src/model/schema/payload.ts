/** Looks into values that are no schemas, without recursion: they may be of any depth. */
import { isJsonObject, type JsonValue } from '../../lib/json.ts';

/** Whether one of the words is a key in the value, at any depth. */
export function mentions(value: JsonValue, words: ReadonlySet<string>): boolean {
  for (const { part } of partsOf(value)) {
    if (isJsonObject(part) && Object.keys(part).some((key) => words.has(key))) return true;
  }
  return false;
}

/** Brackets in each other. What is deeper is nobody's data, and overflows the stack of whoever writes it. */
const deepest = 50;
const mostParts = 20_000;

/** Whether it goes deeper than anybody means, or has more parts. */
export function isTooDeep(value: JsonValue): boolean {
  let parts = 0;
  for (const { depth } of partsOf(value)) {
    parts += 1;
    if (depth > deepest || parts > mostParts) return true;
  }
  return false;
}

/** The value, unless it goes too deep. */
export function shallow(value: JsonValue | undefined): JsonValue | undefined {
  return value === undefined || isTooDeep(value) ? undefined : value;
}

function* partsOf(value: JsonValue): Generator<{ readonly part: JsonValue; readonly depth: number }> {
  const waiting = [{ part: value, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    const { part, depth } = next;
    if (typeof part !== 'object' || part === null) continue;
    for (const inner of Object.values(part)) waiting.push({ part: inner, depth: depth + 1 });
  }
}
