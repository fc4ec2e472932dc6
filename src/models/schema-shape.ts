import {
  canonicalJson,
  isDeeperThan,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  own,
  referredTo,
} from '../lib/json.ts';

export const typeNames = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;
export type TypeName = (typeof typeNames)[number];

/** The meaning of a schema, in one form. Undefined members restrict nothing. */
export interface Shape {
  readonly types?: readonly TypeName[] | undefined;
  readonly description?: string | undefined;
  readonly fallback?: JsonValue | undefined;
  readonly values?: readonly JsonValue[] | undefined;
  readonly properties?: ReadonlyMap<string, Shape> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additional?: boolean | Shape | undefined;
  readonly items?: Shape | undefined;
  /** `minimum`, `pattern` and others. */
  readonly limits?: ReadonlyMap<string, JsonValue> | undefined;
  /** At least one must match, in addition to the rest. */
  readonly anyOf?: readonly Shape[] | undefined;
  /** Restrictions that can only be told in words. */
  readonly hints?: readonly string[] | undefined;
}

const isCount = (value: JsonValue): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isAmount = (value: JsonValue): boolean => typeof value === 'number';
const isText = (value: JsonValue): boolean => typeof value === 'string';

interface Limit {
  /** The type of values it restricts. */
  readonly kind: TypeName;
  /** The text for hints. */
  readonly words: string;
  readonly takes: (value: JsonValue) => boolean;
}

/** The keywords that restrict a value. */
export const limits: ReadonlyMap<string, Limit> = new Map([
  ['minLength', { kind: 'string', words: 'at least # characters', takes: isCount }],
  ['maxLength', { kind: 'string', words: 'at most # characters', takes: isCount }],
  ['pattern', { kind: 'string', words: 'matches #', takes: isText }],
  ['format', { kind: 'string', words: 'format: #', takes: isText }],
  ['minimum', { kind: 'number', words: 'at least #', takes: isAmount }],
  ['maximum', { kind: 'number', words: 'at most #', takes: isAmount }],
  ['exclusiveMinimum', { kind: 'number', words: 'more than #', takes: isAmount }],
  ['exclusiveMaximum', { kind: 'number', words: 'less than #', takes: isAmount }],
  ['multipleOf', { kind: 'number', words: 'a multiple of #', takes: (value) => isAmount(value) && Number(value) > 0 }],
  ['minItems', { kind: 'array', words: 'at least # items', takes: isCount }],
  ['maxItems', { kind: 'array', words: 'at most # items', takes: isCount }],
  ['uniqueItems', { kind: 'array', words: 'no item twice', takes: (value) => value === true }],
  ['minProperties', { kind: 'object', words: 'at least # names', takes: isCount }],
  ['maxProperties', { kind: 'object', words: 'at most # names', takes: isCount }],
]);

/** In nodes; 40 characters of text count as one. Beyond the second, references are not resolved. */
const [budget, budgetForReferences] = [5000, 1000];
/** Also of `allOf`, unions and references within one node. */
const deepest = 32;
/** Per object. */
const mostNames = 1000;
/** Per `allOf` or union: more is useless to a model. */
const mostMembers = 300;
const mostValues = 500;

/**
 * Reads a tool's JSON Schema from an unknown author. References are resolved, `allOf` is merged, `const` and unions of
 * literals become a list of values, `oneOf` becomes `anyOf`, and OpenAPI's `nullable` a type. Anything it can't read is
 * ignored: a shape allows at least what its schema allows. Time and size are bounded for any schema.
 */
