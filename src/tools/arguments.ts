import type { z } from 'zod';
import { type JsonValue, parseJson } from '../lib/json.ts';
import { coerce } from './coerce.ts';
import { deepestArguments, isDeeperThan } from './depth.ts';
import { inputSchema } from './json-schema.ts';
import { describeProblems } from './problems.ts';

export type Validation<Output> =
  | { readonly valid: true; readonly value: Output }
  /** The message tells the model, one line a problem, what to mend. */
  | { readonly valid: false; readonly message: string };

/**
 * Reads what a model wrote as arguments. What is valid is taken as it is; only what is not is coerced, as the schema
 * directs, and validated again. A string at the top is JSON that is still to be read; an empty one means no arguments.
 */
export function validate<Schema extends z.ZodType>(schema: Schema, raw: JsonValue): Validation<z.output<Schema>> {
  const read = readArguments(raw);
  if (!read.valid) return read;
  const first = schema.safeParse(read.value);
  if (first.success) return { valid: true, value: first.data };

  const shape = inputSchema(schema);
  const coerced = coerce(shape, read.value);
  const second = schema.safeParse(coerced);
  if (second.success) return { valid: true, value: second.data };
  return invalidArguments(describeProblems(second.error.issues, coerced, shape).join('\n'));
}

/** What the model meant to write as arguments, unless it is no JSON, or nested too deeply to be looked at. */
export function readArguments(raw: JsonValue): Validation<JsonValue> {
  const read = readRaw(raw);
  if (!read.valid || !isDeeperThan(read.value, deepestArguments)) return read;
  return invalidArguments(`They are nested more than ${deepestArguments} levels deep. Write them flatter.`);
}

function readRaw(raw: JsonValue): Validation<JsonValue> {
  if (raw === null) return { valid: true, value: {} };
  if (typeof raw !== 'string') return { valid: true, value: raw };
  if (raw.trim() === '') return { valid: true, value: {} };
  const parsed = parseJson(raw);
  if (parsed !== undefined) return { valid: true, value: parsed };
  const start = JSON.stringify(raw.slice(0, 60).toWellFormed());
  return invalidArguments(
    `They are not JSON; they begin with ${start}. Write one complete JSON object, with every string and brace closed.`,
  );
}

/** What the model is told of arguments that cannot be taken: one line a problem. */
export function invalidArguments(what: string): { readonly valid: false; readonly message: string } {
  return { valid: false, message: `The arguments are not valid, so the tool did not run.\n${what}` };
}
