import { canonicalJson } from '../../lib/json.ts';
import { conjoin } from './conjoin.ts';
import { alternativesHint } from './hints.ts';
import { distinct, impliedTypes, isNull, type Shape, type TypeName, typesOf, unlessEmpty } from './shape.ts';

/** The shape without its unions: in place of each stands one shape that allows what any of the variants allows. */
export function flatten(shape: Shape): Shape {
  const { unions, ...base } = shape;
  return (unions ?? []).reduce<Shape>((flat, { variants }) => {
    const some = variants.filter((variant) => !isNull(variant)).map(flatten);
    const [first, ...rest] = some;
    if (first === undefined) return flat;
    const hint = rest.length === 0 ? undefined : alternativesHint(some);
    const joined = rest.reduce(join, first);
    const orNull = some.length < variants.length ? withNull(joined) : joined;
    return conjoin(flat, hint === undefined ? orNull : { ...orNull, hints: [...(orNull.hints ?? []), hint] });
  }, base);
}

/** The shape, or null. */
function withNull(shape: Shape): Shape {
  const { types, values } = shape;
  if (types === undefined || types.includes('null')) return shape;
  return {
    ...shape,
    types: [...types, 'null'],
    ...(values === undefined || values.includes(null) ? {} : { values: [...values, null] }),
  };
}

/**
 * One shape for what either allows. A property that only one of them names keeps its shape: the other one would allow
 * anything under this name, but means nothing by it.
 */
function join(a: Shape, b: Shape): Shape {
  if (a.reference !== undefined || b.reference !== undefined) return a.reference === b.reference ? a : {};
  const types = allTypes(typesOf({ ...a, types: impliedTypes(a) }), typesOf({ ...b, types: impliedTypes(b) }));
  // What may be anything has no parts.
  if (types === undefined) return {};
  return {
    types,
    title: a.title === b.title ? a.title : undefined,
    description: a.description === b.description ? a.description : undefined,
    values: a.values === undefined || b.values === undefined ? undefined : distinct([...a.values, ...b.values]),
    properties: allProperties(a, b),
    required: unlessEmpty((a.required ?? []).filter((name) => b.required?.includes(name))),
    additional: isClosed(a) && isClosed(b) ? false : undefined,
    items: a.items === undefined || b.items === undefined ? itemsOfOne(a, b) : join(a.items, b.items),
    limits: commonLimits(a, b),
    hints: unlessEmpty((a.hints ?? []).filter((hint) => b.hints?.includes(hint))),
  };
}

function allTypes(
  a: readonly TypeName[] | undefined,
  b: readonly TypeName[] | undefined,
): readonly TypeName[] | undefined {
  if (a === undefined || b === undefined) return undefined;
  const all = new Set([...a, ...b]);
  return [...all].filter((type) => type !== 'integer' || !all.has('number'));
}

function allProperties({ properties: a }: Shape, { properties: b }: Shape): Shape['properties'] {
  if (a === undefined || b === undefined) return a ?? b;
  const all = new Map(a);
  for (const [name, shape] of b) {
    const other = all.get(name);
    all.set(name, other === undefined ? shape : join(flatten(other), flatten(shape)));
  }
  return all;
}

/** Without patterns for names: then the names of the properties are all that there are. */
function isClosed({ additional, patterns }: Shape): boolean {
  return additional === false && patterns === undefined;
}

/** What the items of an array are if only one of the two shapes is an array. */
function itemsOfOne(a: Shape, b: Shape): Shape | undefined {
  if (!mayBeArray(a)) return b.items;
  return mayBeArray(b) ? undefined : a.items;
}

function mayBeArray(shape: Shape): boolean {
  return typesOf(shape)?.includes('array') ?? true;
}

function commonLimits({ limits: a }: Shape, { limits: b }: Shape): Shape['limits'] {
  if (a === undefined || b === undefined) return undefined;
  const common = [...a].filter(([name, value]) => canonicalJson(b.get(name) ?? null) === canonicalJson(value));
  return unlessEmpty(new Map(common));
}
