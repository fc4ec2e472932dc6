/*
 * Tools' JSON Schemas, from unknown authors, in the one form that every provider accepts. A schema is read as a `Shape`,
 * which holds what this form can say; anything else becomes words for the model.
 */

import {
  canonicalJson,
  isDeeperThan,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  own,
  referredTo,
} from '../lib/json.ts';

/**
 * The schema of a tool's arguments for any provider: a node has one type, or is a union of types, lists only words as its
 * values, and says all other restrictions in its description. The result accepts whatever the schema accepts. Never
 * throws, because a provider refuses a whole request for one unknown keyword. The same schema gives the same bytes.
 * Arguments are an object: a schema of anything else becomes an object of anything.
 */
export function normaliseSchema(schema: JsonObject): JsonObject {
  const shape = readShape(schema);
  const { description, properties = new Map<string, Shape>(), required, hints = [] } = shape;
  if (impliedTypes(shape)?.includes('object') === false)
    return { ...write({ types: ['object'], description }), properties: {} };
  const bad = [...properties.keys()].filter((name) => !goodName.test(name));
  const good = new Map([...properties].filter(([name]) => goodName.test(name)));
  const badNames = bad.length === 0 ? [] : [`also takes ${listed(bad.map((name) => JSON.stringify(name)))}`];
  const root = { types: ['object'], description, properties: good, required, hints: [...hints, ...badNames] } as const;
  return { properties: {}, ...write(root) };
}

/** Anthropic refuses the whole request for any other name at the root. */
const goodName = /^[\w.-]{1,64}$/;

const typeNames = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;
type TypeName = (typeof typeNames)[number];

/** The meaning of a schema. Undefined members restrict nothing. */
interface Shape {
  readonly types?: readonly TypeName[] | undefined;
  readonly description?: string | undefined;
  readonly fallback?: JsonValue | undefined;
  readonly values?: readonly JsonValue[] | undefined;
  readonly properties?: ReadonlyMap<string, Shape> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: Shape | undefined;
  /** Restrictions that can only be told in words. */
  readonly hints?: readonly string[] | undefined;
}

/** In nodes; 40 characters of text count as one. Beyond the second, references are not resolved. */
const [budget, budgetForReferences] = [5000, 1000];
/** Also of `allOf`, unions and references within one node. */
const deepest = 32;
/** Of the names, values and members in one node: more are useless to a model. */
const mostMembers = 500;

/**
 * References are resolved, `allOf` and unions are merged, and `const` and unions of literals become a list of values.
 * Anything that it can't read is ignored: a shape allows at least what its schema allows. Time and size are bounded for
 * any schema.
 */
function readShape(root: JsonObject): Shape {
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
      items: itemsOf(node, depth + 1),
      hints: hintsOf(node, depth + 1),
    };
    const whole = membersOf(node, depth, nesting + 1).reduce(conjoin, ownPart);
    open.delete(node);
    return own(node, 'nullable') === true ? orNull(whole) : whole;
  }

  function objectParts(node: JsonObject, depth: number): Shape {
    const [members, list] = [own(node, 'properties'), own(node, 'required')];
    const names = isJsonObject(members) ? Object.entries(members).slice(0, mostMembers) : [];
    const shapes = names.flatMap(([name, member]) => {
      const shape = read(member, depth);
      return shape === undefined ? [] : [[name, shape] as const];
    });
    return {
      properties: isJsonObject(members) ? new Map(shapes) : undefined,
      required: unlessEmpty(Array.isArray(list) ? list.filter((name) => typeof name === 'string') : []),
    };
  }

  /** A tuple is a list of anything. */
  function itemsOf(node: JsonObject, depth: number): Shape | undefined {
    const items = own(node, 'items');
    if (Array.isArray(own(node, 'prefixItems') ?? items)) return {};
    return isJsonObject(items) ? read(items, depth) : undefined;
  }

  /** Malformed limits are ignored. */
  function hintsOf(node: JsonObject, depth: number): readonly string[] {
    const [others, patterns] = [own(node, 'additionalProperties'), own(node, 'patternProperties')];
    const places = own(node, 'prefixItems') ?? own(node, 'items');
    const order = Array.isArray(places) ? places.slice(0, 9).map((item) => wordsOf(read(item, depth))) : [];
    return [
      ...(isJsonObject(patterns) ? [`names match ${listed(Object.keys(patterns))}`] : []),
      ...(order.length === 0 ? [] : [`in this order: ${listed(order)}`]),
      ...(isJsonObject(others) ? [`any names, for each: ${wordsOf(read(others, depth))}`] : []),
      ...limits.flatMap(([name, kind, words]) => {
        const limit = own(node, name);
        // zod writes the largest safe integer for any whole number.
        const isLimit = typeof limit === kind && limit !== false && Math.abs(Number(limit)) !== Number.MAX_SAFE_INTEGER;
        return isLimit ? [words.replace('#', () => String(limit)).replace(/^(.* 1 \w+)s$/, '$1')] : [];
      }),
    ];
  }

  /** The shapes that apply in addition to the node's own keywords. */
  function membersOf(node: JsonObject, depth: number, nesting: number): readonly Shape[] {
    const [all = [], ...unions] = ['allOf', 'anyOf', 'oneOf'].map((keyword): readonly JsonValue[] => {
      const list = own(node, keyword);
      return Array.isArray(list) && list.length <= mostMembers ? list : [];
    });
    const readAll = (list: readonly JsonValue[]): readonly Shape[] =>
      list.flatMap((member) => read(member, depth, nesting) ?? []);
    return [referred(node, depth, nesting), ...readAll(all), ...unions.map((list) => union(readAll(list)))];
  }

  function referred(node: JsonObject, depth: number, nesting: number): Shape {
    const reference = own(node, '$ref');
    const isShort = typeof reference === 'string' && reference.split('/').length - 1 <= deepest;
    const target = isShort ? referredTo(root, reference) : undefined;
    if (!isJsonObject(target)) return {};
    return spent > budgetForReferences ? { types: stub(target).types } : (read(target, depth, nesting) ?? {});
  }
}

