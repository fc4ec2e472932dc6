import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { conjoin } from './conjoin.ts';
import {
  isPattern,
  readAnnotations,
  readClauses,
  readLimits,
  readRequired,
  readTypes,
  readValues,
} from './keywords.ts';
import { type Definition, own, type References, referenceIn } from './references.ts';
import { isNull, type Shape, type Union, unlessEmpty } from './shape.ts';
import { simplify } from './simplify.ts';

/** Where a node stands. */
export interface Place {
  /** How many properties and items deep. */
  readonly depth: number;
  /** How many `allOf`, unions and references deep since then. */
  readonly nesting: number;
  /** The nodes around it, as far as they have definitions of their own. */
  readonly around: readonly JsonObject[];
  /** References are resolved, even where the strategy keeps them. */
  readonly inline: boolean;
}

export const rootPlace: Place = { depth: 0, nesting: 0, around: [], inline: true };

export interface ShapeReaderDependencies {
  readonly references: References;
  /** Definitions at the root may be referred to. */
  readonly keepsReferences: boolean;
  /** Before draft 2019, what stands beside a `$ref` is not read. */
  readonly isOldDraft: boolean;
}

/**
 * Reads the shapes of one schema. Never endless and never more than its bounds: what lies beyond them, and what leads
 * back to itself, is a shape of the same type that allows everything.
 */
export class ShapeReader {
  readonly #dependencies: ShapeReaderDependencies;
  /** The nodes that are being read. */
  readonly #open = new Set<JsonObject>();
  /** The definitions that were referred to, by container and name. */
  readonly #needed = new Map<string, Definition>();
  #spent = 0;

  constructor(dependencies: ShapeReaderDependencies) {
    this.#dependencies = dependencies;
  }

  get needed(): readonly Definition[] {
    return [...this.#needed.values()];
  }

  /** The shape of the node, or undefined where nothing is allowed. What is no schema allows everything. */
  read(node: JsonValue | undefined, place: Place): Shape | undefined {
    if (node === false) return undefined;
    if (!isJsonObject(node)) return {};
    if (this.#open.has(node)) return stub(node);
    this.#spent += costOf(node);
    if (this.#spent > budget || place.depth > deepest || place.nesting > mostNested) return stub(node);
    const hasDefinitions = isJsonObject(own(node, '$defs')) || isJsonObject(own(node, 'definitions'));
    const inner = {
      ...place,
      nesting: place.nesting + 1,
      around: hasDefinitions ? [...place.around, node] : place.around,
    };
    const reference = referenceIn(node);
    if (reference !== undefined) return this.#referring(node, reference, inner);
    this.#open.add(node);
    const shape = this.#own(node, inner);
    this.#open.delete(node);
    return shape;
  }

  #referring(node: JsonObject, reference: string, place: Place): Shape | undefined {
    const { references, keepsReferences, isOldDraft } = this.#dependencies;
    const annotations = readAnnotations(node);
    const beside = isOldDraft ? annotations : this.#own(node, place);
    const target = references.find(reference, place.around);
    if (target === undefined) return beside;
    const definition = keepsReferences && !place.inline ? references.definition(reference) : undefined;
    if (definition !== undefined && saysNothing(beside)) {
      this.#needed.set(`${definition.container}/${definition.name}`, definition);
      return { reference, description: annotations.description };
    }
    const isOver = this.#spent > budgetForReferences;
    const shape =
      isOver && isJsonObject(target) ? { types: stub(target).types } : this.read(target, { ...place, inline: true });
    if (shape === undefined) return undefined;
    const { nullable, ...words } = annotations;
    const found = nullable ? { ...shape, nullable } : shape;
    return conjoin({ ...beside, types: beside.types, nullable: false, ...withoutUndefined(words) }, found);
  }

  #own(node: JsonObject, place: Place): Shape {
    const members = own(node, 'allOf');
    const unions = (['anyOf', 'oneOf'] as const).flatMap((keyword) => this.#union(node, keyword, place));
    const base = simplify({
      ...readAnnotations(node),
      ...readValues(node),
      ...this.#parts(node, { ...place, depth: place.depth + 1, nesting: 0, inline: false }),
      limits: readLimits(node),
      clauses: readClauses(node),
      unions: unlessEmpty(unions),
    });
    if (!Array.isArray(members)) return base;
    const whole = members.slice(0, longestList).reduce<Shape>((shape, member) => {
      const other = this.read(member, { ...place, inline: true });
      return other === undefined ? shape : simplify(conjoin(shape, other));
    }, base);
    const isMeantForAll = base.nullable === true && base.types === undefined && whole.types !== undefined;
    return isMeantForAll ? { ...whole, nullable: true } : whole;
  }

  #union(node: JsonObject, keyword: Union['keyword'], place: Place): readonly Union[] {
    const list = own(node, keyword);
    if (!Array.isArray(list) || list.length > longestList) return [];
    const variants = list.map((variant) => this.read(variant, place)).filter((variant) => variant !== undefined);
    if (variants.length === 0) return [];
    // OpenAPI's word beside a union is meant for the union.
    const orNull = own(node, 'nullable') === true && readTypes(node) === undefined && !variants.some(isNull);
    return [{ keyword, variants: orNull ? [...variants, { types: ['null'] }] : variants }];
  }

  #parts(node: JsonObject, place: Place): Shape {
    const [patterns, hasAllPatterns] = this.#patterns(node, place);
    const properties = this.#shapes(own(node, 'properties'), place);
    const additional = own(node, 'additionalProperties');
    const others =
      additional === undefined || additional === true ? additional : (this.read(additional, place) ?? false);
    return {
      properties,
      required: readRequired(node),
      // With a pattern lost, names that were allowed would be additional ones.
      additional: hasAllPatterns && (properties?.size ?? 0) < mostNames ? others : undefined,
      patterns,
      ...this.#items(node, place),
    };
  }

