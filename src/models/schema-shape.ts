import { canonicalJson, type JsonValue } from '../lib/json.ts';

/** The types that JSON Schema knows. */
export const typeNames = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;
export type TypeName = (typeof typeNames)[number];

/** What a schema says, however it was spelled. All that is undefined bounds nothing. */
export interface Shape {
  readonly types?: readonly TypeName[] | undefined;
  readonly description?: string | undefined;
  readonly fallback?: JsonValue | undefined;
  readonly values?: readonly JsonValue[] | undefined;
  readonly properties?: ReadonlyMap<string, Shape> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additional?: boolean | Shape | undefined;
  readonly items?: Shape | undefined;
  /** `minimum`, `pattern` and the like. */
  readonly limits?: ReadonlyMap<string, JsonValue> | undefined;
  /** One of them at least has to fit, beside all else. */
  readonly anyOf?: readonly Shape[] | undefined;
  /** What can't be said but in words. */
  readonly hints?: readonly string[] | undefined;
}

/** A shape that allows what one of them allows: one shape where that says as much, else a union. */
export function union(variants: readonly Shape[]): Shape {
  const others = variants.filter((variant) => !isNull(variant));
  const [only, second] = others;
  // Nothing at all is allowed, or nothing but null: what is meant by that nobody knows.
  if (only === undefined) return variants[0] ?? {};
  if (second === undefined) return others.length === variants.length ? only : orNull(only);
  if (others.every(isLiteral)) return joined(variants);
  return variants.length > mostVariants ? {} : { anyOf: variants };
}

/** Of a union: more says nothing to a model. */
const mostVariants = 100;

function isLiteral({ description: _description, types: _types, values, ...rest }: Shape): boolean {
  return values !== undefined && Object.values(rest).every((part) => part === undefined);
}

/** Whether null is all that it allows. */
function isNull({ types, values }: Shape): boolean {
  return types?.length === 1 && types[0] === 'null' && (values ?? []).every((value) => value === null);
}

export function orNull(shape: Shape): Shape {
  const { values, anyOf, description } = shape;
  const types = impliedTypes(shape);
  if (anyOf !== undefined) return { description, anyOf: [shape, { types: ['null'] }] };
  return {
    ...shape,
    types: types === undefined || types.includes('null') ? types : [...types, 'null'],
    values: values === undefined || values.includes(null) ? values : [...values, null],
  };
}

/** A shape that allows what both allow. The words of the first go before those of the second; of two unions, the first stays one. */
export function conjoin(a: Shape, second: Shape): Shape {
  const b = a.anyOf === undefined ? second : flatten(second);
  const types = both(a.types, b.types, commonTypes);
  const isContradiction = types === undefined && a.types !== undefined && b.types !== undefined;
  return {
    // Where nothing is common no value is allowed at all, and that can't be said: all are.
    types,
    description: a.description ?? b.description,
    fallback: a.fallback === undefined ? b.fallback : a.fallback,
    values: isContradiction ? undefined : both(a.values, b.values, commonValues),
    properties: both(a.properties, b.properties, (one, other) => mergeMaps(one, other, conjoin)),
    required: both(a.required, b.required, (one, other) => [...new Set([...one, ...other])]),
    additional: both(a.additional, b.additional, (one, other) =>
      typeof one === 'boolean' || typeof other === 'boolean' ? false : conjoin(one, other),
    ),
    items: both(a.items, b.items, conjoin),
    limits: both(a.limits, b.limits, (one, other) => mergeMaps(one, other, tighter)),
    anyOf: a.anyOf ?? b.anyOf,
    hints: both(a.hints, b.hints, (one, other) => [...new Set([...one, ...other])]),
  };
}

function both<Value>(
  a: Value | undefined,
  b: Value | undefined,
  merge: (a: Value, b: Value) => Value | undefined,
): Value | undefined {
  return a === undefined || b === undefined ? (a ?? b) : merge(a, b);
}

function commonTypes(a: readonly TypeName[], b: readonly TypeName[]): readonly TypeName[] | undefined {
  return unlessEmpty([...new Set([...a.filter((type) => allows(b, type)), ...b.filter((type) => allows(a, type))])]);
}

function commonValues(a: readonly JsonValue[], b: readonly JsonValue[]): readonly JsonValue[] | undefined {
  const others = new Set(b.map(canonicalJson));
  return unlessEmpty(a.filter((value) => others.has(canonicalJson(value))));
}

