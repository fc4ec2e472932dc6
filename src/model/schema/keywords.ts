/** Reads single keywords. What is not well-formed is taken for absent: it bounds nothing. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { isTooDeep, mentions, shallow } from './payload.ts';
import { own } from './references.ts';
import { allows, distinct, type Shape, type TypeName, typeOfValue, unlessEmpty } from './shape.ts';

const names: ReadonlyMap<string, TypeName> = new Map(
  (['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const).map((name) => [name, name]),
);

/** What stands in `type`. */
export function readTypes(node: JsonObject): readonly TypeName[] | undefined {
  const type = own(node, 'type');
  const list: readonly JsonValue[] = Array.isArray(type) ? type : [type ?? null];
  const types = list.map((name) => (typeof name === 'string' ? names.get(name.toLowerCase()) : undefined));
  // An unknown type may allow anything.
  if (types.includes(undefined)) return undefined;
  return unlessEmpty([...new Set(types.filter((name) => name !== undefined))]);
}

/** What is said about the node, and not what it allows. */
export function readAnnotations(node: JsonObject): Shape {
  const title = own(node, 'title');
  const description = own(node, 'description');
  return {
    title: typeof title === 'string' ? title : undefined,
    description: typeof description === 'string' && description.trim() !== '' ? description : undefined,
    fallback: shallow(own(node, 'default')),
    nullable: own(node, 'nullable') === true,
  };
}

/** The types and the values of `type`, `enum` and `const`, each as narrow as the other says. */
export function readValues(node: JsonObject): Pick<Shape, 'types' | 'values'> {
  const types = readTypes(node);
  const listed = own(node, 'enum');
  const only = own(node, 'const');
  const all = only === undefined ? (Array.isArray(listed) ? listed : []) : [only];
  const orNull = own(node, 'nullable') === true;
  if (all.length > mostValues || isTooDeep(all)) return { types };
  const fits = (value: JsonValue) =>
    types === undefined || allows(types, typeOfValue(value)) || (orNull && value === null);
  const values = distinct(all).filter(fits);
  if (values.length === 0) return { types };
  return { types: types ?? typesIn(values), values };
}

/** A list of more says nothing to a model. */
const mostValues = 500;

/** Their type, if they have but one, besides null. */
function typesIn(values: readonly JsonValue[]): readonly TypeName[] | undefined {
  const types = new Set(values.map(typeOfValue));
  if (types.has('number')) types.delete('integer');
  return [...types].filter((type) => type !== 'null').length > 1 ? undefined : [...types];
}

/** The names that `required` lists. */
export function readRequired(node: JsonObject): readonly string[] | undefined {
  const required = own(node, 'required');
  if (!Array.isArray(required)) return undefined;
  return unlessEmpty([...new Set(required.filter((name) => typeof name === 'string'))]);
}

const counts = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const;
const numbers = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;

/** What bounds a value, draft 4's `exclusiveMinimum: true` in the spelling of today. */
export function readLimits(node: JsonObject): Shape['limits'] {
  const limits = new Map<string, JsonValue>();
  const keep = (name: string, isGood: (value: JsonValue) => boolean) => {
    const value = own(node, name);
    if (value !== undefined && isGood(value)) limits.set(name, value);
  };
  for (const name of counts) keep(name, (value) => Number.isSafeInteger(value) && Number(value) >= 0);
  for (const name of numbers) keep(name, (value) => typeof value === 'number');
  keep('multipleOf', (value) => typeof value === 'number' && value > 0);
  keep('pattern', (value) => typeof value === 'string' && isPattern(value));
  keep('format', (value) => typeof value === 'string');
  keep('uniqueItems', (value) => value === true);
  for (const [flag, bound] of [['exclusiveMinimum', 'minimum'] as const, ['exclusiveMaximum', 'maximum'] as const]) {
    const value = limits.get(bound);
    if (own(node, flag) !== true || value === undefined) continue;
    limits.delete(bound);
    limits.set(flag, value);
  }
  return unlessEmpty(limits);
}

/** Whether it is a regular expression that all readers of JSON Schema can read. */
export function isPattern(text: string): boolean {
  if (text.length > longestPattern) return false;
  try {
    return new RegExp(text, 'u').source !== '';
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

const longestPattern = 1000;

const clauses = [
  ['not'],
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
  ['dependentRequired'],
  ['examples'],
] as const;

/** In a clause that is kept as it is, nothing may point out of it, and nothing stand that the OpenAI package refuses. */
const unfit: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef', 'propertyNames']);

/** Clauses whose parts can't be widened without narrowing the whole. */
export function readClauses(node: JsonObject): Shape['clauses'] {
  const kept = new Map<string, JsonObject>();
  for (const keywords of clauses) {
    const present = keywords.flatMap((keyword) => {
      const value = own(node, keyword);
      return value === undefined ? [] : [[keyword, value] as const];
    });
    const clause: JsonObject = Object.fromEntries(present);
    const [[name, value] = []] = present;
    if (name !== keywords[0] || value === undefined || isTooDeep(clause)) continue;
    const isFit = name === 'examples' ? Array.isArray(value) : isJsonObject(value) && !mentions(clause, unfit);
    if (isFit) kept.set(name, clause);
  }
  return unlessEmpty(kept);
}