  #shapes(members: JsonValue | undefined, place: Place): ReadonlyMap<string, Shape> | undefined {
    if (!isJsonObject(members)) return undefined;
    const read = Object.entries(members)
      .slice(0, mostNames)
      .map(([name, member]) => [name, this.read(member, place)] as const);
    // A name under which nothing is allowed is not offered.
    return new Map(read.flatMap(([name, shape]) => (shape === undefined ? [] : [[name, shape] as const])));
  }

  #patterns(node: JsonObject, place: Place): readonly [ReadonlyMap<string, Shape> | undefined, boolean] {
    const members = own(node, 'patternProperties');
    if (!isJsonObject(members)) return [undefined, true];
    const good = Object.entries(members).filter(([pattern]) => isPattern(pattern));
    const read = this.#shapes(Object.fromEntries(good), place);
    return [read === undefined ? undefined : unlessEmpty(read), good.length === Object.keys(members).length];
  }

  #items(node: JsonObject, place: Place): Pick<Shape, 'items' | 'prefix'> {
    const items = own(node, 'items');
    const prefix = own(node, 'prefixItems') ?? (Array.isArray(items) ? items : undefined);
    if (!Array.isArray(prefix)) return { items: isJsonObject(items) ? this.read(items, place) : undefined };
    const rest = Array.isArray(items) ? own(node, 'additionalItems') : items;
    return {
      prefix: unlessEmpty(prefix.map((item) => this.read(item, place) ?? {})),
      items: isJsonObject(rest) ? this.read(rest, place) : undefined,
    };
  }
}

/** In nodes. A text of forty characters counts as one. */
const budget = 5000;
/** Beyond it, what is referred to is not written out any more. */
const budgetForReferences = 1000;
/** Of one object. */
const mostNames = 1000;
const deepest = 32;
const mostNested = 32;
/** Of the variants of a union, or the members of an `allOf`. */
const longestList = 300;

function costOf(node: JsonObject): number {
  const texts = Object.values(node).map((value) => {
    if (typeof value === 'string') return value.length;
    return Array.isArray(value) && !isJsonObject(value[0]) ? value.length * 8 : 0;
  });
  return 1 + Math.floor(texts.reduce((sum, length) => sum + length, 0) / 40);
}

/** Of its type, whatever it is. */
function stub(node: JsonObject): Shape {
  const { description, title, nullable } = readAnnotations(node);
  const types = readTypes(node);
  // Null beside a type may be written as a union, and that would be no stub.
  return {
    types: nullable || types?.length !== 1 ? undefined : types,
    title,
    description: description?.slice(0, longestOfStub),
  };
}

const longestOfStub = 200;

/** Whether only words stand beside the reference. */
function saysNothing({ title: _title, description: _description, fallback: _fallback, ...rest }: Shape): boolean {
  return Object.values(rest).every((value) => value === undefined || value === false);
}

function withoutUndefined(shape: Shape): Shape {
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined));
}