/** The keywords that restrict a value, with the type that they have to have, as words. */
const limits = [
  ['minLength', 'number', 'at least # characters'],
  ['maxLength', 'number', 'at most # characters'],
  ['pattern', 'string', 'matches #'],
  ['format', 'string', 'format: #'],
  ['minimum', 'number', 'at least #'],
  ['maximum', 'number', 'at most #'],
  ['exclusiveMinimum', 'number', 'more than #'],
  ['exclusiveMaximum', 'number', 'less than #'],
  ['multipleOf', 'number', 'a multiple of #'],
  ['minItems', 'number', 'at least # items'],
  ['maxItems', 'number', 'at most # items'],
  ['uniqueItems', 'boolean', 'no item twice'],
  ['minProperties', 'number', 'at least # names'],
  ['maxProperties', 'number', 'at most # names'],
] as const;

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
  const values = only !== undefined ? [only] : Array.isArray(list) && list.length <= mostMembers ? list : [];
  if (values.length === 0 || !isShallow(values)) return { types };
  return { types: types ?? unlessEmpty([...new Set(values.map(typeOfValue))]), values: distinct(values) };
}

/** A whole number is a number. */
function typeOfValue(value: JsonValue): TypeName {
  if (Array.isArray(value)) return 'array';
  return typeNames.find((name) => name === typeof value && value !== null) ?? 'null';
}

/** A shape that allows what any variant allows, with a hint of what an object needs in each, if that tells them apart. */
function union(variants: readonly Shape[]): Shape {
  const [first = {}, ...others] = variants;
  const joined = others.reduce(join, first);
  const objects = variants.filter((variant) => !isNull(variant));
  const needed = objects.slice(0, 9).map(({ required = [], properties }) =>
    required.map((name) => {
      const [value, other] = properties?.get(name)?.values ?? [];
      return typeof value === 'string' && other === undefined ? `${name} ${JSON.stringify(value)}` : name;
    }),
  );
  const texts = [...new Set(needed.map((names) => names.join(' and ')))];
  if (objects.length > 8 || texts.length < 2 || texts.includes('')) return joined;
  return { ...joined, hints: [...(joined.hints ?? []), `give ${texts.join(', or ')}`] };
}

/** Whether it allows only null. */
function isNull({ types }: Shape): boolean {
  return types?.length === 1 && types[0] === 'null';
}

function orNull(shape: Shape): Shape {
  const types = impliedTypes(shape);
  return {
    ...shape,
    types: types && [...new Set([...types, 'null' as const])],
    values: shape.values && distinct([...shape.values, null]),
  };
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
  const areLists = types.includes('array') && others.includes('array');
  return {
    types: [...new Set([...types, ...others])],
    description: a.description === b.description ? a.description : undefined,
    values: a.values && b.values && distinct([...a.values, ...b.values]),
    properties: both(a.properties, b.properties, (one, other) => mergeMaps(one, other, join)),
    required: a.required?.filter((name) => b.required?.includes(name)),
    items: areLists ? a.items && b.items && join(a.items, b.items) : (a.items ?? b.items),
    hints: a.hints?.filter((hint) => b.hints?.includes(hint)),
  };
}

/** A shape that allows what both allow. Hints of the first come first. */
function conjoin(a: Shape, b: Shape): Shape {
  const types = both(a.types, b.types, commonTypes);
  const isContradiction = types === undefined && a.types !== undefined && b.types !== undefined;
  const inBoth = <Item>(one: readonly Item[], other: readonly Item[]) => [...new Set([...one, ...other])];
  return {
    // No value is allowed if nothing is common, but a schema can't say that: allow all.
    types,
    description: a.description ?? b.description,
    fallback: a.fallback === undefined ? b.fallback : a.fallback,
    values: isContradiction ? undefined : both(a.values, b.values, commonValues),
    properties: both(a.properties, b.properties, (one, other) => mergeMaps(one, other, conjoin)),
    required: both(a.required, b.required, inBoth),
    items: both(a.items, b.items, conjoin),
    hints: both(a.hints, b.hints, inBoth),
  };
}