export function readShape(root: JsonObject): Shape {
  /** The nodes being read: a reference back to one of them becomes a stub. */
  const open = new Set<JsonObject>();
  let spent = 0;

  return read(root) ?? {};

  /** Undefined if nothing is allowed. Anything that is not a schema allows everything. */
  function read(node: JsonValue | undefined, depth = 0, nesting = 0): Shape | undefined {
    if (node === false) return undefined;
    if (!isJsonObject(node)) return {};
    spent += costOf(node);
    if (spent > budget || depth > deepest || nesting > deepest || open.has(node)) return stub(node);
    open.add(node);
    const fallback = own(node, 'default');
    const ownPart: Shape = {
      description: descriptionOf(node),
      fallback: fallback !== undefined && isShallow(fallback) ? fallback : undefined,
      ...readValues(node),
      ...objectParts(node, depth + 1),
      ...arrayParts(node, depth + 1),
      limits: readLimits(node),
    };
    const whole = membersOf(node, depth, nesting + 1).reduce(conjoin, ownPart);
    open.delete(node);
    return own(node, 'nullable') === true ? orNull(whole) : whole;
  }

  function objectParts(node: JsonObject, depth: number): Shape {
    const [members, required] = [own(node, 'properties'), own(node, 'required')];
    const others = own(node, 'additionalProperties');
    const names = isJsonObject(members) ? Object.entries(members).slice(0, mostNames) : [];
    const shapes = names.flatMap(([name, member]) => {
      const shape = read(member, depth);
      return shape === undefined ? [] : [[name, shape] as const];
    });
    const patterns = own(node, 'patternProperties');
    // If a name is lost, it must stay allowed as an additional one.
    const isOpen = others === undefined || others === true || isJsonObject(patterns) || names.length === mostNames;
    return {
      properties: isJsonObject(members) ? new Map(shapes) : undefined,
      required: Array.isArray(required)
        ? unlessEmpty([...new Set(required.filter((name) => typeof name === 'string'))])
        : undefined,
      additional: isOpen ? undefined : (read(others, depth) ?? false),
      hints: isJsonObject(patterns) ? [`names match ${listed(Object.keys(patterns))}`] : undefined,
    };
  }

  /** A tuple becomes a list of anything; a hint describes its items. */
  function arrayParts(node: JsonObject, depth: number): Shape {
    const items = own(node, 'items');
    const prefix = own(node, 'prefixItems') ?? items;
    if (!Array.isArray(prefix)) return { items: isJsonObject(items) ? read(items, depth) : undefined };
    const places = prefix.slice(0, 9).map((item) => read(item, depth) ?? {});
    const words = places.map(({ description, types }) => description ?? types?.join(' or ') ?? 'any value');
    return { items: {}, hints: words.length === 0 ? undefined : [`in this order: ${listed(words)}`] };
  }

  /** The shapes that apply in addition to the node's own keywords. */
  function membersOf(node: JsonObject, depth: number, nesting: number): readonly Shape[] {
    const [all, any, one] = ['allOf', 'anyOf', 'oneOf'].map((keyword): readonly JsonValue[] => {
      const list = own(node, keyword);
      return Array.isArray(list) ? list : [];
    });
    const readAll = (list: readonly JsonValue[] = []): readonly Shape[] =>
      list.flatMap((member) => read(member, depth, nesting) ?? []);
    const unions = [any, one].map((list = []) => (list.length > mostMembers ? {} : union(readAll(list))));
    return [referred(node, depth, nesting), ...readAll(all?.slice(0, mostMembers)), ...unions];
  }

  function referred(node: JsonObject, depth: number, nesting: number): Shape {
    const reference = own(node, '$ref');
    const isShort = typeof reference === 'string' && reference.split('/').length - 1 <= deepest;
    const target = isShort ? referredTo(root, reference) : undefined;
    if (!isJsonObject(target)) return {};
    return spent > budgetForReferences ? { types: stub(target).types } : (read(target, depth, nesting) ?? {});
  }
}

function costOf(node: JsonObject): number {
  const lengths = Object.entries(node).map(([key, value]) => {
    if (typeof value === 'string') return value.length;
    if (key === 'properties' && isJsonObject(value)) return Object.keys(value).join('').length;
    const isPayload = ['enum', 'const', 'default', 'required'].includes(key) && isShallow(value);
    return isPayload ? JSON.stringify(value).length : 0;
  });
  return 1 + Math.floor(lengths.reduce((sum, length) => sum + length, 0) / 40);
}

function isShallow(value: JsonValue): boolean {
  return !isDeeperThan(value, deepest);
}

function descriptionOf(node: JsonObject): string | undefined {
  const description = own(node, 'description');
  return typeof description === 'string' && description.trim() !== '' ? description : undefined;
}

/** Just the type, without its contents. */
function stub(node: JsonObject): Shape {
  const types = own(node, 'nullable') === true ? undefined : readTypes(node);
  return { types: types?.length === 1 ? types : undefined, description: descriptionOf(node)?.slice(0, 200) };
}

/** An unknown type may allow anything. */
function readTypes(node: JsonObject): readonly TypeName[] | undefined {
  const type = own(node, 'type');
  const list: readonly JsonValue[] = Array.isArray(type) ? type : [type ?? null];
  const types = list.flatMap(
    (name) => typeNames.find((known) => typeof name === 'string' && known === name.toLowerCase()) ?? [],
  );
  return types.length === list.length ? unlessEmpty([...new Set(types)]) : undefined;
}

/** The types and values of `type`, `enum` and `const`. */
function readValues(node: JsonObject): Pick<Shape, 'types' | 'values'> {
  const types = readTypes(node);
  const [list, only] = [own(node, 'enum'), own(node, 'const')];
  const values = only !== undefined ? [only] : Array.isArray(list) && list.length <= mostValues ? list : [];
  if (values.length === 0 || !isShallow(values)) return { types };
  const found = new Set(values.map(typeOfValue));
  if (found.has('number')) found.delete('integer');
  // Several types besides null are not stated.
  const implied = [...found].filter((type) => type !== 'null').length > 1 ? undefined : [...found];
  return { types: types ?? implied, values: distinct(values) };
}

