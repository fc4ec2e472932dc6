import { isJsonObject, type JsonObject, type JsonValue, own, referredTo } from '../lib/json.ts';
import {
  allows,
  conjoin,
  distinct,
  listed,
  orNull,
  type Shape,
  type TypeName,
  typeNames,
  typeOfValue,
  union,
  unlessEmpty,
} from './schema-shape.ts';

/** In nodes. A text of forty characters counts as one. */
const budget = 5000;
/** Beyond it, what is referred to is not written out any more. */
const budgetForReferences = 1000;
const deepest = 32;
/** `allOf`, unions and references within one node. */
const mostNested = 32;
/** Of one object. */
const mostNames = 1000;
/** Of an `allOf` or a union, and of values: more says nothing to a model. */
const mostMembers = 300;
const mostValues = 500;

/**
 * Reads the JSON Schema of a tool that others have written. References are resolved, `allOf` is merged, `const` and unions of
 * literals become a list of values, `oneOf` becomes `anyOf`, and OpenAPI's `nullable` a type. What it can't read bounds
 * nothing: a shape allows at least what its schema allowed. Never endless and never beyond its bounds, whatever the schema.
 */
export function readShape(root: JsonObject): Shape {
  /** The nodes that are being read: what leads back to one of them is a stub. */
  const open = new Set<JsonObject>();
  let spent = 0;

  return read(root) ?? {};

  /** Undefined where nothing is allowed. What is no schema allows everything. */
  function read(node: JsonValue | undefined, depth = 0, nesting = 0): Shape | undefined {
    if (node === false) return undefined;
    if (!isJsonObject(node)) return {};
    spent += costOf(node);
    const isBeyond = spent > budget || depth > deepest || nesting > mostNested;
    if (isBeyond || open.has(node)) return stub(node);
    open.add(node);
    const whole = membersOf(node, depth, nesting + 1).reduce(conjoin, ownPart(node, depth));
    open.delete(node);
    return own(node, 'nullable') === true ? orNull(whole) : whole;
  }

  function ownPart(node: JsonObject, depth: number): Shape {
    const fallback = own(node, 'default');
    return {
      description: descriptionOf(node),
      fallback: fallback !== undefined && isShallow(fallback) ? fallback : undefined,
      ...readValues(node),
      ...objectParts(node, depth + 1),
      ...arrayParts(node, depth + 1),
      limits: readLimits(node),
    };
  }

  function objectParts(node: JsonObject, depth: number): Shape {
    const [members, required, others] = [
      own(node, 'properties'),
      own(node, 'required'),
      own(node, 'additionalProperties'),
    ];
    const names = isJsonObject(members) ? Object.entries(members).slice(0, mostNames) : [];
    const shapes = names.flatMap(([name, member]) => {
      const shape = read(member, depth);
      return shape === undefined ? [] : [[name, shape] as const];
    });
    const patterns = own(node, 'patternProperties');
    // With a name lost, one that was allowed would be an additional one.
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

  /** A tuple is a list of anything: what stands in it is told in words. */
  function arrayParts(node: JsonObject, depth: number): Shape {
    const items = own(node, 'items');
    const prefix = own(node, 'prefixItems') ?? items;
    if (!Array.isArray(prefix)) return { items: isJsonObject(items) ? read(items, depth) : undefined };
    const places = prefix.slice(0, 9).map((item) => read(item, depth) ?? {});
    const words = places.map(({ description, types }) => description ?? types?.join(' or ') ?? 'any value');
    return { items: {}, hints: words.length === 0 ? undefined : [`in this order: ${listed(words)}`] };
  }

  /** Shapes that hold beside what the node itself says. */
  function membersOf(node: JsonObject, depth: number, nesting: number): readonly Shape[] {
    const readAll = (list: readonly JsonValue[]): readonly Shape[] =>
      list.flatMap((member) => read(member, depth, nesting) ?? []);
    const all = own(node, 'allOf');
    const unions = (['anyOf', 'oneOf'] as const).map((keyword) => {
      const list = own(node, keyword);
      return Array.isArray(list) && list.length <= mostMembers ? union(readAll(list)) : {};
    });
    return [referred(node, depth, nesting), ...readAll(Array.isArray(all) ? all.slice(0, mostMembers) : []), ...unions];
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
    const isPayload = key === 'enum' || key === 'const' || key === 'default' || key === 'required';
    if (isPayload) return isShallow(value) ? JSON.stringify(value).length : 0;
    return key === 'properties' && isJsonObject(value) ? Object.keys(value).join('').length : 0;
  });
  return 1 + Math.floor(lengths.reduce((sum, length) => sum + length, 0) / 40);
}

/** What goes deeper is nobody's data, and overflows the stack of those who write it. */
function isShallow(value: JsonValue, levels = 50): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((part: JsonValue) => isShallow(part, levels - 1));
}

function descriptionOf(node: JsonObject): string | undefined {
  const description = own(node, 'description');
  return typeof description === 'string' && description.trim() !== '' ? description : undefined;
}

/** Of its type, whatever it is. */
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

/** The types and values of `type`, `enum` and `const`, each as narrow as the other says. */
function readValues(node: JsonObject): Pick<Shape, 'types' | 'values'> {
  const types = readTypes(node);
  const [listedValues, only] = [own(node, 'enum'), own(node, 'const')];
  const all = only === undefined ? (Array.isArray(listedValues) ? listedValues : []) : [only];
  if (all.length > mostValues || !isShallow(all)) return { types };
  const isMeant = (value: JsonValue) =>
    types === undefined || allows(types, typeOfValue(value)) || (value === null && own(node, 'nullable') === true);
  const values = distinct(all.filter(isMeant));
  if (values.length === 0) return { types };
  const found = new Set(values.map(typeOfValue));
  if (found.has('number')) found.delete('integer');
  // Of several types besides null, none is said.
  const implied = [...found].filter((type) => type !== 'null').length > 1 ? undefined : [...found];
  return { types: types ?? implied, values };
}

const counts = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const;
const amounts = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const;

/** What bounds a value. What is not well-formed would make a provider refuse the request, and is left out. */
function readLimits(node: JsonObject): Shape['limits'] {
  const limits = new Map<string, JsonValue>();
  const keep = (name: string, isGood: (value: JsonValue) => boolean) => {
    const value = own(node, name);
    if (value !== undefined && isGood(value)) limits.set(name, value);
  };
  for (const name of counts) keep(name, (value) => Number.isSafeInteger(value) && Number(value) >= 0);
  for (const name of amounts) keep(name, (value) => typeof value === 'number' && (name !== 'multipleOf' || value > 0));
  for (const name of ['pattern', 'format']) keep(name, (value) => typeof value === 'string');
  keep('uniqueItems', (value) => value === true);
  return unlessEmpty(limits);
}
