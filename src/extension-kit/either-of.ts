import type { z } from 'zod';
import { schemaText } from '../lib/schema-text.ts';
import { kitSettingWords } from './settings/words.ts';

/** Exactly one of two keys must be given. */
export function eitherOf<Schema extends z.ZodType<object>>(schema: Schema, ...keys: readonly [string, string]): Schema {
  const isOne = (value: object): boolean => keys.filter((key) => Reflect.get(value, key) !== undefined).length === 1;
  return schema.refine(isOne, eitherText(keys));
}

/** That it is not so, in the text that a schema takes. */
export function eitherText(keys: readonly [string, string]): string {
  return schemaText((language) => kitSettingWords[language].either({ keys }));
}