function both<Value>(
  a: Value | undefined,
  b: Value | undefined,
  merge: (a: Value, b: Value) => Value | undefined,
): Value | undefined {
  return a === undefined || b === undefined ? (a ?? b) : merge(a, b);
}

/** `number` includes `integer`. */
function commonTypes(a: readonly TypeName[], b: readonly TypeName[]): readonly TypeName[] | undefined {
  const allows = (types: readonly TypeName[], type: TypeName) =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  return unlessEmpty([...new Set([...a.filter((type) => allows(b, type)), ...b.filter((type) => allows(a, type))])]);
}

function commonValues(a: readonly JsonValue[], b: readonly JsonValue[]): readonly JsonValue[] | undefined {
  const others = new Set(b.map(canonicalJson));
  return unlessEmpty(a.filter((value) => others.has(canonicalJson(value))));
}

/** The entries of both maps, merged where both have one. */
function mergeMaps(
  a: ReadonlyMap<string, Shape>,
  b: ReadonlyMap<string, Shape>,
  merge: (a: Shape, b: Shape) => Shape,
): ReadonlyMap<string, Shape> {
  const merged = [...b].map(([name, shape]) => [name, both(a.get(name), shape, merge) ?? {}] as const);
  return new Map([...a, ...merged]);
}

/** A shape with properties or items but no type is meant as an object or an array. */
function impliedTypes({ types, properties, required, items }: Shape): readonly TypeName[] | undefined {
  if (types !== undefined) return types;
  if (properties !== undefined || required !== undefined) return ['object'];
  return items === undefined ? undefined : ['array'];
}

function unlessEmpty<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}

/** At most eight of the names. */
function listed(names: readonly string[]): string {
  return `${names.slice(0, 8).join(', ')}${names.length > 8 ? ', …' : ''}`;
}

function distinct(values: readonly JsonValue[]): readonly JsonValue[] {
  return [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
}

/** Providers refuse an empty list of properties below the root, an array without items, and a required name they lack. */
function write(shape: Shape): JsonObject {
  const { description, fallback, properties = new Map<string, Shape>(), items = {}, hints = [] } = shape;
  const types = impliedTypes(shape) ?? [];
  const values = (shape.values ?? []).filter((value) => value !== null);
  const areWords = values.every((value) => typeof value === 'string' && value !== '');
  const isEnum = areWords && types.includes('string');
  const text = describe(description, isEnum ? hints : [...hints, ...valuesHint(values)]);
  const required = (shape.required ?? []).filter((name) => properties.has(name));
  const variants = types.map((type): JsonObject => {
    if (type === 'array') return { type, items: write(items) };
    if (type === 'string' && isEnum && values.length > 0) return { type, enum: values };
    if (type !== 'object' || properties.size === 0) return { type };
    // Entries, not assignment, so that a name "__proto__" stays a name.
    const members = Object.fromEntries([...properties].map(([name, member]) => [name, write(member)]));
    return { type, properties: members, ...(required.length > 0 ? { required } : {}) };
  });
  return {
    ...(text === undefined ? {} : { description: text }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(variants.length > 1 ? { anyOf: variants } : variants[0]),
  };
}

const longestHint = 120;
const longestOfAllHints = 300;

/** The description, followed by the hints. */
function describe(description: string | undefined, hints: readonly string[]): string | undefined {
  const said: string[] = [];
  let room = longestOfAllHints;
  for (const hint of new Set(hints)) {
    const short = hint.replaceAll(/\s+/g, ' ').trim();
    if (short.length > Math.min(longestHint, room)) continue;
    said.push(short);
    room -= short.length + 2;
  }
  const text = said.join('; ');
  if (description === undefined) return text === '' ? undefined : text.charAt(0).toUpperCase() + text.slice(1);
  return text === '' ? description : `${description.trimEnd()} (${text})`;
}

/** As many values as fit. */
function valuesHint(values: readonly JsonValue[]): readonly string[] {
  const texts = values.map((value) => JSON.stringify(value));
  if (texts.length === 1) return [`always ${texts[0]}`];
  const some = texts.filter((_text, index) => texts.slice(0, index + 1).join(', ').length < longestHint - 10);
  return some.length === 0 ? [] : [`one of ${some.join(', ')}${some.length < texts.length ? ', …' : ''}`];
}

function wordsOf({ description, types }: Shape = {}): string {
  return description ?? types?.join(' or ') ?? 'any value';
}
