import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { nearest } from '../../lib/nearest.ts';
import { schemaText } from '../../lib/schema-text.ts';
import type { InLanguage } from '../../lib/words.ts';
import { parameterWords } from './words.ts';

export const jsonTypes = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;

/** The types of the short form. `raw_string` is a plain string here: a value is always one argument. */
const shortTypes = [...jsonTypes, 'raw_string'] as const;

const longForm = z.strictObject({
  param_type: z.string().default('string'),
  description: z.string().optional(),
  required: z.boolean().default(true),
});

/**
 * Reads the parameters of a tool as a JSON Schema of an object. Operators and authors may write that schema itself, or
 * by name a type, as "string", or `{ "param_type", "description", "required" }`. In the last two forms parameters are
 * required by default. Undeclared parameters are refused, unless a schema says `additionalProperties`.
 */
export const toolParameters = z
  .record(z.string(), z.unknown())
  .default({})
  .transform((written, context): JsonObject => {
    const copy: JsonValue = JSON.parse(JSON.stringify(written));
    if (!isJsonObject(copy)) return z.NEVER;
    const refuse: Refuse = (words, path) =>
      context.addIssue({ code: 'custom', message: schemaText(words), path: [...path], input: written });
    // A parameter may be called "type" or "properties": its type is there then.
    const { type, properties } = copy;
    const isSchema = type === 'object' || (isJsonObject(properties) && typeof properties.param_type !== 'string');
    return isSchema ? { type: 'object', properties: {}, additionalProperties: false, ...copy } : schemaOf(copy, refuse);
  });

/** The names that the schema declares, in order. */
export function parameterNames({ properties }: JsonObject): readonly string[] {
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

/** Names used as `{{name}}` in the text that are no parameters. */
export function undeclaredIn(action: string, parameters: JsonObject): readonly string[] {
  const declared = parameterNames(parameters);
  const named = Array.from(action.matchAll(/\{\{\s*([^{}\s]+)\s*\}\}/g), ([, name = '']) => name);
  return [...new Set(named)].filter((name) => !declared.includes(name));
}

type Refuse = (words: InLanguage, path: readonly string[]) => void;

function schemaOf(written: JsonObject, refuse: Refuse): JsonObject {
  const read = Object.entries(written).map(([name, value]) => ({ name, ...parameter(name, value, refuse) }));
  return {
    type: 'object',
    properties: Object.fromEntries(read.map(({ name, schema }) => [name, schema])),
    required: read.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function parameter(name: string, value: JsonValue, refuse: Refuse) {
  if (typeof value === 'string') return { schema: { type: typeOf(value, [name], refuse) }, required: true };
  const long = longForm.safeParse(value);
  if (!long.success) {
    refuse((language) => parameterWords[language].form, [name]);
    return { schema: {}, required: false };
  }
  const { param_type, description, required } = long.data;
  const type = typeOf(param_type, [name, 'param_type'], refuse);
  return { schema: { type, ...(description === undefined ? {} : { description }) }, required };
}

function typeOf(written: string, path: readonly string[], refuse: Refuse): string {
  if (written === 'raw_string') return 'string';
  if (shortTypes.some((type) => type === written)) return written;
  const guess = nearest(written, shortTypes);
  refuse((language) => parameterWords[language].type({ types: shortTypes, guess }), path);
  return 'string';
}

/** A `{{name}}` in a text, from `start` up to `end`. */
export interface Placeholder {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** All placeholders of the text, in order. `{{ name }}` is one, too; `{{.Name}}` is not. */
export function placeholdersIn(text: string): readonly Placeholder[] {
  return Array.from(text.matchAll(pattern), (match) => {
    const [written, name = ''] = match;
    return { name, start: match.index, end: match.index + written.length };
  });
}

const pattern = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_-]*)[ \t]*\}\}/g;

/** Replaces each placeholder with a character of its own, unknown to shells and repeated to the same length. */
export function masked(text: string): string {
  let index = 0;
  return text.replace(pattern, ({ length }) => String.fromCharCode(firstMark + index++).repeat(length));
}

/** The indices of the placeholders in a piece of the masked text. */
export function marksIn(text: string): readonly number[] {
  const marks = Array.from(text.matchAll(anyMark), ([mark]) => mark.charCodeAt(0) - firstMark);
  return [...new Set(marks)];
}

/** The limit of one text. */
export const mostPlaceholders = 1000;

/** The start of Unicode's private use area. */
const firstMark = 0xe000;
const anyMark = /[\ue000-\uf8ff]/g;
