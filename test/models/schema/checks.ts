import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/lib/json.ts';

/** All that may stand in a schema. The rest makes some provider refuse the request, or is of no use to it. */
const allowed = new Set(['type', 'description', 'enum', 'default', 'properties', 'required', 'items', 'anyOf']);

/** What of a result some provider would refuse: each with where it is. */
export function faultsIn(result: JsonObject): readonly string[] {
  const atRoot = ['anyOf', 'enum'].filter((keyword) => keyword in result);
  const root = [
    ...atRoot.map((keyword) => `the root has ${keyword}`),
    ...(result.type === 'object' ? [] : ['the root is no object']),
    ...(isJsonObject(result.properties) ? [] : ['the root has no properties']),
    // Anthropic refuses them.
    ...Object.keys(isJsonObject(result.properties) ? result.properties : {})
      .filter((name) => !/^[\w.-]{1,64}$/.test(name))
      .map((name) => `the root has the property ${name}`),
  ];
  return [...root, ...schemasIn(result, '#').flatMap(([node, path]) => faultsOf(node, path))];
}

function faultsOf(node: JsonObject, path: string): readonly string[] {
  const faults = Object.keys(node)
    .filter((keyword) => !allowed.has(keyword))
    .map((keyword) => `${path} has ${keyword}`);
  const { type, properties, required = [], items } = node;
  const names = isJsonObject(properties) ? new Set(Object.keys(properties)) : new Set();
  const check = (fault: string, isFault: boolean) => isFault && faults.push(`${path} ${fault}`);
  check('has several types', type !== undefined && typeof type !== 'string');
  check('requires what it lacks', Array.isArray(required) && required.some((name) => !names.has(name)));
  check('has an empty enum', Array.isArray(node.enum) && node.enum.length === 0);
  check('is an array without items', type === 'array' && !isJsonObject(items));
  check('has properties and is no object', names.size > 0 && type !== 'object');
  check(
    'has a union and what applies beside it',
    node.anyOf !== undefined && (type ?? properties ?? items) !== undefined,
  );
  check('has no properties below the root', path !== '#' && properties !== undefined && names.size === 0);
  const values = Array.isArray(node.enum) ? node.enum : [];
  check(
    'has an enum that is not of words',
    values.some((value) => typeof value !== 'string' || value === ''),
  );
  check('has an enum and is no string', values.length > 0 && type !== 'string');
  return faults;
}

/** The schema and all in it, each with its path. What stands in `properties` are names and no keywords. */
function schemasIn(node: JsonObject, path: string): readonly (readonly [JsonObject, string])[] {
  const below = Object.entries(node).flatMap(([keyword, value]) => {
    const here = `${path}/${keyword}`;
    if (keyword === 'properties' && isJsonObject(value)) {
      return Object.entries(value).flatMap(([name, member]) => schemaAt(member, `${here}/${name}`));
    }
    if (keyword === 'items') return schemaAt(value, here);
    if (keyword !== 'anyOf' || !Array.isArray(value)) return [];
    return value.flatMap((member, index) => schemaAt(member, `${here}/${index}`));
  });
  return [[node, path], ...below];
}

function schemaAt(value: JsonValue, path: string) {
  if (!isJsonObject(value)) throw new Error(`${path} is no schema: ${JSON.stringify(value)}`);
  return schemasIn(value, path);
}

/** Makes validators, many of them faster than one by one. They throw where the schema is none. */
export function validators(): (schema: JsonObject) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false, logger: false });
  return ({ $schema: _, ...plain }) => ajv.compile(plain);
}
