/*
 * A config for strangers: its form, and only such values as cannot be anybody's: switches, figures, and words that the
 * schema itself has. A name that the person has chosen, a key of a table as much as a value, is left out.
 */

import { isDeepStrictEqual } from 'node:util';
import { holdsSecret, type KeyPath } from '../../../config/config-error.ts';
import { isJsonObject, type JsonObject, type JsonValue, objectsIn, own } from '../../../lib/json.ts';
import { safeModelName } from './model-name.ts';

/** What stands for what was left out. `names`: what the config has that is the person's own, for other texts. */
export interface SafeConfig {
  readonly config: JsonValue;
  readonly names: readonly string[];
}

interface Walk {
  readonly names: Set<string>;
}

/** Of a config as written, by its JSON Schema. */
export function safeConfig(written: JsonValue, schema: JsonObject): SafeConfig {
  const walk: Walk = { names: new Set() };
  const config = safe(written, [schema], [], walk);
  return { config, names: [...walk.names] };
}

function safe(value: JsonValue, schemas: readonly JsonObject[], path: KeyPath, walk: Walk): JsonValue {
  if (value === null || typeof value === 'boolean') return value;
  const nodes = schemas.flatMap(alternatives);
  if (typeof value === 'number') return safeNumber(value, nodes, path);
  if (typeof value === 'string') return safeText(value, nodes, path, walk);
  if (Array.isArray(value)) return safeList(value, nodes, path, walk);
  return isJsonObject(value) ? safeObject(value, nodes, path, walk) : '<value>';
}

/** The schemas that a value may be of: those in `anyOf` and its like, too. */
function alternatives(schema: JsonObject): readonly JsonObject[] {
  const within = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => objectsIn(own(schema, name)));
  return [schema, ...within.flatMap(alternatives)];
}

function safeObject(object: JsonObject, nodes: readonly JsonObject[], path: KeyPath, walk: Walk): JsonValue {
  let count = 0;
  const entries = Object.entries(object).map(([key, value]) => {
    const known = nodes.flatMap((node) => objectsIn([own(asObject(node.properties), key)]));
    if (known.length > 0) return [key, safe(value, known, [...path, key], walk)] as const;
    walk.names.add(key);
    count += 1;
    const others = nodes.flatMap((node) => objectsIn([node.additionalProperties]));
    if (others.length === 0) return [`<unknown key ${count}>`, '<value>'] as const;
    return [`<name ${count}>`, safe(value, others, [...path, key], walk)] as const;
  });
  return Object.fromEntries(entries);
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function safeList(list: readonly JsonValue[], nodes: readonly JsonObject[], path: KeyPath, walk: Walk): JsonValue {
  const items = nodes.flatMap((node) => objectsIn([node.items]));
  const shown = list.map((item, index) => safe(item, items, [...path, index], walk));
  const isPlain = shown.length > 0 && list.every((item) => typeof item === 'string' && isOfSchema(item, items));
  return isPlain ? shown : `<${list.length} entries>`;
}

function safeNumber(value: number, nodes: readonly JsonObject[], path: KeyPath): JsonValue {
  const isFigure = nodes.some(({ type }) => type === 'number' || type === 'integer') && !holdsSecret(path);
  return isFigure ? value : '<number>';
}

function safeText(value: string, nodes: readonly JsonObject[], path: KeyPath, walk: Walk): JsonValue {
  if (value === '' || isOfSchema(value, nodes)) return value;
  if (/^\$\{[A-Za-z_]\w*\}$/.test(value)) return '<variable>';
  if (holdsSecret(path)) return '<secret>';
  // What one calls one's own model stands as a key.
  const model = path[0] === 'models' && path.length === 3 && path[2] === 'name' ? safeModelName(value) : undefined;
  if (model === value) return value;
  walk.names.add(value);
  if (model !== undefined) return model;
  return URL.canParse(value) ? addressKind(new URL(value)) : `<text of ${value.length}>`;
}

function isOfSchema(value: string, nodes: readonly JsonObject[]): boolean {
  return nodes.some(
    (node) =>
      (Array.isArray(node.enum) && node.enum.includes(value)) ||
      [node.const, node.default].some((one) => isDeepStrictEqual(one, value)),
  );
}

/** Of an address, whether it is on this machine, and its port. */
function addressKind({ protocol, hostname, port }: URL): string {
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return `<${protocol}//${isHere ? 'this machine' : 'a host'}${port === '' ? '' : `:${port}`}>`;
}
