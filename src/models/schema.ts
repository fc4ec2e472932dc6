import type { JsonObject, JsonValue } from '../lib/json.ts';
import {
  allows,
  conjoin,
  flatten,
  impliedTypes,
  limits,
  listed,
  readShape,
  type Shape,
  type TypeName,
  typeOfValue,
  unlessEmpty,
} from './schema-shape.ts';

/**
 * Which part of JSON Schema a provider accepts: Gemini the least, OpenAI the most; `conservative` is for unknown
 * servers.
 */
export type SchemaStrategy = 'gemini' | 'anthropic' | 'openai' | 'conservative';

interface Rules {
  /**
   * `keep`: unions stay, except at the root, where no provider accepts one. `plain`: a union stays if no other keyword
   * is beside it, and a list of types becomes one. `flatten`: one shape for all variants, with one type or none.
   */
  readonly unions: 'keep' | 'plain' | 'flatten';
  /** The limits that stay. The others become hints. */
  readonly limits: ReadonlySet<string>;
  /** The pattern for names of the root's properties. */
  readonly names?: RegExp;
}

const limitsOf = (...kinds: readonly TypeName[]): readonly string[] =>
  [...limits].flatMap(([name, { kind }]) => (kinds.includes(kind) ? [name] : []));
const mostLimits = [...limitsOf('number', 'array', 'object'), 'format'];

const strategies: Readonly<Record<SchemaStrategy, Rules>> = {
  gemini: { unions: 'flatten', limits: new Set() },
  anthropic: { unions: 'keep', limits: new Set(mostLimits), names: /^[\w.-]{1,64}$/ },
  openai: { unions: 'keep', limits: new Set([...mostLimits, 'minLength', 'maxLength']) },
  conservative: { unions: 'plain', limits: new Set(['minimum', 'maximum']) },
};

/**
 * The schema of a tool's arguments in the form that a provider accepts. The result accepts whatever the schema accepts;
 * a restriction that it cannot express becomes a short hint or is dropped. Never throws, because a provider refuses a
 * whole request for one unknown keyword. The same schema gives the same bytes. Arguments are an object: a schema of
 * anything else becomes an object of anything.
 */
export function normaliseSchema(schema: JsonObject, strategy: SchemaStrategy): JsonObject {
  const rules = strategies[strategy];
  const { description, types, values: _values, items: _items, ...object } = flatten(readShape(schema));
  const words: Shape = { description, types: ['object'], properties: new Map() };
  if (types !== undefined && !types.includes('object')) return writeNode(words, rules, true);
  return writeNode(
    withGoodNames({ ...words, ...object, properties: object.properties ?? new Map() }, rules),
    rules,
    true,
  );
}

