/** What models write for an argument that they do not give: an empty text, or a word for nothing. */
import { isJsonObject, type JsonValue, valueAt } from '../lib/json.ts';

/** A place in the arguments. */
type Path = readonly PropertyKey[];

/** `""`, white space, null, and the words that languages have for it: `"null"`, `"None"`, `"undefined"`, `"nil"`. */
export function isBlank(value: JsonValue | undefined): boolean {
  return value === null || (typeof value === 'string' && blank.test(value));
}

const blank = /^[\s\p{Cf}]*(["'`]?)(?:null|none|undefined|nil)?\1[\s\p{Cf}]*$/iu;

/** The places among these where something blank stands. */
export function blanksAt(value: JsonValue, places: readonly Path[]): readonly Path[] {
  const found = new Map(places.map((path) => [keyOf(path), path]));
  return [...found.values()].filter((path) => path.length > 0 && isBlank(valueAt(value, path)));
}

/** The blank keys of the objects at these places, in the order of the keys. */
export function blanksBelow(value: JsonValue, places: readonly Path[]): readonly Path[] {
  const objects = new Map(places.map((path) => [keyOf(path), path]));
  return [...objects.values()].flatMap((path) => {
    const object = valueAt(value, path);
    if (!isJsonObject(object)) return [];
    const blanks = Object.entries(object).filter(([, part]) => isBlank(part));
    return blanks.map(([key]) => [...path, key]);
  });
}

/** Those of the paths that the others do not hold. */
export function except(paths: readonly Path[], others: readonly Path[]): readonly Path[] {
  const held = new Set(others.map(keyOf));
  return paths.filter((path) => !held.has(keyOf(path)));
}

function keyOf(path: Path): string {
  return JSON.stringify(path.map(String));
}

/** The value without its keys and entries at these places. Linear in both. */
export function without(value: JsonValue, places: readonly Path[], depth = 0): JsonValue {
  if (places.length === 0) return value;
  const inside = Map.groupBy(places, (path) => String(path[depth]));
  const stays = (key: string): boolean => inside.get(key)?.some(({ length }) => length === depth + 1) !== true;
  const rest = (part: JsonValue, key: string): JsonValue => without(part, inside.get(key) ?? [], depth + 1);
  if (Array.isArray(value)) {
    const parts: readonly JsonValue[] = value;
    return parts.flatMap((part, index) => (stays(`${index}`) ? [rest(part, `${index}`)] : []));
  }
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => stays(key));
  // Entries, not assignment: a key "__proto__" stays a key, for the schema to refuse.
  return Object.fromEntries(kept.map(([key, part]) => [key, rest(part, key)]));
}
