import { z } from 'zod';
import type { JsonObject } from '../json.ts';

/** What the Web API says no with: HTTP 200, `ok: false` and a code. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;
  /** Goes beside the code: `needed`, `provided`, `response_metadata`. */
  readonly details: JsonObject;

  constructor(code: string, details: JsonObject = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

export type Params = Readonly<Record<string, unknown>>;

/** Forms carry numbers and yes or no as text. */
export const whole = z.coerce.number().int();
export const flag = z.union([z.boolean(), z.stringbool()]);

/** Forms carry structures as JSON. What cannot be read is refused with the code. */
export function structure<Schema extends z.ZodType>(schema: Schema, code = 'invalid_arguments') {
  return z.preprocess((value) => (typeof value === 'string' ? parseJson(value, code) : value), schema);
}

/** An object of whatever holds JSON. */
export const anyObject = z.record(z.string(), z.json());
export const objectList = structure(z.array(anyObject), 'invalid_blocks_format');

/** What a thread is named by. An empty name is a mistake that is often made. */
export const threadTimestamp = z.string().regex(/^\d+\.\d{6}$/);

/** Reads the arguments of a method. Throws a refusal with the code of the argument that is missing or wrong. */
export function read<Schema extends z.ZodType>(
  schema: Schema,
  params: Params,
  codes: Readonly<Record<string, string>> = {},
): z.output<Schema> {
  const { data, error, success } = schema.safeParse(params);
  if (success) return data;
  const code = error.issues.map(({ path }) => codes[String(path[0])]).find((one) => one !== undefined);
  throw new Refusal(code ?? 'invalid_arguments', { response_metadata: { messages: [z.prettifyError(error)] } });
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
