export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

export type JsonObject = { readonly [key: string]: JsonValue };

/** Arrays and null are not objects. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy of an object as JSON holds it, with each part as `change` wants it. Throws if JSON cannot hold it. */
export function jsonCopy(value: object, change?: (key: string, part: JsonValue) => JsonValue): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(value), change);
  if (isJsonObject(copy)) return copy;
  throw new TypeError('It is no object that JSON can hold');
}

/** The objects of a list; empty if it is none. */
export function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** An own member of the object, never an inherited one. */
export function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The value at a path of keys and indexes; undefined if there is none. */
export function valueAt(value: JsonValue, path: readonly PropertyKey[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((part, key) => {
    if (Array.isArray(part)) return part[Number(key)];
    return isJsonObject(part) ? own(part, String(key)) : undefined;
  }, value);
}

/** The target of a JSON pointer `#/a/0`. Undefined if there is none, or if it is in another document. */
export function referredTo(root: JsonObject, reference: string): JsonValue | undefined {
  if (!/^#(?:\/|$)/.test(reference)) return undefined;
  const tokens = reference.split('/').slice(1);
  return tokens.reduce<JsonValue | undefined>((node, token) => {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(node)) return /^\d+$/.test(name) ? node[Number(name)] : undefined;
    return isJsonObject(node) ? own(node, name) : undefined;
  }, root);
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether objects and arrays are nested more than `levels` deep. Does not recurse. */
export function isDeeperThan(value: JsonValue, levels: number): boolean {
  let layer: readonly JsonValue[] = [value];
  for (let depth = 0; depth <= levels; depth++) {
    layer = layer.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : []));
    if (layer.length === 0) return false;
  }
  return true;
}

/** JSON with keys sorted at every depth and no optional spaces: equal values give equal text. */
export function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_key, part: unknown) => (isJsonObject(part) ? sortKeys(part) : part));
}

function sortKeys(object: JsonObject): JsonObject {
  // Entries, not assignment, so that a key "__proto__" stays a key.
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
