import type { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import { coerce } from './coerce.ts';
import { deepestArguments, inputSchema, isDeeperThan, knownKeys } from './json-schema.ts';

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

/** What the model is told of arguments that cannot be taken: one line a problem. */
export function invalidArguments(what: string): { readonly valid: false; readonly message: string } {
  return { valid: false, message: `The arguments are not valid, so the tool did not run.\n${what}` };
}

const mostProblems = 12;
const longestQuote = 60;

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** What is wrong with the arguments, for the model: a line for each problem, with the place, what is expected and what stands there. */
export function describeProblems(issues: readonly Issue[], value: JsonValue, shape: JsonObject): readonly string[] {
  return firstProblems(issues.flatMap((issue) => describe(issue, [], { value, shape })));
}

/** Each line once, and not too many of them. */
export function firstProblems(found: readonly string[]): readonly string[] {
  const lines = [...new Set(found)];
  if (lines.length <= mostProblems) return lines;
  return [...lines.slice(0, mostProblems), `- and ${lines.length - mostProblems} more problems`];
}

interface Arguments {
  readonly value: JsonValue;
  readonly shape: JsonObject;
}

function describe(issue: Issue, prefix: Path, args: Arguments): readonly string[] {
  const path = [...prefix, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(path, key, args.shape));
    case 'invalid_union':
      return describeUnion(issue, path, args);
    case 'invalid_key':
      return [line(path, args, 'this key is not allowed')];
    case 'invalid_element':
      return issue.issues.flatMap((inner) => describe(inner, path, args));
    case 'custom':
      return [line(path, args, issue.message)];
    case 'invalid_type':
    case 'invalid_value':
    case 'too_big':
    case 'too_small':
    case 'not_multiple_of':
    case 'invalid_format':
      return [line(path, args, `expected ${expectation(issue)}`)];
  }
}

function expectation(
  issue: Exclude<Issue, { code: 'unrecognized_keys' | 'invalid_union' | 'invalid_key' | 'invalid_element' | 'custom' }>,
): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeName(issue.expected);
    case 'invalid_value':
      return issue.values.length === 1 ? quote(issue.values[0]) : `one of ${issue.values.map(quote).join(', ')}`;
    case 'too_big':
      return `${limitWord(issue, 'most')} ${issue.maximum}${unit(issue.origin)}`;
    case 'too_small':
      return `${limitWord(issue, 'least')} ${issue.minimum}${unit(issue.origin)}`;
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return issue.pattern === undefined || issue.format !== 'regex'
        ? `text of the format ${issue.format}`
        : `text that matches ${issue.pattern}`;
  }
}

function limitWord(
  issue: { readonly exact?: boolean; readonly inclusive?: boolean },
  direction: 'most' | 'least',
): string {
  if (issue.exact) return 'exactly';
  if (issue.inclusive !== false) return `at ${direction}`;
  return direction === 'most' ? 'less than' : 'more than';
}

function unit(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' || origin === 'set' ? ' items' : '';
}

const typeNames: Readonly<Record<string, string>> = {
  int: 'a whole number',
  null: 'null',
  never: 'nothing here',
  record: 'an object',
};

function typeName(expected: string): string {
  return typeNames[expected] ?? (/^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`);
}

/** The variant that comes nearest is the one the model most likely meant: only its problems are worth reading. */
function describeUnion(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  path: Path,
  args: Arguments,
): readonly string[] {
  const options = 'options' in issue ? (issue.options ?? []) : [];
  if (options.length > 0) return [line(path, args, `expected one of ${options.map(quote).join(', ')}`)];
  const meant = issue.errors
    .filter((errors) => !errors.some((error) => error.code === 'invalid_type' && error.path.length === 0))
    .sort((a, b) => a.length - b.length)[0];
  if (meant !== undefined) return meant.flatMap((error) => describe(error, path, args));
  const types = issue.errors
    .flat()
    .flatMap((error) => (error.code === 'invalid_type' ? [typeName(error.expected)] : []));
  return [line(path, args, types.length > 0 ? `expected ${[...new Set(types)].join(' or ')}` : issue.message)];
}

function unknownKey(path: Path, key: string, shape: JsonObject): string {
  const known = knownKeys(shape, path);
  const meant = nearest(key, known);
  if (meant !== undefined) return `- ${spell([...path, key])}: unknown; did you mean ${quote(meant)}?`;
  const all = known.length === 0 ? 'no keys are known here' : `known are ${known.slice(0, 30).join(', ')}`;
  return `- ${spell([...path, key])}: unknown; ${all}`;
}

function line(path: Path, { value }: Arguments, problem: string): string {
  return `- ${spell(path)}: ${problem}, got ${shown(valueAt(value, path))}`;
}

function valueAt(value: JsonValue, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((part, key) => {
    if (Array.isArray(part)) return part[Number(key)];
    return isJsonObject(part) && Object.hasOwn(part, key) ? part[String(key)] : undefined;
  }, value);
}

function shown(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 1 ? 'an array of 1 item' : `an array of ${value.length} items`;
  return isJsonObject(value) ? 'an object' : quote(value);
}

function quote(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, longestQuote).toWellFormed()) : String(value);
  return typeof value === 'string' && value.length > longestQuote ? `${text} (${value.length} characters)` : text;
}

/** `items[2].name`; the arguments themselves where the path is empty. */
function spell(path: Path): string {
  if (path.length === 0) return 'the arguments';
  return path
    .map((key, index) =>
      typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key).slice(0, longestQuote)}`,
    )
    .join('');
}
