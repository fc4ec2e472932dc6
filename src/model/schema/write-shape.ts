import type { JsonObject, JsonValue } from '../../lib/json.ts';
import { additionalHint, describe, limitHint, listed, tupleHint, typesHint, valuesHint } from './hints.ts';
import { flatten } from './join.ts';
import { allows, impliedTypes, type Shape, typeOfValue, typesOf, type Union, unlessEmpty } from './shape.ts';
import { splitByType } from './split.ts';
import type { SchemaRules } from './strategies.ts';

/** Writes the shape as the rules allow. The order of keywords is always the same, that of properties as it was. */
export function writeShape(shape: Shape, rules: SchemaRules): JsonObject {
  if (shape.reference !== undefined) {
    return withoutAbsent({ $ref: shape.reference, description: shape.description });
  }
  switch (rules.unions) {
    case 'flatten':
      return writeNode(ofOneType(flatten(shape)), rules);
    case 'plain':
      return writeNode(splitByType(shape), rules);
    case 'keep':
      return writeNode(withTwoUnions(shape), rules);
  }
}

/** Writes the arguments of a tool: an object, whatever the shape says. No provider takes a union there. */
export function writeRoot(shape: Shape, rules: SchemaRules): JsonObject {
  const { title, description, types, clauses, ...flat } = flatten(shape);
  const words = { title, description };
  if (types !== undefined && !types.includes('object')) return writeNode({ ...words, ...noProperties }, rules, true);
  const kept = new Map([...(clauses ?? [])].filter(([name]) => name === 'dependentRequired' || name === 'examples'));
  const { values: _values, nullable: _nullable, items: _items, prefix: _prefix, ...object } = flat;
  const named = withGoodNames({ ...object, ...words, clauses: unlessEmpty(kept), types: ['object'] }, rules);
  return writeNode({ ...named, properties: named.properties ?? new Map() }, rules, true);
}

const noProperties: Shape = { types: ['object'], properties: new Map() };

/** A name that the provider refuses would make it refuse the whole request. */
function withGoodNames(shape: Shape, { names }: SchemaRules): Shape {
  const all = [...(shape.properties ?? [])];
  const good = all.filter(([name]) => names?.test(name) ?? true);
  if (good.length === all.length) return shape;
  const bad = all.flatMap(([name]) => (names?.test(name) ? [] : [JSON.stringify(name)]));
  return {
    ...shape,
    properties: new Map(good),
    required: unlessEmpty((shape.required ?? []).filter((name) => names?.test(name))),
    additional: shape.additional === false ? undefined : shape.additional,
    hints: [...(shape.hints ?? []), `also takes ${listed(bad)}`],
  };
}

/** Null is a flag, and of several types none is said but in words. */
function ofOneType(shape: Shape): Shape {
  const types = impliedTypes(shape);
  if (types === undefined) return { ...withoutParts(shape), types };
  const orNull = types.includes('null');
  const [only, second] = types.filter((type) => type !== 'null');
  const nullable = orNull || shape.nullable === true;
  if (only === undefined) return { ...withoutParts(shape), types: undefined, nullable, hints: ['null'] };
  if (second === undefined) return { ...shape, types: [only], nullable };
  return {
    ...withoutParts(shape),
    types: undefined,
    nullable,
    hints: [...(shape.hints ?? []), typesHint({ ...shape, types })],
  };
}

/** Without what can be said of one type only. */
function withoutParts(shape: Shape): Shape {
  const { properties: _p, required: _r, items: _i, prefix: _x, additional: _a, patterns: _n, ...rest } = shape;
  return rest;
}

/** One `anyOf` and one `oneOf` can stand in a schema; what more there is becomes part of the shape itself. */
function withTwoUnions(shape: Shape): Shape {
  const { unions = [], ...base } = shape;
  const kept = new Map<Union['keyword'], Union>();
  const others: Union[] = [];
  for (const union of unions) {
    if (kept.has(union.keyword)) others.push(union);
    else kept.set(union.keyword, union);
  }
  const flat = others.length === 0 ? base : flatten({ ...base, unions: others });
  return { ...flat, unions: unlessEmpty([...kept.values()]) };
}

