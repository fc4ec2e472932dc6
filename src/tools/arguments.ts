/** Validates a model's arguments, repairs them, and tells the model what is wrong. At the end: what many tools take. */
import { z } from 'zod';
import {
  isDeeperThan,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonCopy,
  own,
  parseJson,
  referredTo,
  valueAt,
} from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import { type Problem, problemsIn } from '../lib/schema-problems.ts';
import { blanksAt, blanksBelow, except, isBlank, without } from './blank-arguments.ts';
import { cleanText } from './text.ts';

export type Validation<Output> =
  | { readonly valid: true; readonly value: Output }
  /** One line per problem, which tells the model what to fix. */
  | { readonly valid: false; readonly message: string };

/**
 * Validates a model's arguments. Valid ones are taken as they are; invalid ones are repaired and validated again. An
 * empty text, or a word for nothing such as "None", counts as absent where it is invalid and absence is not. A string at
 * the top is parsed as JSON; an empty one means no arguments.
 */
export function validate<Schema extends z.ZodType>(schema: Schema, raw: JsonValue): Validation<z.output<Schema>> {
  return validateBy(
    raw,
    (value) => schema.safeParse(value),
    () => inputSchema(schema),
  );
}

export type Issue = z.core.$ZodIssue;

/** What a validator says of a value, as zod does. */
export type Checked<Output> =
  | { readonly success: true; readonly data: Output }
  | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };

/** How often repaired arguments are validated again: a parsed string may contain more to repair. */
const mostMends = 4;

/** `validate` with any validator. `shape`: the JSON Schema, for the names of keys. */
export function validateBy<Output>(
  raw: JsonValue,
  check: (value: JsonValue) => Checked<Output>,
  shape: () => JsonObject,
): Validation<Output> {
  const read = readArguments(raw);
  if (!read.valid) return read;
  let { value } = read;
  for (let mends = 0; ; mends += 1) {
    const checked = check(value);
    if (checked.success) return { valid: true, value: checked.data };
    const { issues } = checked.error;
    const wanted = issues.flatMap((issue) => wantedBy(issue));
    const next = mends < mostMends ? mended(withoutRefused(value, issues, check), wanted) : value;
    if (JSON.stringify(next) !== JSON.stringify(value)) {
      value = next;
      continue;
    }
    const less = withoutExcluded(value, issues, check);
    return less?.success === true
      ? { valid: true, value: less.data }
      : invalid(describeProblems(issues, value, shape()).join('\n'));
  }
}

/**
 * Two keys may exclude each other, and one of them says only that it is not given. The others stay: a variable may be
 * empty on purpose.
 */
function withoutExcluded<Output>(
  value: JsonValue,
  issues: readonly Issue[],
  check: (value: JsonValue) => Checked<Output>,
): Checked<Output> | undefined {
  const places = issues.flatMap(placesIn).flatMap((path) => [path, path.slice(0, -1)]);
  const blanks = blanksBelow(value, places);
  if (blanks.length === 0) return undefined;
  const bare = check(without(value, blanks));
  if (!bare.success) return undefined;
  for (const one of blanks.slice(0, mostBlanks)) {
    const checked = check(without(value, [one]));
    if (checked.success) return checked;
  }
  return bare;
}

/** How many are tried alone. */
const mostBlanks = 12;

/** The value without those blanks that the validator refuses and would not miss. */
function withoutRefused(
  value: JsonValue,
  issues: readonly Issue[],
  check: (value: JsonValue) => Checked<unknown>,
): JsonValue {
  const blanks = blanksAt(value, issues.flatMap(placesIn));
  if (blanks.length === 0) return value;
  const checked = check(without(value, blanks));
  return without(value, checked.success ? blanks : except(blanks, checked.error.issues.flatMap(placesIn)));
}

/** Where the issue is; for a union, where any member has one. */
function placesIn(issue: Issue): readonly Path[] {
  const inner = issue.code === 'invalid_union' ? issue.errors.flat().flatMap(placesIn) : [];
  return [issue.path, ...inner.map((path) => [...issue.path, ...path])];
}

/** Zod's type names that differ from JSON Schema's. */
const typesMeant: Readonly<Record<string, string>> = { int: 'integer', record: 'object', tuple: 'array' };

