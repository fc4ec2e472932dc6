import { isJsonObject, type JsonObject, type JsonValue, own, parseJson } from '../lib/json.ts';
import {
  deepestArguments,
  isDeeperThan,
  itemNode,
  ownList,
  propertyNode,
  resolve,
  typesOf,
  variantsOf,
} from './json-schema.ts';

/** A value, changed as far as was needed and possible, and whether it now has the shape that the schema asks for. */
interface Coerced {
  readonly value: JsonValue;
  readonly fits: boolean;
}

/**
 * Mends what models get wrong in arguments, only where the JSON Schema asks for something else: `"5"` and `"true"`
 * written as strings, JSON in a string, one value in place of a list, null for what is absent. What fits stays as it is,
 * the same object. It looks at shapes only, so that what it returns must be validated. Takes time in proportion to the
 * value; the value may be at most `deepestArguments` deep.
 */
export function coerce(schema: JsonObject, value: JsonValue): JsonValue {
  return new Coercion(schema).apply(schema, value, 0).value;
}

function nothingFits(value: JsonValue): Coerced {
  return { value, fits: false };
}

function unchanged(value: JsonValue): Coerced {
  return { value, fits: true };
}

/** Only what a model could not have meant as text: the whole string is a number as JSON writes it. */
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Reached only by schemas whose unions lead back to themselves. */
const mostSteps = 1_000_000;

/** One pass over one value. It remembers what it did, because a union looks at the same part once for each variant. */
class Coercion {
  readonly #root: JsonObject;
  readonly #done = new Map<JsonObject, Map<object, Coerced>>();
  readonly #parsed = new Map<string, JsonValue | undefined>();
  #steps = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  apply(schema: JsonValue | undefined, value: JsonValue, depth: number): Coerced {
    if (schema === undefined || schema === true) return unchanged(value);
    const node = resolve(this.#root, schema);
    this.#steps += 1;
    if (node === undefined || depth > deepestArguments || this.#steps > mostSteps) return nothingFits(value);
    if (typeof value !== 'object' || value === null) return this.#byNode(node, value, depth);

    const known = this.#done.get(node)?.get(value);
    if (known !== undefined) return known;
    const coerced = this.#byNode(node, value, depth);
    const values = this.#done.get(node) ?? new Map<object, Coerced>();
    this.#done.set(node, values.set(value, coerced));
    return coerced;
  }

  #byNode(node: JsonObject, value: JsonValue, depth: number): Coerced {
    const parts = ownList(node, 'allOf');
    if (parts !== undefined)
      return parts.reduce<Coerced>((so, part) => {
        const next = this.apply(part, so.value, depth + 1);
        return { value: next.value, fits: so.fits && next.fits };
      }, unchanged(value));
    const variants = variantsOf(node)?.map((variant) => this.apply(variant, value, depth + 1));
    if (variants !== undefined) return best(value, variants);
    const literals = own(node, 'const') === undefined ? ownList(node, 'enum') : [own(node, 'const') ?? null];
    if (literals !== undefined) return oneOf(literals, value);
    const tries = typesOf(node)?.map((type) => {
      if (type === 'object') return this.#object(node, value, depth);
      return type === 'array' ? this.#array(node, value, depth) : scalar(type, value);
    });
    return tries === undefined ? unchanged(value) : best(value, tries);
  }

  #object(node: JsonObject, value: JsonValue, depth: number): Coerced {
    if (typeof value === 'string') {
      const parsed = this.#parse(value, depth);
      return isJsonObject(parsed) ? this.apply(node, parsed, depth) : nothingFits(value);
    }
    if (!isJsonObject(value)) return nothingFits(value);

    const required = ownList(node, 'required') ?? [];
    let fits = required.every((key) => typeof key === 'string' && Object.hasOwn(value, key));
    let changed = false;
    const entries = Object.entries(value).flatMap(([key, part]): [string, JsonValue][] => {
      const schema = propertyNode(node, key);
      if (schema === false) fits = false;
      const coerced = this.apply(schema === false ? undefined : schema, part, depth + 1);
      const absent = part === null && !coerced.fits && !required.includes(key);
      changed ||= absent || coerced.value !== part;
      fits &&= absent || coerced.fits;
      return absent ? [] : [[key, coerced.value]];
    });
    // Entries, not assignment: a key "__proto__" stays a key, for the schema to refuse.
    return { value: changed ? Object.fromEntries(entries) : value, fits };
  }

  #array(node: JsonObject, value: JsonValue, depth: number): Coerced {
    if (Array.isArray(value)) {
      const items = value.map((item, index) => this.apply(itemNode(node, index), item, depth + 1));
      const same = items.every((item, index) => item.value === value[index]);
      return { value: same ? value : items.map((item) => item.value), fits: items.every((item) => item.fits) };
    }
    const parsed = typeof value === 'string' ? this.#parse(value, depth) : undefined;
    const list = Array.isArray(parsed) ? this.apply(node, parsed, depth) : undefined;
    if (list?.fits || value === null) return list ?? nothingFits(value);
    const single = this.apply(itemNode(node, 0), value, depth + 1);
    return single.fits ? { value: [single.value], fits: true } : (list ?? nothingFits(value));
  }

  #parse(text: string, depth: number): JsonValue | undefined {
    if (this.#parsed.has(text)) return this.#parsed.get(text);
    const parsed = parseJson(text);
    const usable = parsed === undefined || isDeeperThan(parsed, deepestArguments - depth) ? undefined : parsed;
    this.#parsed.set(text, usable);
    return usable;
  }
}

/** What fits without a change, else what fits, else the value as it was; of a single try, how far it came. */
function best(value: JsonValue, tries: readonly Coerced[]): Coerced {
  const found = tries.find((one) => one.fits && one.value === value) ?? tries.find((one) => one.fits);
  if (found !== undefined) return found;
  const only = tries.filter((one) => one.value !== value);
  return only.length === 1 && only[0] !== undefined ? only[0] : nothingFits(value);
}

function oneOf(literals: readonly JsonValue[], value: JsonValue): Coerced {
  if (literals.includes(value)) return unchanged(value);
  const meant = ['boolean', 'number'].map((type) => scalar(type, value).value).find((one) => literals.includes(one));
  return meant === undefined ? nothingFits(value) : unchanged(meant);
}

function scalar(type: string, value: JsonValue): Coerced {
  switch (type) {
    case 'boolean':
      if (value === 'true' || value === 'false') return unchanged(value === 'true');
      return { value, fits: typeof value === 'boolean' };
    case 'number':
    case 'integer': {
      const meant = typeof value === 'string' ? numberIn(value) : value;
      return { value: meant, fits: type === 'integer' ? Number.isInteger(meant) : typeof meant === 'number' };
    }
    case 'string':
      return { value, fits: typeof value === 'string' };
    case 'null':
      return { value, fits: value === null };
    default:
      return nothingFits(value);
  }
}

/** Leaves a text that is no number, and whole numbers too long to be kept exactly: they are ids. */
function numberIn(text: string): JsonValue {
  if (!number.test(text)) return text;
  const found = Number(text);
  const kept = Number.isFinite(found) && (!Number.isInteger(found) || Number.isSafeInteger(found));
  return kept ? found : text;
}
