import { conjoin } from './conjoin.ts';
import { flatten } from './join.ts';
import { allows, impliedTypes, isNull, type Shape, type TypeName, typeOfValue, typesOf, unlessEmpty } from './shape.ts';
import { simplify } from './simplify.ts';

/** The shape as one of one type, or as a union of such shapes with nothing but words beside it. */
export function splitByType(shape: Shape): Shape {
  const { unions = [], title, description, fallback, hints, ...base } = shape;
  const words: Shape = { title, description, fallback, hints };
  const [union, other] = unions;
  const [types, orNull] = [base.types, shape.nullable === true];
  if (union !== undefined && other === undefined && !hasParts(base)) {
    const variants = union.variants.flatMap((variant) => variantsOf(splitByType(conjoin(variant, { types }))));
    const all = orNull && !variants.some(isNull) ? [...variants, nothing] : variants;
    return simplify({ ...words, unions: [{ keyword: 'anyOf', variants: all }] });
  }
  const flat = flatten({ ...base, unions: unlessEmpty(unions) });
  const several = typesOf({ ...flat, types: impliedTypes(flat), nullable: orNull }) ?? [];
  const [only, second] = several;
  if (second === undefined)
    return { ...conjoin(words, flat), nullable: false, types: only === undefined ? undefined : [only] };
  const variants = several.map((type) => (type === 'null' ? nothing : narrowed(flat, type)));
  return {
    ...words,
    hints: unlessEmpty([...(hints ?? []), ...(flat.hints ?? [])]),
    unions: [{ keyword: 'anyOf', variants }],
  };
}

const nothing: Shape = { types: ['null'] };

/** Its variants, if there is nothing but them. */
function variantsOf(shape: Shape): readonly Shape[] {
  const { unions: [union] = [], ...rest } = shape;
  const isBare = Object.values(rest).every((value) => value === undefined || value === false);
  return union !== undefined && isBare ? union.variants : [shape];
}

function hasParts({ properties, required, items, prefix, values, additional, patterns, limits }: Shape): boolean {
  return [properties, required, items, prefix, values, additional, patterns, limits].some((part) => part !== undefined);
}

/** What the shape says of one of its types. */
function narrowed(shape: Shape, type: TypeName): Shape {
  const { properties, required, additional, patterns, items, prefix, limits, values } = shape;
  return {
    types: [type],
    values: unlessEmpty((values ?? []).filter((value) => allows([type], typeOfValue(value)))),
    ...(type === 'object' ? { properties, required, additional, patterns } : {}),
    ...(type === 'array' ? { items, prefix } : {}),
    limits: unlessEmpty(new Map([...(limits ?? [])].filter(([name]) => isLimitOf(name, type)))),
  };
}

function isLimitOf(name: string, type: TypeName): boolean {
  switch (type) {
    case 'object':
      return /Properties$/.test(name);
    case 'array':
      return /Items$/.test(name);
    case 'string':
      return /Length$|^pattern$|^format$/.test(name);
    case 'integer':
    case 'number':
      return /imum$|^multipleOf$/.test(name);
    case 'boolean':
    case 'null':
      return false;
  }
}
