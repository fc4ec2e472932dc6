import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../lib/json.ts';
import { deepestArguments, isDeeperThan } from './json-schema.ts';

/** What a validator expected at a path: a JSON Schema type, or one of these values. */
export interface Wanted {
  readonly path: readonly PropertyKey[];
  readonly type?: string;
  readonly values?: readonly unknown[];
}

/** How often repaired arguments are validated again: a parsed string may contain more to repair. */
export const mostMends = 4;

/**
 * Repairs typical mistakes of models, only where a validator expected something else: numbers and booleans as strings,
 * JSON in a string, one value instead of a list, null for a missing value. Returns the same value if there is nothing
 * to repair. Validate the result. Linear in `value` and `wanted`; `value` may be at most `deepestArguments` deep.
 */
export function mended(value: JsonValue, wanted: readonly Wanted[], depth = 0): JsonValue {
  const inside = Map.groupBy(
    wanted.filter(({ path }) => path.length > depth),
    ({ path }) => String(path[depth]),
  );
  const mendPart = (part: JsonValue, key: string): JsonValue => mended(part, inside.get(key) ?? [], depth + 1);
  if (Array.isArray(value) && inside.size > 0)
    return whole(
      value,
      value.map((part, index) => mendPart(part, `${index}`)),
    );
  if (isJsonObject(value) && inside.size > 0)
    return mendObject(value, mendPart, (key) => isAbsent(inside.get(key), depth));
  for (const one of wanted) {
    const meant = one.path.length === depth ? meantBy(value, one, depth) : value;
    if (meant !== value) return meant;
  }
  return value;
}

function mendObject(
  value: JsonObject,
  mendPart: (part: JsonValue, key: string) => JsonValue,
  isUnwanted: (key: string) => boolean,
): JsonObject {
  const before = Object.entries(value);
  const after = before.flatMap(([key, part]): [string, JsonValue][] =>
    part === null && isUnwanted(key) ? [] : [[key, mendPart(part, key)]],
  );
  const isSame = after.length === before.length && after.every(([, part], index) => part === before[index]?.[1]);
  // Entries, not assignment: a key "__proto__" stays a key, for the schema to refuse.
  return isSame ? value : Object.fromEntries(after);
}

/** Whether another value was expected here: a null then means that it is missing. */
function isAbsent(wanted: readonly Wanted[] = [], depth: number): boolean {
  return wanted.some(({ path }) => path.length === depth + 1);
}

/** The same list if nothing in it has changed. */
function whole(before: readonly JsonValue[], after: readonly JsonValue[]): readonly JsonValue[] {
  return after.every((part, index) => part === before[index]) ? before : after;
}

/** The whole string is a JSON number. */
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The value that was meant, if it can be converted; else the value itself. */
function meantBy(value: JsonValue, { type, values }: Wanted, depth: number): JsonValue {
  if (values !== undefined) {
    const meant = ['boolean', 'number'].map((scalar) => meantBy(value, { path: [], type: scalar }, depth));
    return meant.find((one) => values.includes(one)) ?? value;
  }
  const text = typeof value === 'string' ? value : undefined;
  switch (type) {
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : value;
    case 'number':
    case 'integer':
      return text === undefined ? value : numberIn(text);
    case 'object': {
      const parsed = text === undefined ? undefined : usable(parseJson(text), depth);
      return isJsonObject(parsed) ? parsed : value;
    }
    case 'array': {
      const parsed = text === undefined ? undefined : usable(parseJson(text), depth);
      if (Array.isArray(parsed)) return parsed;
      // A broken list was meant as a list: do not wrap it.
      return value === null || Array.isArray(value) || text?.trimStart().startsWith('[') === true ? value : [value];
    }
    default:
      return value;
  }
}

function usable(parsed: JsonValue | undefined, depth: number): JsonValue | undefined {
  return parsed === undefined || isDeeperThan(parsed, deepestArguments - depth) ? undefined : parsed;
}

/** Keeps text that is no number, and integers that a double cannot hold exactly: those are ids. */
function numberIn(text: string): JsonValue {
  if (!number.test(text)) return text;
  const found = Number(text);
  const kept = Number.isFinite(found) && (!Number.isInteger(found) || Number.isSafeInteger(found));
  return kept ? found : text;
}
