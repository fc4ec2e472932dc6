import { z } from 'zod';
import type { KeyPath } from './placed-fault.ts';

/** The keys that the schema knows at this place, in its order; of a union, those of all its members. */
export function knownKeys(schema: z.core.$ZodType, path: KeyPath): readonly string[] {
  const start = unwrap(schema);
  const ends = path.reduce((schemas, segment) => schemas.flatMap((parent) => childSchemas(parent, segment)), start);
  return [...new Set(ends.flatMap((end) => (end instanceof z.ZodObject ? Object.keys(end.shape) : [])))];
}

function childSchemas(parent: z.core.$ZodType, segment: string | number): readonly z.core.$ZodType[] {
  if (parent instanceof z.ZodObject) {
    const shape: z.core.$ZodShape = parent.shape;
    const child = Object.hasOwn(shape, segment) ? shape[segment] : undefined;
    return child === undefined ? [] : unwrap(child);
  }
  if (parent instanceof z.ZodRecord) return unwrap(parent.valueType);
  return parent instanceof z.ZodArray ? unwrap(parent.element) : [];
}

/** The schemas that say what a value looks like, under what says what happens when it is missing. */
function unwrap(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(unwrap);
  if (schema instanceof z.ZodPipe) return unwrap(schema.in);
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodReadonly
  ) {
    return unwrap(schema.unwrap());
  }
  return [schema];
}
