import type { JsonObject, JsonValue } from '../lib/json.ts';
import {
  allows,
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
   * `any`: lists of types, and unions except at the root, where no provider accepts one. `union`: a union of types, with
   * only words beside it. `one`: a single type or none, and perhaps null.
   */
  readonly types: 'any' | 'union' | 'one';
  /** The limits that stay. The others become hints. */
  readonly limits: readonly string[];
  /** The pattern for names of the root's properties. */
  readonly names?: RegExp;
}

const limitsOf = (...kinds: readonly TypeName[]): readonly string[] =>
  [...limits].flatMap(([name, { kind }]) => (kinds.includes(kind) ? [name] : []));
const mostLimits = [...limitsOf('number', 'array', 'object'), 'format'];

const strategies: Readonly<Record<SchemaStrategy, Rules>> = {
  gemini: { types: 'one', limits: [] },
  anthropic: { types: 'any', limits: mostLimits, names: /^[\w.-]{1,64}$/ },
  openai: { types: 'any', limits: [...mostLimits, 'minLength', 'maxLength'] },
  conservative: { types: 'union', limits: ['minimum', 'maximum'] },
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
  const isObject = types?.includes('object') ?? true;
  const root = { properties: new Map(), ...(isObject ? withGoodNames(object, rules) : {}) };
  return writeNode({ ...root, description, types: ['object'] }, rules, true);
}

/** Drops names that would make the provider refuse the whole request. */
function withGoodNames({ properties = new Map(), ...shape }: Shape, { names = /^/ }: Rules): Shape {
  const bad = [...properties.keys()].filter((name) => !names.test(name));
  if (bad.length === 0) return { ...shape, properties };
  return {
    properties: new Map([...properties].filter(([name]) => names.test(name))),
    required: unlessEmpty((shape.required ?? []).filter((name) => names.test(name))),
    additional: shape.additional === false ? undefined : shape.additional,
    limits: shape.limits,
    hints: [...(shape.hints ?? []), `also takes ${listed(bad.map((name) => JSON.stringify(name)))}`],
  };
}

function write(shape: Shape, rules: Rules): JsonObject {
  switch (rules.types) {
    case 'any':
      return writeNode(shape, rules);
    case 'union':
      return writeNode(splitByType(flatten(shape)), rules);
    case 'one':
      return writeNode(ofOneType(flatten(shape)), rules);
  }
}

/** Several types become a hint. */
function ofOneType(shape: Shape): Shape {
  const types = impliedTypes(shape);
  if (types?.filter((type) => type !== 'null').length === 1) return { ...shape, types };
  const { description, fallback, values, limits, hints = [] } = shape;
  return { description, fallback, values, limits, hints: types === undefined ? hints : [...hints, typesHint(shape)] };
}

/** Several types become a union. */
function splitByType({ description, fallback, hints, ...shape }: Shape): Shape {
  const { values, properties, required, additional, items } = shape;
  const isListed = (type: TypeName) => values?.some((value) => allows([type], typeOfValue(value))) ?? true;
  const types = (impliedTypes(shape) ?? []).filter(isListed);
  if (types.length < 2) return { ...shape, description, fallback, hints, types: unlessEmpty(types) };
  const variants = types.map((type): Shape => {
    const kind = type === 'integer' ? 'number' : type;
    const own = [...(shape.limits ?? [])].filter(([name]) => limits.get(name)?.kind === kind);
    return {
      types: [type],
      values,
      limits: new Map(own),
      ...(type === 'object' ? { properties, required, additional } : {}),
      ...(type === 'array' ? { items } : {}),
    };
  });
  return { description, fallback, hints, anyOf: variants };
}

/** The order of keywords is fixed; that of properties is kept. */
function writeNode(shape: Shape, rules: Rules, isRoot = false): JsonObject {
  const { properties, required, additional, items } = shape;
  const writePart = (part: Shape) => write(part, rules);
  const isFull = rules.types === 'any';
  const isOne = rules.types === 'one';
  const types = isOne ? shape.types?.filter((type) => type !== 'null') : shape.types;
  const values = writableValues(shape, rules);
  const bounds = [...(shape.limits ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  const hints = [
    ...(shape.hints ?? []),
    ...(values === undefined ? valuesHint(shape.values ?? []) : []),
    ...(!isFull && typeof additional === 'object' ? [`any names, each with ${typesHint(additional)}`] : []),
    ...bounds.flatMap(([name, value]) => (rules.limits.includes(name) ? [] : [limitHint(name, value)])),
  ];
  const members: Readonly<Record<string, JsonValue | undefined>> = {
    type: types?.length === 1 ? types[0] : types,
    nullable: (isOne && shape.types?.includes('null')) || undefined,
    description: describe(shape.description, hints),
    enum: values,
    default: shape.fallback,
    // Gemini refuses an empty list of properties, except at the root.
    properties: isOne && !isRoot && properties?.size === 0 ? undefined : properties && writeAll(properties, writePart),
    required: isFull ? required : unlessEmpty((required ?? []).filter((name) => properties?.has(name))),
    additionalProperties: isFull ? (typeof additional === 'object' ? writePart(additional) : additional) : undefined,
    // An array without it is refused.
    items: items !== undefined ? writePart(items) : types?.includes('array') ? {} : undefined,
    ...Object.fromEntries(bounds.filter(([name]) => rules.limits.includes(name))),
    anyOf: shape.anyOf?.map(writePart),
  };
  return Object.fromEntries(
    Object.entries(members).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  );
}

function writeAll(shapes: ReadonlyMap<string, Shape>, write: (shape: Shape) => JsonObject): JsonObject {
  // Entries, not assignment, so that a name "__proto__" stays a name.
  return Object.fromEntries([...shapes].map(([name, shape]) => [name, write(shape)]));
}

/** The values that may be listed: of the stated type, and for Gemini only strings that are not empty. */
function writableValues({ types, values = [] }: Shape, rules: Rules): readonly JsonValue[] | undefined {
  const fitting = values.filter((value) => types === undefined || allows(types, typeOfValue(value)));
  switch (rules.types) {
    case 'any':
      return unlessEmpty(fitting);
    case 'union':
      return fitting.some((value) => typeof value === 'object' && value !== null) ? undefined : unlessEmpty(fitting);
    case 'one': {
      const words = fitting.filter((value) => value !== null);
      const areGood = types?.includes('string') && words.every((value) => typeof value === 'string' && value !== '');
      return areGood ? unlessEmpty(words) : undefined;
    }
  }
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
  const texts = values.filter((value) => value !== null).map((value) => JSON.stringify(value));
  if (texts.length === 1) return [`always ${texts[0]}`];
  const some = texts.filter((_text, index) => texts.slice(0, index + 1).join(', ').length < longestHint - 10);
  return some.length === 0 ? [] : [`one of ${some.join(', ')}${some.length < texts.length ? ', …' : ''}`];
}

/** The types in words: "a string or an array of numbers". */
function typesHint(shape: Shape): string {
  const words = impliedTypes(shape)?.map((type) => {
    const [item, other] = type === 'array' ? (shape.items?.types ?? []) : [];
    if (item !== undefined && other === undefined) return `an array of ${item}s`;
    if (type === 'object' && shape.properties?.size) return `an object with ${listed([...shape.properties.keys()])}`;
    return type === 'null' ? type : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
  });
  return words?.join(' or ') ?? 'any value';
}

function limitHint(name: string, value: JsonValue): string {
  const words = limits.get(name)?.words ?? '';
  return words.replace('#', () => String(value)).replace(/^(.* 1 \w+)s$/, '$1');
}