/** For a union, what any member accepts. */
function wantedBy(issue: Issue, above: Path = []): readonly Wanted[] {
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
function readArguments(raw: JsonValue): Validation<JsonValue> {
  const text = raw === null ? '' : raw;
  const value = typeof text !== 'string' ? text : text.trim() === '' ? {} : parseJson(text);
  if (value === undefined) {
    const start = JSON.stringify(String(raw).slice(0, 60).toWellFormed());
    return invalid(
      `They are not JSON; they begin with ${start}. Write one complete JSON object, with every string and brace closed.`,
    );
  }
  if (!isDeeperThan(value, deepestArguments)) return { valid: true, value };
  return invalid(`They are nested more than ${deepestArguments} levels deep. Write them flatter.`);
}

function invalid(what: string): { readonly valid: false; readonly message: string } {
  return { valid: false, message: `The arguments are not valid, so the tool did not run.\n${what}` };
}

const mostProblems = 12;
const longestQuote = 60;

type Path = readonly PropertyKey[];

/** The problems for the model, one line each: the place, what is expected and what is there. */
export function describeProblems(issues: readonly Issue[], value: JsonValue, shape: JsonObject): readonly string[] {
  const problems = issues.flatMap((issue) => problemsIn(issue));
  const lines = new Set(problems.map((problem) => `- ${spell(problem.path)}: ${describe(problem, value, shape)}`));
  const more = lines.size > mostProblems ? [`- and ${lines.size - mostProblems} more problems`] : [];
  return [...[...lines].slice(0, mostProblems), ...more];
}

function describe(problem: Problem, value: JsonValue, shape: JsonObject): string {
  if (problem.type === 'unknown-key') return unknownKey(problem.path, shape);
  const { text, advice, isSentence } = problem.expected;
  const words = isSentence ? text : `expected ${text}`;
  if (problem.type === 'bad-key') return `this key is not right: ${words}`;
  // That all of them are an object needs no saying.
  const isOfAll = isSentence && problem.path.length === 0;
  if (isOfAll) return words;
  const got = `${words}, got ${shown(valueAt(value, problem.path))}`;
  return advice === undefined ? got : `${got}. ${advice}`;
}

function unknownKey(path: Path, shape: JsonObject): string {
  const known = knownKeys(shape, path.slice(0, -1));
  const meant = nearest(String(path.at(-1)), known);
  if (meant !== undefined) return `unknown; did you mean ${quote(meant)}?`;
  return `unknown; ${known.length === 0 ? 'no keys are known here' : `known are ${known.slice(0, 30).join(', ')}`}`;
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

/** What a validator expected at a path: a JSON Schema type, or one of these values. */
interface Wanted {
  readonly path: Path;
  readonly type?: string;
  readonly values?: readonly unknown[];
}

/**
 * Repairs typical mistakes of models, only where a validator expected something else: numbers and booleans as strings,
 * JSON in a string, one value instead of a list, null for a missing value. Validate the result. Linear in `value` and
 * `wanted`; `value` may be at most `deepestArguments` deep.
 */
function mended(value: JsonValue, wanted: readonly Wanted[], depth = 0): JsonValue {
  const inside = Map.groupBy(
    wanted.filter(({ path }) => path.length > depth),
    ({ path }) => String(path[depth]),
  );
  const wantedIn = (key: string): readonly Wanted[] => inside.get(key) ?? [];
  if (Array.isArray(value) && inside.size > 0)
    return value.map((part, index) => mended(part, wantedIn(`${index}`), depth + 1));
  if (isJsonObject(value) && inside.size > 0) {
    // A null where something else was expected means that the value is missing.
    const isMissing = (key: string): boolean => wantedIn(key).some(({ path }) => path.length === depth + 1);
    const present = Object.entries(value).filter(([key, part]) => part !== null || !isMissing(key));
    // Entries, not assignment: a key "__proto__" stays a key, for the schema to refuse.
    return Object.fromEntries(present.map(([key, part]) => [key, mended(part, wantedIn(key), depth + 1)]));
  }
  for (const one of wanted) {
    const meant = one.path.length === depth ? meantBy(value, one, depth) : value;
    if (meant !== value) return meant;
  }
  return value;
}

/** The whole string is a JSON number. */
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The value that was meant, if it can be converted; else the value itself. */
function meantBy(value: JsonValue, { type, values }: Wanted, depth: number): JsonValue {
  if (values !== undefined) {
    const meant = ['boolean', 'number', 'null'].map((scalar) => meantBy(value, { path: [], type: scalar }, depth));
    const found = meant.findIndex((one) => values.includes(one));
    return meant[found] === undefined ? value : meant[found];
  }
  const text = typeof value === 'string' ? value : undefined;
  switch (type) {
    case 'boolean':
      return booleans.get(text?.trim().toLowerCase() ?? '') ?? value;
    case 'number':
    case 'integer':
      return text === undefined ? value : numberIn(text);
    case 'null':
      return isBlank(value) ? null : value;
    case 'object':
    case 'array': {
      const parsed = text === undefined ? null : (parseJson(text) ?? null);
      const isMeant = type === 'array' ? Array.isArray(parsed) : isJsonObject(parsed);
      if (isMeant && !isDeeperThan(parsed, deepestArguments - depth)) return parsed;
      // A broken list was meant as a list: do not wrap it. Nor what stands for nothing.
      const isKept = type === 'object' || isBlank(value) || Array.isArray(value) || text?.trimStart().startsWith('[');
      return isKept === true ? value : [value];
    }
    default:
      return value;
  }
}

/** As JSON and Python spell them. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** Keeps text that is no number, and integers that a double cannot hold exactly: those are ids. */
function numberIn(text: string): JsonValue {
  if (!number.test(text)) return text;
  const found = Number(text);
  const kept = Number.isFinite(found) && (!Number.isInteger(found) || Number.isSafeInteger(found));
  return kept ? found : text;
}

/** A zod schema's input as JSON Schema draft 7. Equal schemas give equal bytes. Throws if JSON cannot hold it. */
export function inputSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-07' });
  return jsonCopy(rest);
}

/** The property names that zod's JSON Schema allows at the path, in any variant of a union. */
export function knownKeys(root: JsonObject, path: readonly PropertyKey[]): readonly string[] {
  const nodes = path.reduce(
    // Each node once: the variants of a recursive schema would double with each step.
    (found, key) => [...new Set(found.flatMap((node) => partsAt(node, key).flatMap((part) => variantsOf(root, part))))],
    variantsOf(root, root),
  );
  return [...new Set(nodes.flatMap(({ properties }) => (isJsonObject(properties) ? Object.keys(properties) : [])))];
}

/** The schemas of an object's property, or of a list's items. */
function partsAt({ properties, additionalProperties, items, prefixItems }: JsonObject, key: PropertyKey) {
  if (typeof key === 'number') return [items, prefixItems].flat();
  return [(isJsonObject(properties) ? own(properties, String(key)) : undefined) ?? additionalProperties];
}

/** The schema that a node refers to, and all that it combines. */
function variantsOf(root: JsonObject, node: JsonValue | undefined, level = 0): readonly JsonObject[] {
  if (!isJsonObject(node) || level > deepestVariant) return [];
  const { $ref, anyOf, oneOf, allOf } = node;
  const others = [typeof $ref === 'string' ? referredTo(root, $ref) : undefined, anyOf, oneOf, allOf].flat();
  return [node, ...others.flatMap((other) => variantsOf(root, other, level + 1))];
}

/** A schema may refer to itself. */
const deepestVariant = 8;

/** Deeper arguments are refused: no tool needs them, and JSON readers recurse. */
export const deepestArguments = 64;

/** A text argument of 1 to `most` UTF-16 units, taken as it is. The description is for the model. */
export function textInput(most: number, description: string) {
  return z.string().min(1).max(most).describe(description);
}

/** The same, without the white space around it. */
export function wordsInput(most: number, description: string) {
  return z.string().trim().min(1).max(most).describe(description);
}

/** A path in the workspace. */
export function pathInput(description: string) {
  return z.string().min(1).describe(description);
}

/** A page, a line or the like, counted from 1: by default the first. */
export function positionInput(description: string) {
  return z.number().int().min(1).default(1).describe(`${description}, counted from 1.`);
}

/** A text of at most `most` UTF-16 units, readable even without its invisible characters. */
export function readableText(most: number) {
  const isReadable = (text: string): boolean => /[^\s\p{Cf}\p{Z}\u115f\u1160\u2800\u3164\uffa0]/u.test(cleanText(text));
  return z.string().trim().max(most).refine(isReadable, 'must hold something that can be read');
}
