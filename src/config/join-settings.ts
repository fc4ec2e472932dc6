import { z } from 'zod';
import { type ChannelSettings, type Config, coreSettings } from './schema.ts';
import type { SettingsContext } from './setting-kinds.ts';
import type { SettingsPart } from './settings-part.ts';

/**
 * The strict schema of the whole config: the core's keys and those of the parts. Every key has a default or is optional;
 * a key that no part owns is an error. Throws if two parts own one key.
 */
export function configSchema(
  channels: ChannelSettings,
  parts: readonly SettingsPart[],
  around?: Partial<SettingsContext>,
): z.ZodType<Config>;
export function configSchema(
  channels: ChannelSettings,
  parts: readonly SettingsPart[],
  around: Partial<SettingsContext> = {},
): z.ZodType {
  const context = { absolute: (path: string) => path, environment: {}, ...around, channels: Object.keys(channels) };
  return strict([coreSettings(context, channels), ...parts.map((part) => part.keys(context))], '');
}

/** One strict object with the keys of all. */
function strict(objects: readonly z.ZodObject[], path: string): z.ZodObject {
  const owners = Map.groupBy(
    objects.flatMap(({ shape }) => Object.entries(shape)),
    ([key]) => key,
  );
  const shape = [...owners].map(([key, found]) => [
    key,
    joined(
      found.map(([, schema]) => schema),
      `${path}${key}`,
    ),
  ]);
  return z.strictObject(Object.fromEntries(shape));
}

function joined(schemas: readonly z.core.$ZodType[], path: string): z.core.$ZodType {
  const blocks = schemas.flatMap((schema) => blockIn(schema) ?? []);
  const [only] = schemas;
  if (blocks.length === 0 && schemas.length === 1 && only !== undefined) return only;
  if (blocks.length < schemas.length) throw new Error(`two parts own the key ${path}`);
  const block = strict(blocks, `${path}.`).prefault({});
  // The part that has most of a block comes after the core, which has a key or two of it.
  const description = schemas.map((schema) => z.globalRegistry.get(schema)?.description).findLast((words) => words);
  return description === undefined ? block : block.describe(description);
}

/** The object in a block that is `shared`. */
function blockIn(schema: z.core.$ZodType): z.ZodObject | undefined {
  const within = schema instanceof z.ZodPrefault ? schema.unwrap() : undefined;
  return within instanceof z.ZodObject && within.def.catchall === undefined ? within : undefined;
}
