/* What the page may say of the settings, as it must be written. */

import { z } from 'zod';
import { isDeeperThan, type JsonValue } from '../../../lib/json.ts';
import { logLevels } from '../../../lib/log.ts';

/** A config may be nested 100 deep. */
const deepest = 120;
/** In UTF-16 units. The config itself may have a million. */
const longestText = 1_100_000;

const text = z.string().max(longestText);
const stamp = z.string().max(64);
const short = z.string().max(500);
const typed = z.string().min(1).max(16_384);

export const bodies = {
  check: z.strictObject({ text }),
  edit: z.strictObject({
    edits: z
      .array(
        z.strictObject({
          path: z
            .array(z.union([short, z.int().min(0).max(10_000)]))
            .min(1)
            .max(20),
          value: z.json().optional(),
        }),
      )
      .min(1)
      .max(100),
  }),
  save: z.strictObject({ text, stamp }),
  restore: z.strictObject({ version: z.int().min(1).max(1000), stamp }),
  secret: z.strictObject({ name: short, value: z.string().max(20_000), replaces: z.boolean() }),
  tokens: z.strictObject({ tokens: z.record(short, typed) }),
  model: z.strictObject({
    provider: short,
    name: short.optional(),
    baseUrl: short.optional(),
    apiKey: typed.optional(),
  }),
  logLevel: z.strictObject({ level: z.enum([...logLevels, 'default']) }),
};

/** Undefined: it is written otherwise. */
export function bodyAs<Body>(schema: z.ZodType<Body>, body: JsonValue): Body | undefined {
  // What reads it goes down into each level.
  if (isDeeperThan(body, deepest)) return undefined;
  const read = schema.safeParse(body);
  return read.success ? read.data : undefined;
}