/** Malformed limits are dropped, because a provider would refuse the request for them. */
function readLimits(node: JsonObject): Shape['limits'] {
  const all = [...limits].map(([name, { takes }]) => [name, own(node, name), takes] as const);
  return unlessEmpty(
    new Map(all.flatMap(([name, value, takes]) => (value !== undefined && takes(value) ? [[name, value]] : []))),
  );
}

/** A shape that allows what any variant allows: a single shape if that is equivalent, otherwise a union. */
function union(variants: readonly Shape[]): Shape {
  const others = variants.filter((variant) => !isNull(variant));
  const [only, second] = others;
  // Nothing is allowed, or only null: the intention is unknown.
  if (only === undefined) return variants[0] ?? {};
  if (second === undefined) return others.length === variants.length ? only : orNull(only);
  if (others.every(isLiteral)) return joined(variants);
  return variants.length > mostVariants ? {} : { anyOf: variants };
}

/** Per union: more are useless to a model. */
const mostVariants = 100;

function isLiteral({ description: _description, types: _types, values, ...rest }: Shape): boolean {
  return values !== undefined && Object.values(rest).every((part) => part === undefined);
}

/** Whether it allows only null. */
function isNull({ types, values }: Shape): boolean {
  return types?.length === 1 && types[0] === 'null' && (values ?? []).every((value) => value === null);
}

function orNull(shape: Shape): Shape {
  const { values, anyOf, description } = shape;
  const types = impliedTypes(shape);
  if (anyOf !== undefined) return { description, anyOf: [shape, { types: ['null'] }] };
  return {
    ...shape,
    types: types === undefined || types.includes('null') ? types : [...types, 'null'],
    values: values === undefined || values.includes(null) ? values : [...values, null],
  };
}

/** A shape that allows what both allow. Hints of the first come first; of two unions, only the first stays a union. */
function conjoin(a: Shape, second: Shape): Shape {
  const b = a.anyOf === undefined ? second : flatten(second);
  const types = both(a.types, b.types, commonTypes);
  const isContradiction = types === undefined && a.types !== undefined && b.types !== undefined;
  return {
    // No value is allowed if nothing is common, but a schema can't say that: allow all.
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
  return /^(?:min|exclusiveMin)/.test(name) ? Math.max(a, b) : Math.min(a, b);
}

/** The entries of both maps, merged where both have one. */
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

/** The shape with its union replaced by one shape that allows what any variant allows. */
export function flatten({ anyOf, ...base }: Shape): Shape {
  if (anyOf === undefined) return base;
  const hint = alternatives(anyOf.filter((variant) => !isNull(variant)));
  return conjoin(base, conjoin(joined(anyOf), { hints: hint === undefined ? undefined : [hint] }));
}

function joined(shapes: readonly Shape[]): Shape {
  const [first = {}, ...others] = shapes.map(flatten);
  return others.reduce(join, first);
}

/** What an object needs in each variant of a union, if that distinguishes them. */
function alternatives(variants: readonly Shape[]): string | undefined {
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
 * One shape for what either allows. A property that only one of them names keeps its shape, though the other would
 * allow anything under this name.
 */
function join(a: Shape, b: Shape): Shape {
  if (isNull(a)) return orNull(b);
  if (isNull(b)) return orNull(a);
  const [types, others] = [impliedTypes(a), impliedTypes(b)];
  // Anything is allowed, so it has no parts.
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

/** A shape with properties or items but no type is meant as an object or an array. */
export function impliedTypes({ types, properties, required, items }: Shape): readonly TypeName[] | undefined {
  if (types !== undefined) return types;
  if (properties !== undefined || required !== undefined) return ['object'];
  return items === undefined ? undefined : ['array'];
}

/** A whole number is an integer. */
export function typeOfValue(value: JsonValue): TypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'boolean' : 'object';
}

/** Whether one of the types includes the type: `number` includes `integer`. */
export function allows(types: readonly TypeName[], type: TypeName): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

export function unlessEmpty<Value extends { readonly length: number } | { readonly size: number }>(
  value: Value,
): Value | undefined {
  return ('length' in value ? value.length : value.size) === 0 ? undefined : value;
}

/** At most eight of the names. */
export function listed(names: readonly string[]): string {
  return `${names.slice(0, 8).join(', ')}${names.length > 8 ? ', …' : ''}`;
}

function distinct(values: readonly JsonValue[]): readonly JsonValue[] {
  return [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
}
