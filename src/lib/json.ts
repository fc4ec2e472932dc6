/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A JSON object: what tool arguments, schemas and provider data are. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** Whether the value is an object that JSON writes with braces. Arrays and null are not. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of an object: never what it inherits. */
export function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** What a reference within a JSON document, `#/a/0`, points to. Undefined where it points nowhere, or to another document. */
export function referredTo(root: JsonObject, reference: string): JsonValue | undefined {
  if (!/^#(?:\/|$)/.test(reference)) return undefined;
  const tokens = reference.split('/').slice(1);
  return tokens.reduce<JsonValue | undefined>((node, token) => {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(node)) return /^\d+$/.test(name) ? node[Number(name)] : undefined;
    return isJsonObject(node) ? own(node, name) : undefined;
  }, root);
}

/** The JSON value that the text is. Undefined if it is none. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The one spelling of a JSON value: keys sorted at every depth, nothing optional. Equal values have equal spellings. */
export function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_key, part: unknown) => (isJsonObject(part) ? sortKeys(part) : part));
}

function sortKeys(object: JsonObject): JsonObject {
  // Entries, not assignment: a key "__proto__" stays a key.
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