function tighter(a: JsonValue, b: JsonValue, name: string): JsonValue {
  if (typeof a !== 'number' || typeof b !== 'number') return a;
  if (/^(?:min|exclusiveMin)/.test(name)) return Math.max(a, b);
  return /^(?:max|exclusiveMax)/.test(name) ? Math.min(a, b) : a;
}

/** All that either map has, merged where both have it. */
function mergeMaps<Value>(
  a: ReadonlyMap<string, Value>,
  b: ReadonlyMap<string, Value>,
  merge: (a: Value, b: Value, name: string) => Value,
): ReadonlyMap<string, Value> {
  const merged = new Map(a);
  for (const [name, value] of b) {
    const first = merged.get(name);
    merged.set(name, first === undefined ? value : merge(first, value, name));
  }
  return merged;
}

/** The shape without its union: in place of that stands one shape that allows what any of the variants allows. */
export function flatten({ anyOf, ...base }: Shape): Shape {
  if (anyOf === undefined) return base;
  const hint = alternatives(anyOf.filter((variant) => !isNull(variant)));
  return conjoin(base, conjoin(joined(anyOf), { hints: hint === undefined ? undefined : [hint] }));
}

function joined(shapes: readonly Shape[]): Shape {
  const [first = {}, ...others] = shapes.map(flatten);
  return others.reduce(join, first);
}

/** What an object needs in each variant of a union, if that tells them apart. */
function alternatives(variants: readonly Shape[]): string | undefined {
  if (variants.length > 8) return undefined;
  const needed = variants.map(({ required = [], properties }) =>
    required.map((name) => {
      const [value, other] = properties?.get(name)?.values ?? [];
      return typeof value === 'string' && other === undefined ? `${name} ${JSON.stringify(value)}` : name;
    }),
  );
  const texts = [...new Set(needed.map((names) => names.join(' and ')))];
  return texts.length < 2 || texts.includes('') ? undefined : `give ${texts.join(', or ')}`;
}

/**
 * One shape for what either allows. A property that only one of them names keeps its shape: the other one would allow
 * anything under this name, but means nothing by it.
 */
function join(a: Shape, b: Shape): Shape {
  if (isNull(a)) return orNull(b);
  if (isNull(b)) return orNull(a);
  const [types, others] = [impliedTypes(a), impliedTypes(b)];
  // What may be anything has no parts.
  if (types === undefined || others === undefined) return {};
  const all = new Set([...types, ...others]);
  const [isList, isOtherList] = [types.includes('array'), others.includes('array')];
  const items = isList ? a.items : b.items;
  return {
    types: [...all].filter((type) => type !== 'integer' || !all.has('number')),
    description: a.description === b.description ? a.description : undefined,
    values: a.values && b.values && distinct([...a.values, ...b.values]),
    properties: both(a.properties, b.properties, (one, other) =>
      mergeMaps(one, other, (first, second) => joined([first, second])),
    ),
    required: unlessEmpty((a.required ?? []).filter((name) => b.required?.includes(name))),
    additional: a.additional === false && b.additional === false ? false : undefined,
    items: isList && isOtherList ? a.items && b.items && joined([a.items, b.items]) : items,
    limits: unlessEmpty(new Map([...(a.limits ?? [])].filter(([name, value]) => b.limits?.get(name) === value))),
    hints: unlessEmpty((a.hints ?? []).filter((hint) => b.hints?.includes(hint))),
  };
}

/** What has properties or items and no type is meant as an object or an array. */
export function impliedTypes({ types, properties, required, items }: Shape): readonly TypeName[] | undefined {
  if (types !== undefined) return types;
  if (properties !== undefined || required !== undefined) return ['object'];
  return items === undefined ? undefined : ['array'];
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

/** The value, unless there is nothing in it. */
export function unlessEmpty<Value extends { readonly length: number } | { readonly size: number }>(
  value: Value,
): Value | undefined {
  return ('length' in value ? value.length : value.size) === 0 ? undefined : value;
}

/** As many of the names as a person would list. */
export function listed(names: readonly string[]): string {
  return `${names.slice(0, 8).join(', ')}${names.length > 8 ? ', …' : ''}`;
}

export function distinct(values: readonly JsonValue[]): readonly JsonValue[] {
  return [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
}