function writeNode(shape: Shape, rules: SchemaRules, isRoot = false): JsonObject {
  const write = (part: Shape) => writeShape(part, rules);
  const isFlat = rules.unions === 'flatten';
  const hints: string[] = [...(shape.hints ?? [])];
  const values = writableValues(shape, rules);
  if (shape.values !== undefined && values === undefined)
    hints.push(valuesHint(shape.values.filter((value) => value !== null)));
  const parts = writeParts(shape, rules, hints);
  const limits: [string, JsonValue][] = [];
  for (const [name, value] of [...(shape.limits ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (rules.keeps.has(name)) limits.push([name, value]);
    else hints.push(limitHint(name, value));
  }
  const isEmptyObject = isFlat && !isRoot && shape.properties?.size === 0;
  return withoutAbsent({
    type: shape.types?.length === 1 ? shape.types[0] : shape.types,
    nullable: shape.nullable === true && shape.types !== undefined ? true : undefined,
    title: shape.title,
    description: describe(shape.description, hints),
    enum: values,
    default: shape.fallback,
    properties: isEmptyObject || shape.properties === undefined ? undefined : writeAll(shape.properties, write),
    ...parts,
    ...Object.fromEntries(limits),
    ...Object.fromEntries((shape.unions ?? []).map(({ keyword, variants }) => [keyword, variants.map(write)])),
    ...Object.assign(
      {},
      ...[...(shape.clauses ?? [])].flatMap(([name, clause]) => (rules.keeps.has(name) ? [clause] : [])),
    ),
  });
}

/** The values that may be listed: of the type that is said, and for Gemini strings only, none of them empty. */
function writableValues(shape: Shape, { unions, keeps }: SchemaRules): readonly JsonValue[] | undefined {
  const types = typesOf(shape);
  const fitting = shape.values?.filter((value) => types === undefined || allows(types, typeOfValue(value)));
  if (fitting === undefined || fitting.length === 0) return undefined;
  if (unions === 'keep') return fitting;
  if (unions === 'plain')
    return fitting.every((value) => typeof value !== 'object' || value === null) ? fitting : undefined;
  const strings = fitting.filter((value) => value !== null);
  const areGood = strings.length > 0 && strings.every((value) => typeof value === 'string' && value !== '');
  return areGood && !keeps.has('enum') && types?.includes('string') ? strings : undefined;
}

function writeParts(
  shape: Shape,
  rules: SchemaRules,
  hints: string[],
): Readonly<Record<string, JsonValue | undefined>> {
  const { required, additional, patterns, prefix, properties } = shape;
  const write = (part: Shape) => writeShape(part, rules);
  const isKept = rules.keeps.has('additionalProperties');
  const missing = new Set((required ?? []).filter((name) => rules.unions !== 'keep' && properties?.has(name) !== true));
  if (missing.size > 0) hints.push(`needs ${listed([...missing])}`);
  if (!isKept && typeof additional === 'object') hints.push(additionalHint(additional));
  if (!isKept && patterns !== undefined) hints.push(`names match ${listed([...patterns.keys()])}`);
  const isTuple = prefix !== undefined && rules.keeps.has('prefixItems');
  if (prefix !== undefined && !isTuple) hints.push(tupleHint(prefix));
  const items = prefix === undefined || isTuple ? shape.items : anyItem(shape);
  return {
    required: unlessEmpty((required ?? []).filter((name) => !missing.has(name))),
    additionalProperties: isKept ? (typeof additional === 'object' ? write(additional) : additional) : undefined,
    patternProperties: isKept && patterns !== undefined ? writeAll(patterns, write) : undefined,
    prefixItems: isTuple ? prefix.map(write) : undefined,
    // An array without it is refused.
    items: items === undefined && shape.types?.includes('array') && !isTuple ? {} : items && write(items),
  };
}

/** What may stand anywhere in a tuple. */
function anyItem({ prefix = [], items, limits }: Shape): Shape {
  const longest = limits?.get('maxItems');
  const isWhole = typeof longest === 'number' && longest <= prefix.length;
  if (!isWhole && items === undefined) return {};
  const [first = {}, ...rest] = [...prefix, ...(isWhole || items === undefined ? [] : [items])].map(withoutWords);
  const different = [first, ...rest].filter(
    (item, index, all) =>
      all.findIndex((other) => JSON.stringify(other.types) === JSON.stringify(item.types)) === index,
  );
  return rest.length === 0 || different.length === 1
    ? flatten({ unions: [{ keyword: 'anyOf', variants: [first, ...rest] }] })
    : { unions: [{ keyword: 'anyOf', variants: [first, ...rest] }] };
}

function withoutWords({ title: _title, description: _description, ...shape }: Shape): Shape {
  return shape;
}

function writeAll(shapes: ReadonlyMap<string, Shape>, write: (shape: Shape) => JsonObject): JsonObject {
  // Entries, not assignment: a name "__proto__" stays a name.
  return Object.fromEntries([...shapes].map(([name, shape]) => [name, write(shape)]));
}

function withoutAbsent(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  );
}
