import { z } from 'zod';
import type { JsonObject } from '../../../src/lib/json.ts';
import { explained, Refusal } from './refusal.ts';

/** Forms carry numbers and yes or no as text. */
export const whole = z.union([
  z.number().int(),
  z
    .string()
    .regex(/^-?\d+$/)
    .transform(Number),
]);
export const flag = z.union([z.boolean(), z.stringbool()]);

/** Forms carry structures as JSON. What cannot be read is refused with the code. */
export function structure<Schema extends z.ZodType>(schema: Schema, code = 'invalid_arguments') {
  return z.preprocess((value) => (typeof value === 'string' ? parseJson(value, code) : value), schema);
}

/** An object of whatever holds JSON. */
export const anyObject = z.record(z.string(), z.json());
export const objectList = structure(z.array(anyObject));

export const timestamp = z.string();

/** What a thread is named by. An empty name is a mistake that is often made. */
export const threadTimestamp = z.string().refine((value) => /^\d+\.\d{6}$/.test(value), 'invalid_thread_ts');

/** What is refused if an argument is missing or wrong. */
export type Codes = Readonly<Record<string, string>>;

/** Reads the arguments of a method. Throws a refusal with the argument's code, or one that names it. */
export function read<Schema extends z.ZodType>(
  schema: Schema,
  params: Readonly<Record<string, unknown>>,
  codes: Codes = {},
): z.output<Schema> {
  const result = schema.safeParse(params);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    const code = codes[String(issue.path[0])];
    if (code !== undefined) throw new Refusal(code);
  }
  throw explained('invalid_arguments', ...result.error.issues.map((issue) => describe(issue, params)));
}

function describe(issue: z.core.$ZodIssue, params: Readonly<Record<string, unknown>>): string {
  if (issue.code === 'unrecognized_keys') return `unexpected argument: ${issue.keys.join(', ')}`;
  const name = issue.path.join('/');
  if (issue.path.length === 1 && params[name] === undefined) return `missing required field: ${name}`;
  return `${issue.message} [json-pointer:/${name}]`;
}

function parseJson(text: string, code: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(code);
  }
}

/** Leaves out what is undefined. */
export function defined(fields: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject {
  const given = Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  return Object.fromEntries(given);
}
