import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';

/** A keyword's value: never what an object inherits. */
export function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A definition at the root, as OpenAI's API knows it. */
export interface Definition {
  readonly container: '$defs' | 'definitions';
  readonly name: string;
}

/** Finds what references of one schema point to. Nothing is fetched: what another document holds is not found. */
export class References {
  readonly #root: JsonObject;
  #names: ReadonlyMap<string, JsonObject> | undefined;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** What the reference points to, from the root or else from a node around it, the nearest last. */
  find(reference: string, around: readonly JsonObject[]): JsonValue | undefined {
    this.#names ??= namesIn(this.#root);
    const [address = '', fragment = ''] = splitOnce(reference, '#');
    const document = address === '' ? this.#root : this.#names.get(address);
    if (document === undefined) return undefined;
    if (fragment === '') return document;
    if (!fragment.startsWith('/')) return this.#names.get(`#${fragment}`);
    for (const place of [document, ...around.toReversed()]) {
      const found = lookUp(place, fragment);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The definition at the root that the reference names, if it names one, and that is a schema or leads to one. */
  definition(reference: string): Definition | undefined {
    const [, container, token] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
    if (token === undefined || (container !== '$defs' && container !== 'definitions')) return undefined;
    return this.#leadsToSchema(reference) ? { container, name: unescapeToken(token) } : undefined;
  }

  #leadsToSchema(reference: string): boolean {
    const seen = new Set<JsonValue>();
    let node = lookUp(this.#root, reference.slice(1));
    while (isJsonObject(node) && !seen.has(node) && seen.size < longestChain) {
      const next = referenceIn(node);
      if (next === undefined) return true;
      seen.add(node);
      node = this.find(next, []);
    }
    return false;
  }
}

/** Where the schema says that another one stands in its place. */
export function referenceIn(node: JsonObject): string | undefined {
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const reference = own(node, keyword);
    if (typeof reference === 'string') return reference;
  }
  return undefined;
}

function lookUp(root: JsonObject, pointer: string): JsonValue | undefined {
  const tokens = pointer.split('/').slice(1);
  if (tokens.length > longestPointer) return undefined;
  return tokens.reduce<JsonValue | undefined>((node, token) => {
    if (Array.isArray(node)) return /^\d+$/.test(token) ? node[Number(token)] : undefined;
    return isJsonObject(node) ? (own(node, unescapeToken(token)) ?? own(node, token)) : undefined;
  }, root);
}

const longestPointer = 64;
const longestChain = 32;

function unescapeToken(token: string): string {
  return decode(token).replaceAll('~1', '/').replaceAll('~0', '~');
}

function decode(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch (error) {
    if (error instanceof URIError) return token;
    throw error;
  }
}

function splitOnce(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** What holds values, and never a schema. */
const payloads: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'example', 'examples']);

/** The nodes that have a name, by `$id`, `$anchor` and `$dynamicAnchor`. */
function namesIn(root: JsonObject): ReadonlyMap<string, JsonObject> {
  const names = new Map<string, JsonObject>();
  const waiting: JsonValue[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (Array.isArray(node)) for (const part of node) waiting.push(part);
    if (!isJsonObject(node)) continue;
    for (const [key, value] of Object.entries(node)) {
      if (!payloads.has(key)) waiting.push(value);
      if (typeof value !== 'string') continue;
      if (key === '$id' || key === 'id') names.set(value.replace(/#$/, ''), node);
      if (key === '$anchor' || key === '$dynamicAnchor') names.set(`#${value}`, node);
    }
  }
  return names;
}
