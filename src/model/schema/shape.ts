import { canonicalJson, type JsonObject, type JsonValue } from '../../lib/json.ts';

/** The types that JSON Schema knows. */
export type TypeName = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';

/** What a schema says, however it was spelled: references resolved, `allOf` merged, `const` a list of one value. */
export interface Shape {
  /** Stands for another shape: `#/$defs/Name`. Only its annotations stand beside it. */
  readonly reference?: string | undefined;
  /** Undefined: all. */
  readonly types?: readonly TypeName[] | undefined;
  /** Null is allowed too, by OpenAPI's keyword. */
  readonly nullable?: boolean | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly fallback?: JsonValue | undefined;
  readonly values?: readonly JsonValue[] | undefined;
  readonly properties?: ReadonlyMap<string, Shape> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additional?: boolean | Shape | undefined;
  readonly patterns?: ReadonlyMap<string, Shape> | undefined;
  readonly items?: Shape | undefined;
  readonly prefix?: readonly Shape[] | undefined;
  /** What bounds a value without describing its parts: `minimum`, `pattern` … */
  readonly limits?: ReadonlyMap<string, JsonValue> | undefined;
  /** Keywords that are meant together and can only be kept as they are: `if` with `then` and `else`. */
  readonly clauses?: ReadonlyMap<string, JsonObject> | undefined;
  readonly unions?: readonly Union[] | undefined;
  /** What can't be said but in words. */
  readonly hints?: readonly string[] | undefined;
}

export interface Union {
  readonly keyword: 'anyOf' | 'oneOf';
  readonly variants: readonly Shape[];
}

/** The types that the shape allows, the null of `nullable` among them. Undefined: all. */
export function typesOf({ types, nullable }: Shape): readonly TypeName[] | undefined {
  return types === undefined || nullable !== true || types.includes('null') ? types : [...types, 'null'];
}

/** What has properties or items and no type is meant as an object or an array. */
export function impliedTypes(shape: Shape): readonly TypeName[] | undefined {
  if (shape.types !== undefined) return shape.types;
  if (shape.properties !== undefined || shape.required !== undefined) return ['object'];
  return shape.items !== undefined || shape.prefix !== undefined ? ['array'] : undefined;
}

/** Whether null is all that it allows. */
export function isNull({ types, values }: Shape): boolean {
  return (
    types?.length === 1 && types[0] === 'null' && (values === undefined || values.every((value) => value === null))
  );
}

/** The type of a value; a whole number is an integer. */
export function typeOfValue(value: JsonValue): TypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'boolean' : 'object';
}

/** Whether one of the types is the type, or holds it: a number may be an integer. */
export function allows(types: readonly TypeName[], type: TypeName): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

/** The values, each once. */
export function distinct(values: readonly JsonValue[]): readonly JsonValue[] {
  return [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
}

/** Those of the values that are in both lists. */
export function common(a: readonly JsonValue[], b: readonly JsonValue[]): readonly JsonValue[] {
  const others = new Set(b.map(canonicalJson));
  return a.filter((value) => others.has(canonicalJson(value)));
}

/** The value, unless there is nothing in it. */
export function unlessEmpty<Value extends { readonly length: number } | { readonly size: number }>(
  value: Value,
): Value | undefined {
  return ('length' in value ? value.length : value.size) === 0 ? undefined : value;
}
