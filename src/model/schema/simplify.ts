import { areDisjoint, conjoin } from './conjoin.ts';
import { distinct, isNull, type Shape, type Union, unlessEmpty } from './shape.ts';

/** The same shape with its unions in their shortest form: literals as one list of values, one variant as what it is. */
export function simplify(shape: Shape): Shape {
  const { unions, ...base } = shape;
  if (unions === undefined) return shape;
  return unions.reduce<Shape>((simple, union) => {
    const keyword = union.keyword === 'oneOf' && areAllDisjoint(union.variants) ? 'oneOf' : 'anyOf';
    const variants = withLiteralsMerged(keyword === 'anyOf' ? spread(union.variants) : union.variants);
    const [only, second] = variants;
    if (only !== undefined && second === undefined) return conjoin(simple, only);
    return variants.length > mostVariants ? simple : withUnion(simple, { keyword, variants });
  }, base);
}

/** A union of more says nothing to a model. */
const mostVariants = 100;

function withUnion(shape: Shape, union: Union): Shape {
  return { ...shape, unions: [...(shape.unions ?? []), union] };
}

/** Otherwise a variant that has lost a limit could match where another does, and `oneOf` would refuse. */
function areAllDisjoint(variants: readonly Shape[]): boolean {
  if (variants.length > 50) return false;
  return variants.every((a, index) => variants.slice(index + 1).every((b) => areDisjoint(a, b)));
}

/** A union in a union is one union. */
function spread(variants: readonly Shape[]): readonly Shape[] {
  return variants.flatMap((variant) => {
    const [inner, ...others] = variant.unions ?? [];
    const isBare = others.length === 0 && has(variant, ['unions']);
    return isBare && inner?.keyword === 'anyOf' ? inner.variants : [variant];
  });
}

/** All that is but a list of values of one type in one variant, at the place of the first. */
function withLiteralsMerged(variants: readonly Shape[]): Union['variants'] {
  const literals = variants.filter(isLiteral);
  const [first, ...rest] = literals;
  if (first === undefined || rest.length === 0 || rest.some((literal) => !isOfSameType(literal, first)))
    return variants;
  const values = distinct(literals.flatMap((literal) => literal.values ?? []));
  const words = literals.flatMap(({ values: [value] = [], title, description }) => {
    const said = description ?? title;
    return said === undefined || value === undefined ? [] : [`${JSON.stringify(value)}: ${said}`];
  });
  const merged: Shape = { types: first.types, values, hints: unlessEmpty(words) };
  return variants.flatMap((variant) => (variant === first ? [merged] : isLiteral(variant) ? [] : [variant]));
}

function isLiteral(shape: Shape): boolean {
  return shape.values !== undefined && !isNull(shape) && has(shape, ['types', 'values', 'title', 'description']);
}

function isOfSameType(a: Shape, b: Shape): boolean {
  return a.types?.length === 1 && b.types?.length === 1 && a.types[0] === b.types[0];
}

/** Whether the shape has nothing but this. */
function has(shape: Shape, keys: readonly string[]): boolean {
  return Object.entries(shape).every(([key, value]) => value === undefined || value === false || keys.includes(key));
}
