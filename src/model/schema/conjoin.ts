import type { JsonValue } from '../../lib/json.ts';
import { allows, common, type Shape, type TypeName, typesOf, unlessEmpty } from './shape.ts';

/**
 * A shape that allows what both allow, and as little else as can be said in one shape. The words of the first go before
 * those of the second.
 */
export function conjoin(a: Shape, b: Shape): Shape {
  // What a reference stands for is not known here: either shape alone allows all that both allow.
  if (a.reference !== undefined) return b.reference === undefined ? { ...b, ...annotations(a, b) } : a;
  if (b.reference !== undefined) return { ...a, ...annotations(a, b) };
  return {
    types: commonTypes(typesOf(a), typesOf(b)),
    nullable: a.types === undefined && b.types === undefined && a.nullable === true && b.nullable === true,
    ...annotations(a, b),
    values: isContradiction(a, b) ? undefined : commonValues(a.values, b.values),
    properties: mergeMaps(a.properties, b.properties, conjoin),
    required: unlessEmpty([...new Set([...(a.required ?? []), ...(b.required ?? [])])]),
    additional: commonAdditional(a.additional, b.additional),
    patterns: mergeMaps(a.patterns, b.patterns, conjoin),
    items: both(a.items, b.items, conjoin),
    prefix: a.prefix ?? b.prefix,
    limits: mergeMaps(a.limits, b.limits, (first, second, name) => tighter(name, first, second)),
    clauses: mergeMaps(a.clauses, b.clauses, (first) => first),
    unions: unlessEmpty([...(a.unions ?? []), ...(b.unions ?? [])]),
    hints: unlessEmpty([...new Set([...(a.hints ?? []), ...(b.hints ?? [])])]),
  };
}

function isContradiction(a: Shape, b: Shape): boolean {
  const [types, others] = [typesOf(a), typesOf(b)];
  return types !== undefined && others !== undefined && commonTypes(types, others) === undefined;
}

function annotations(a: Shape, b: Shape): Shape {
  return {
    title: a.title ?? b.title,
    description: a.description ?? b.description,
    fallback: a.fallback === undefined ? b.fallback : a.fallback,
  };
}

function commonTypes(
  a: readonly TypeName[] | undefined,
  b: readonly TypeName[] | undefined,
): readonly TypeName[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const narrow = a.filter((type) => allows(b, type));
  // Where nothing is common no value is allowed at all, and that can't be said: all are.
  return unlessEmpty([...new Set([...narrow, ...b.filter((type) => allows(a, type))])]);
}

function commonValues(
  a: readonly JsonValue[] | undefined,
  b: readonly JsonValue[] | undefined,
): readonly JsonValue[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return unlessEmpty(common(a, b));
}

function commonAdditional(a: Shape['additional'], b: Shape['additional']): Shape['additional'] {
  if (a === undefined || a === true) return b ?? a;
  if (b === undefined || b === true) return a;
  return a === false || b === false ? false : conjoin(a, b);
}

function tighter(name: string, a: JsonValue, b: JsonValue): JsonValue {
  if (typeof a !== 'number' || typeof b !== 'number') return a;
  if (/^(?:min|exclusiveMin)/.test(name)) return Math.max(a, b);
  return /^(?:max|exclusiveMax)/.test(name) ? Math.min(a, b) : a;
}

function both<Value>(a: Value | undefined, b: Value | undefined, merge: (a: Value, b: Value) => Value) {
  return a === undefined || b === undefined ? (a ?? b) : merge(a, b);
}

/** All that either map has, merged where both have it. */
function mergeMaps<Value>(
  a: ReadonlyMap<string, Value> | undefined,
  b: ReadonlyMap<string, Value> | undefined,
  merge: (a: Value, b: Value, name: string) => Value,
): ReadonlyMap<string, Value> | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const merged = new Map(a);
  for (const [name, value] of b) {
    const first = merged.get(name);
    merged.set(name, first === undefined ? value : merge(first, value, name));
  }
  return merged;
}

/** Whether no value can be of both shapes. Only where that is plain to see. */
export function areDisjoint(a: Shape, b: Shape): boolean {
  if (a.reference !== undefined || b.reference !== undefined) return false;
  const [types, others] = [typesOf(a), typesOf(b)];
  if (types !== undefined && others !== undefined && commonTypes(types, others) === undefined) return true;
  if (a.values !== undefined && b.values !== undefined) return commonValues(a.values, b.values) === undefined;
  if (!areObjects(types, others)) return false;
  return (a.required ?? []).some((name) => {
    const [first, second] = [a.properties?.get(name), b.properties?.get(name)];
    return first !== undefined && second !== undefined && b.required?.includes(name) && areDisjoint(first, second);
  });
}

function areObjects(...types: readonly (readonly TypeName[] | undefined)[]): boolean {
  return types.every((names) => names?.length === 1 && names[0] === 'object');
}
