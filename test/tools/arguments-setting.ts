import { z } from 'zod';
import type { JsonValue } from '../../src/lib/json.ts';
import { validate } from '../../src/tools/arguments.ts';

export const order = z.strictObject({
  item: z.string(),
  amount: z.number().int().min(1).max(99).default(1),
  express: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
  address: z.strictObject({ street: z.string(), number: z.number() }).optional(),
  lines: z.array(z.strictObject({ id: z.number(), gift: z.boolean().nullable().optional() })).optional(),
});

export function outputOf(schema: z.ZodType, raw: JsonValue): unknown {
  const validation = validate(schema, raw);
  if (!validation.valid) throw new Error(validation.message);
  return validation.value;
}

export function messageOf(schema: z.ZodType, raw: JsonValue): string {
  const validation = validate(schema, raw);
  return validation.valid ? `valid: ${JSON.stringify(validation.value)}` : validation.message;
}

export const one = (schema: z.ZodType): z.ZodType => z.strictObject({ value: schema });
