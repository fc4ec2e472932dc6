import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/lib/json.ts';
import type { SchemaStrategy } from '../../../src/models/schema.ts';

export const schemaStrategies = ['gemini', 'anthropic', 'openai', 'conservative'] as const;

const everywhere = ['type', 'description', 'enum', 'default', 'properties', 'required', 'items'];
const amounts = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const sizes = ['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'format'];
const known = [...everywhere, ...amounts, ...sizes, 'additionalProperties', 'anyOf'];

/** All that may stand in a schema. The rest makes the provider refuse the request, or is of no use to it. */
const allowed: Readonly<Record<SchemaStrategy, ReadonlySet<string>>> = {
  gemini: new Set([...everywhere, 'nullable']),
  anthropic: new Set(known),
  openai: new Set([...known, 'minLength', 'maxLength']),
  conservative: new Set([...everywhere, 'anyOf', 'minimum', 'maximum']),
};

/** What of a result a provider would refuse: each with where it is. */
export function faultsIn(result: JsonObject, strategy: SchemaStrategy): readonly string[] {
  const atRoot = ['anyOf', 'enum', 'nullable'].filter((keyword) => keyword in result);
  const root = [
    ...atRoot.map((keyword) => `the root has ${keyword}`),
    ...(result.type === 'object' ? [] : ['the root is no object']),
    ...(isJsonObject(result.properties) ? [] : ['the root has no properties']),
  ];
  return [...root, ...schemasIn(result, '#').flatMap(([node, path]) => faultsOf(node, path, strategy))];
}

function faultsOf(node: JsonObject, path: string, strategy: SchemaStrategy): readonly string[] {
  const faults = Object.keys(node)
    .filter((keyword) => !allowed[strategy].has(keyword))
    .map((keyword) => `${path} has ${keyword}`);
  const { type, properties, required = [], items } = node;
  const names = isJsonObject(properties) ? new Set(Object.keys(properties)) : new Set();
  const isStrict = strategy === 'gemini' || strategy === 'conservative';
  const check = (fault: string, isFault: boolean) => isFault && faults.push(`${path} ${fault}`);
  check('has several types', isStrict && type !== undefined && typeof type !== 'string');
  check('requires what it lacks', isStrict && Array.isArray(required) && required.some((name) => !names.has(name)));
  check('has an empty enum', Array.isArray(node.enum) && node.enum.length === 0);
  check('is an array without items', isStrict && type === 'array' && !isJsonObject(items));
  check('has properties and is no object', isStrict && names.size > 0 && type !== 'object');
  if (strategy !== 'gemini') return faults;
  const values = Array.isArray(node.enum) ? node.enum : [];
  check(
    'has an enum that is not of words',
    values.some((value) => typeof value !== 'string' || value === ''),
  );
  check('has an enum and is no string', values.length > 0 && type !== 'string');
  check('may be null and is nothing else', node.nullable !== undefined && type === undefined);
  return faults;
}

/** The schema and all in it, each with its path. What stands in `properties` are names and no keywords. */
function schemasIn(node: JsonObject, path: string): readonly (readonly [JsonObject, string])[] {
  const below = Object.entries(node).flatMap(([keyword, value]) => {
    const here = `${path}/${keyword}`;
    if (keyword === 'properties' && isJsonObject(value)) {
      return Object.entries(value).flatMap(([name, member]) => schemaAt(member, `${here}/${name}`));
    }
    if (/^(?:items|additionalProperties)$/.test(keyword)) return schemaAt(value, here);
    if (keyword !== 'anyOf' || !Array.isArray(value)) return [];
    return value.flatMap((member, index) => schemaAt(member, `${here}/${index}`));
  });
  return [[node, path], ...below];
}

function schemaAt(value: JsonValue, path: string) {
  if (typeof value === 'boolean' && path.endsWith('/additionalProperties')) return [];
  if (!isJsonObject(value)) throw new Error(`${path} is no schema: ${JSON.stringify(value)}`);
  return schemasIn(value, path);
}

/** Makes validators, many of them faster than one by one. They throw where the schema is none. */
export function validators(): (schema: JsonObject) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false, logger: false });
  return ({ $schema: _, ...plain }) => ajv.compile(readable(plain));
}

/** With OpenAPI's `nullable` in the words of JSON Schema. */
function readable(node: JsonObject): JsonObject {
  const { nullable, ...rest } = node;
  const members = Object.entries(rest).map(([keyword, value]) => {
    if (keyword === 'properties' && isJsonObject(value)) {
      const named = Object.entries(value).map(([name, member]) => [name, readableValue(member)] as const);
      return [keyword, Object.fromEntries(named)] as const;
    }
    if (keyword === 'anyOf' && Array.isArray(value)) {
      return [keyword, value.map(readableValue)] as const;
    }
    return [keyword, /^(?:items|additionalProperties)$/.test(keyword) ? readableValue(value) : value] as const;
  });
  const plain: JsonObject = Object.fromEntries(members);
  return nullable === true ? { anyOf: [plain, { type: 'null' }] } : plain;
}

function readableValue(value: JsonValue): JsonValue {
  return isJsonObject(value) ? readable(value) : value;
}
