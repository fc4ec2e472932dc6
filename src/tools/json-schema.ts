/** Reads the JSON Schemas of zod and of foreign tools. They may be malformed. */
import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue, own, referredTo } from '../lib/json.ts';

const longestReferenceChain = 32;

/** A zod schema's input as JSON Schema draft 7. Equal schemas give equal bytes. Throws if JSON cannot hold it. */
export function inputSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-07' });
  const copy: unknown = JSON.parse(JSON.stringify(rest));
  if (!isJsonObject(copy)) throw new Error('zod wrote a JSON Schema that is no object');
  return copy;
}

/** Follows the node's `$ref`s. Undefined if they lead nowhere, or in circles. */
function resolve(root: JsonObject, node: JsonValue | undefined): JsonObject | undefined {
  let current: JsonValue | undefined = node;
  for (let hops = 0; hops < longestReferenceChain; hops++) {
    if (!isJsonObject(current)) return undefined;
    const reference = own(current, '$ref');
    if (typeof reference !== 'string') return current;
    current = referredTo(root, reference);
  }
  return undefined;
}

/** A keyword's value, if it is an array. */
function ownList(object: JsonObject, key: string): readonly JsonValue[] | undefined {
  const value = own(object, key);
  return Array.isArray(value) ? value : undefined;
}

function variantsOf(node: JsonObject): readonly JsonValue[] | undefined {
  return ownList(node, 'anyOf') ?? ownList(node, 'oneOf');
}

/** The schema of an object's property, or of additional properties. Undefined if there is none. */
function propertyNode(node: JsonObject, key: string): JsonValue | undefined {
  const properties = own(node, 'properties');
  return (isJsonObject(properties) ? own(properties, key) : undefined) ?? own(node, 'additionalProperties');
}

/** The schema of an array's item, for tuples too. */
function itemNode(node: JsonObject, index: number): JsonValue | undefined {
  const first = ownList(node, 'prefixItems') ?? ownList(node, 'items');
  const item = first?.[index];
  if (item !== undefined) return item;
  return first === undefined ? own(node, 'items') : own(node, 'additionalItems');
}

/** The property names allowed at the path, in any variant of a union. */
export function knownKeys(root: JsonObject, path: readonly PropertyKey[]): readonly string[] {
  const nodes = path.reduce<readonly JsonObject[]>(
    (found, key) =>
      spread(root, found).flatMap((node) => {
        const next = typeof key === 'number' ? itemNode(node, key) : propertyNode(node, String(key));
        const resolved = resolve(root, next);
        return resolved === undefined ? [] : [resolved];
      }),
    [root],
  );
  const keys = spread(root, nodes).flatMap((node) => {
    const properties = own(node, 'properties');
    return isJsonObject(properties) ? Object.keys(properties) : [];
  });
  return [...new Set(keys)];
}

/** The nodes and everything that they combine with `anyOf`, `oneOf` and `allOf`, each once. */
function spread(root: JsonObject, nodes: readonly JsonObject[]): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const waiting: (JsonValue | undefined)[] = [...nodes];
  while (waiting.length > 0) {
    const node = resolve(root, waiting.pop());
    if (node === undefined || found.has(node)) continue;
    found.add(node);
    waiting.push(...(variantsOf(node) ?? []), ...(ownList(node, 'allOf') ?? []));
  }
  return [...found];
}

/** Deeper arguments are refused: no tool needs them, and JSON readers recurse. */
export const deepestArguments = 64;

/** Whether objects and arrays are nested more than `levels` deep. Does not recurse. */
export function isDeeperThan(value: JsonValue, levels: number): boolean {
  let layer: readonly JsonValue[] = [value];
  for (let depth = 0; depth <= levels; depth++) {
    layer = layer.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : []));
    if (layer.length === 0) return false;
  }
  return true;
}
