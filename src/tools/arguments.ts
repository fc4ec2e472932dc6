import type { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import { type Problem, problemsIn } from '../lib/schema-problems.ts';
import { deepestArguments, inputSchema, isDeeperThan, knownKeys } from './json-schema.ts';
import { mended, mostMends, type Wanted } from './mend.ts';

export type Validation<Output> =
  | { readonly valid: true; readonly value: Output }
  /** One line per problem, which tells the model what to fix. */
  | { readonly valid: false; readonly message: string };

/**
 * Validates a model's arguments. Valid ones are taken as they are; invalid ones are repaired and validated again. A
 * string at the top is parsed as JSON; an empty one means no arguments.
 */
export function validate<Schema extends z.ZodType>(schema: Schema, raw: JsonValue): Validation<z.output<Schema>> {
  const read = readArguments(raw);
  if (!read.valid) return read;
  let { value } = read;
  for (let mends = 0; ; mends += 1) {
    const { success, data, error } = schema.safeParse(value);
    if (success) return { valid: true, value: data };
    const next =
      mends < mostMends
        ? mended(
            value,
            error.issues.flatMap((issue) => wantedBy(issue)),
          )
        : value;
    if (next === value) return invalidArguments(describeProblems(error.issues, value, inputSchema(schema)).join('\n'));
    value = next;
  }
}

/** Zod's type names that differ from JSON Schema's. */
const typesMeant: Readonly<Record<string, string>> = { int: 'integer', record: 'object', tuple: 'array' };

/** For a union, what any member accepts. */
function wantedBy(issue: z.core.$ZodIssue, above: Path = []): readonly Wanted[] {
  const path = [...above, ...issue.path];
  switch (issue.code) {
    case 'invalid_type':
      return [{ path, type: typesMeant[issue.expected] ?? issue.expected }];
    case 'invalid_value':
      return [{ path, values: issue.values }];
    case 'invalid_union':
      return issue.errors.flat().flatMap((inner) => wantedBy(inner, path));
    default:
      return [];
  }
}

/** Parses a model's arguments. Invalid if they are not JSON, or nested too deeply. */
export function readArguments(raw: JsonValue): Validation<JsonValue> {
  const text = raw === null ? '' : raw;
  const value = typeof text !== 'string' ? text : text.trim() === '' ? {} : parseJson(text);
  if (value === undefined) {
    const start = JSON.stringify(String(raw).slice(0, 60).toWellFormed());
    return invalidArguments(
      `They are not JSON; they begin with ${start}. Write one complete JSON object, with every string and brace closed.`,
    );
  }
  if (!isDeeperThan(value, deepestArguments)) return { valid: true, value };
  return invalidArguments(`They are nested more than ${deepestArguments} levels deep. Write them flatter.`);
}

export function invalidArguments(what: string): { readonly valid: false; readonly message: string } {
  return { valid: false, message: `The arguments are not valid, so the tool did not run.\n${what}` };
}

const mostProblems = 12;
const longestQuote = 60;

type Path = readonly PropertyKey[];

/** The problems for the model, one line each: the place, what is expected and what is there. */
export function describeProblems(
  issues: readonly z.core.$ZodIssue[],
  value: JsonValue,
  shape: JsonObject,
): readonly string[] {
  const problems = issues.flatMap((issue) => problemsIn(issue));
  return firstProblems(problems.map((problem) => `- ${spell(problem.path)}: ${describe(problem, value, shape)}`));
}

export function firstProblems(found: readonly string[]): readonly string[] {
  const lines = [...new Set(found)];
  if (lines.length <= mostProblems) return lines;
  return [...lines.slice(0, mostProblems), `- and ${lines.length - mostProblems} more problems`];
}

function describe(problem: Problem, value: JsonValue, shape: JsonObject): string {
  if (problem.type === 'unknown-key') return unknownKey(problem.path, shape);
  const { text, isSentence } = problem.expected;
  const words = isSentence ? text : `expected ${text}`;
  return problem.type === 'bad-key'
    ? `this key is not right: ${words}`
    : `${words}, got ${shown(valueAt(value, problem.path))}`;
}

function unknownKey(path: Path, shape: JsonObject): string {
  const known = knownKeys(shape, path.slice(0, -1));
  const meant = nearest(String(path.at(-1)), known);
  if (meant !== undefined) return `unknown; did you mean ${quote(meant)}?`;
  return `unknown; ${known.length === 0 ? 'no keys are known here' : `known are ${known.slice(0, 30).join(', ')}`}`;
}

function valueAt(value: JsonValue, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((part, key) => {
    if (Array.isArray(part)) return part[Number(key)];
    return isJsonObject(part) && Object.hasOwn(part, key) ? part[String(key)] : undefined;
  }, value);
}

function shown(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 1 ? 'a list of 1 entry' : `a list of ${value.length} entries`;
  return isJsonObject(value) ? 'an object' : quote(value);
}

function quote(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, longestQuote).toWellFormed()) : String(value);
  return typeof value === 'string' && value.length > longestQuote ? `${text} (${value.length} characters)` : text;
}

/** `items[2].name`; "the arguments" for an empty path. */
function spell(path: Path): string {
  if (path.length === 0) return 'the arguments';
  return path
    .map((key, index) =>
      typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key).slice(0, longestQuote)}`,
    )
    .join('');
}