/** Drops names that would make the provider refuse the whole request. */
function withGoodNames(shape: Shape, { names }: Rules): Shape {
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

function writeShape(shape: Shape, rules: Rules): JsonObject {
  switch (rules.unions) {
    case 'flatten':
      return writeNode(ofOneType(flatten(shape)), rules);
    case 'plain':
      return writeNode(splitByType(shape), rules);
    case 'keep':
      return writeNode(shape, rules);
  }
}

/** Several types become a hint. Null beside one type becomes a flag. */
function ofOneType(shape: Shape): Shape {
  const types = impliedTypes(shape);
  const [only, second] = types?.filter((type) => type !== 'null') ?? [];
  if (only !== undefined && second === undefined) return { ...shape, types };
  const { properties: _p, required: _r, items: _i, additional: _a, ...rest } = shape;
  const hints = types === undefined ? shape.hints : [...(shape.hints ?? []), typesHint({ ...shape, types })];
  return { ...rest, types: undefined, hints };
}

/** The shape with a single type, or as a union with only words beside it. */
function splitByType(shape: Shape): Shape {
  const { anyOf, types, description, fallback, hints, ...parts } = shape;
  if (anyOf !== undefined && Object.values(parts).every((part) => part === undefined)) {
    const variants = types === undefined ? anyOf : anyOf.map((variant) => conjoin(variant, { types }));
    return { description, fallback, hints, anyOf: variants };
  }
  const { values, ...flat } = flatten(shape);
  const several = (impliedTypes({ ...flat, values }) ?? []).filter((type) => values?.some(isOf(type)) ?? true);
  if (several.length < 2) return { ...flat, values, types: unlessEmpty(several) };
  const variants = several.map((type): Shape => {
    const own = [...(flat.limits ?? [])].filter(([name]) => kindOf(type) === limits.get(name)?.kind);
    const { properties, required, additional, items } = flat;
    return {
      types: [type],
      values: values?.filter(isOf(type)),
      limits: unlessEmpty(new Map(own)),
      ...(type === 'object' ? { properties, required, additional } : {}),
      ...(type === 'array' ? { items } : {}),
    };
  });
  return { description: flat.description, fallback: flat.fallback, hints: flat.hints, anyOf: variants };
}

function isOf(type: TypeName): (value: JsonValue) => boolean {
  return (value) => allows([type], typeOfValue(value));
}

function kindOf(type: TypeName): TypeName {
  return type === 'integer' ? 'number' : type;
}

/** The order of keywords is fixed; that of properties is kept. */
function writeNode(shape: Shape, rules: Rules, isRoot = false): JsonObject {
  const { properties, required = [], additional, items } = shape;
  const write = (part: Shape) => writeShape(part, rules);
  const isFlat = rules.unions === 'flatten';
  const isStrict = rules.unions !== 'keep';
  const types = isFlat ? shape.types?.filter((type) => type !== 'null') : shape.types;
  const values = writableValues(shape, rules);
  const missing = isStrict ? required.filter((name) => properties?.has(name) !== true) : [];
  const bounds = [...(shape.limits ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  const hints = [
    ...(shape.hints ?? []),
    ...(shape.values === undefined || values !== undefined ? [] : [valuesHint(shape.values)]),
    ...(missing.length === 0 ? [] : [`needs ${listed(missing)}`]),
    ...(isStrict && typeof additional === 'object' ? [`any names, each with ${typesHint(additional)}`] : []),
    ...bounds.flatMap(([name, value]) => (rules.limits.has(name) ? [] : [limitHint(name, value)])),
  ];
  return withoutAbsent({
    type: types?.length === 1 ? types[0] : types,
    nullable: isFlat && types !== undefined && types.length !== shape.types?.length ? true : undefined,
    description: describe(shape.description, hints),
    enum: values,
    default: shape.fallback,
    // Gemini refuses an empty list of properties, except at the root.
    properties:
      properties === undefined || (isFlat && !isRoot && properties.size === 0)
        ? undefined
        : writeAll(properties, write),
    required: unlessEmpty(isStrict ? required.filter((name) => properties?.has(name)) : required),
    additionalProperties: isStrict ? undefined : typeof additional === 'object' ? write(additional) : additional,
    // An array without it is refused.
    items: items !== undefined ? write(items) : types?.includes('array') ? {} : undefined,
    ...Object.fromEntries(bounds.filter(([name]) => rules.limits.has(name))),
    anyOf: shape.anyOf?.map(write),
  });
}

function writeAll(shapes: ReadonlyMap<string, Shape>, write: (shape: Shape) => JsonObject): JsonObject {
  // Entries, not assignment, so that a name "__proto__" stays a name.
  return Object.fromEntries([...shapes].map(([name, shape]) => [name, write(shape)]));
}

function withoutAbsent(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  );
}

/** The values that may be listed: of the stated type, and for Gemini only strings that are not empty. */
function writableValues({ types, values }: Shape, { unions }: Rules): readonly JsonValue[] | undefined {
  const fitting = unlessEmpty(
    (values ?? []).filter((value) => types === undefined || allows(types, typeOfValue(value))),
  );
  if (fitting === undefined || unions === 'keep') return fitting;
  if (unions === 'plain')
    return fitting.some((value) => typeof value === 'object' && value !== null) ? undefined : fitting;
  const words = fitting.filter((value) => value !== null);
  const areGood = words.length > 0 && words.every((value) => typeof value === 'string' && value !== '');
  return areGood && types?.includes('string') ? words : undefined;
}

const longestHint = 120;
const longestOfAllHints = 300;

/** The description, followed by the hints. */
function describe(description: string | undefined, hints: readonly string[]): string | undefined {
  const said: string[] = [];
  let room = longestOfAllHints;
  for (const hint of new Set(hints)) {
    const short = hint.replaceAll(/\s+/g, ' ').trim();
    if (short === '' || short.length > Math.min(longestHint, room)) continue;
    said.push(short);
    room -= short.length + 2;
  }
  if (said.length === 0) return description;
  const text = said.join('; ');
  return description === undefined
    ? text.charAt(0).toUpperCase() + text.slice(1)
    : `${description.trimEnd()} (${text})`;
}

/** As many values as fit. */
function valuesHint(values: readonly JsonValue[]): string {
  const texts = values.filter((value) => value !== null).map((value) => JSON.stringify(value));
  if (texts.length === 1) return `always ${texts[0]}`;
  const some = texts.filter((_text, index) => texts.slice(0, index + 1).join(', ').length < longestHint - 10);
  return some.length === 0 ? '' : `one of ${some.join(', ')}${some.length < texts.length ? ', …' : ''}`;
}

/** The types in words: "a string or an array of numbers". */
function typesHint(shape: Shape): string {
  const types = impliedTypes(shape);
  const words = types?.map((type) => {
    const [item, other] = type === 'array' ? (shape.items?.types ?? []) : [];
    if (item !== undefined && other === undefined) return `an array of ${item}s`;
    if (type === 'object' && shape.properties?.size) return `an object with ${listed([...shape.properties.keys()])}`;
    return type === 'null' ? type : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
  });
  return words === undefined ? 'any value' : words.join(' or ');
}

function limitHint(name: string, value: JsonValue): string {
  const words = limits.get(name)?.words ?? '';
  return words.replace('#', () => String(value)).replace(/^(.* 1 \w+)s$/, '$1');
}
