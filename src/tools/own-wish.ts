/*
 * Whether a call is the person's own wish, whatever was read since: one of their messages asks for the deed and contains
 * every argument, except texts that the model may word itself, and those contain nothing that could be an account, a
 * number or an address and was not said. A call that only reads needs no request, and its values may come from all of
 * their messages. What cannot be understood is not their wish.
 */

import { isJsonObject, type JsonObject, type JsonValue, own, referredTo } from '../lib/json.ts';
import { strangeParts } from './free-texts.ts';
import { isPayment, ordersFor } from './named-deeds.ts';
import { isAmount, isCurrency, strangeInPayment } from './payments.ts';
import { hasRequest, orderedWords } from './person-orders.ts';
import { isNumberSaid, isSaid, plainSpelling, readWords, requestOf, type Said, standsIn } from './said-values.ts';
import type { CallFacets, ToolCategory } from './tool.ts';

/** An argument of a call, or a part of one. */
export interface ArgumentPart {
  /** The parameters that lead to it, without positions in lists. */
  readonly path: readonly string[];
  readonly value: string | number | boolean;
  /** A text that the model words. */
  readonly isFree: boolean;
  /** The schema does not name this key: it must be said as well. */
  readonly isUnknown: boolean;
  /** The values that the schema allows, if it lists them. */
  readonly choices: readonly string[];
}

/** A call, as far as its own wish depends on it. */
export interface WishedCall {
  readonly toolName: string;
  readonly category: ToolCategory;
  readonly arguments: JsonObject;
  /** Its JSON Schema. */
  readonly parameters: JsonObject;
  readonly facets: CallFacets;
}

export interface Wish {
  /** What the person has not said, as it stands in the call. */
  readonly strange: readonly string[];
  /** Whether they ask for the deed, in the same message. */
  readonly isAskedFor: boolean;
}

/**
 * What of the call is not the person's wish; undefined if no words make it theirs, since none of it has to be said.
 * `isKnown` vouches for values that come from elsewhere; not for texts, which could carry what is private. `read`: the
 * answers that strangers may have written.
 */
export function wishFor(
  call: WishedCall,
  messages: readonly string[],
  isKnown: (value: string) => boolean,
  read: readonly string[] = [],
): Wish | undefined {
  const { category, facets } = call;
  if (facets.ownWords === false) return undefined;
  const isReading = category === 'network_read';
  const sources = isReading ? [messages.join('\n')] : messages;
  const parts = facets.sends === undefined ? argumentParts(call) : [];
  const wishes = sources.flatMap((message): readonly (Wish | undefined)[] => {
    const orders = isReading ? undefined : ordersOf(message, call);
    return (orders ?? [undefined]).map((order) => {
      const words = wordsFor(message, isReading ? undefined : order, { call, isReading, isKnown, read });
      const strange =
        facets.sends === undefined ? strangeArguments(parts, call, words) : strangeTexts(facets.sends, words);
      return strange && { strange, isAskedFor: orders === undefined || order !== noOrder };
    });
  });
  const found = wishes.filter((wish) => wish !== undefined);
  return found.toSorted((one, other) => faults(one) - faults(other))[0];
}

function faults({ strange, isAskedFor }: Wish): number {
  return strange.length + (isAskedFor ? 0 : 0.5);
}

/** No order asks for the call; its values are looked at nevertheless, to name them. */
const noOrder = '';
/** The operator lets any request ask for it. */
const anyOrder = undefined;

/** The orders that ask for the call, from their verbs on. */
function ordersOf(
  message: string,
  { toolName, facets: { deed = toolName, ownWords } }: WishedCall,
): readonly (string | undefined)[] {
  if (ownWords === true) return [hasRequest(message) ? anyOrder : noOrder];
  const orders = ordersFor(message, deed);
  return orders.length === 0 ? [noOrder] : orders.map(({ text }) => text);
}

/** A message, as far as a call may take its values from it. */
interface Words {
  /** All of it: what a text may say. */
  readonly said: Said;
  /** Without what is denied, quoted or pasted. For reading: all of it. */
  readonly own: Said;
  /** In plain spelling. */
  readonly quotes: readonly string[];
  /** What is not denied, as it was written. */
  readonly shown: string;
  /** The order that asks for the call; undefined if any does. */
  readonly order: string | undefined;
  /** The sums and payees must stand in the order. */
  readonly isPayment: boolean;
  readonly isKnown: (value: string) => boolean;
  readonly read: readonly string[];
}

function wordsFor(
  message: string,
  order: string | undefined,
  {
    call: { toolName, facets },
    isReading,
    isKnown,
    read,
  }: Pick<Words, 'isKnown' | 'read'> & { readonly call: WishedCall; readonly isReading: boolean },
): Words {
  const said = readWords(message);
  const base = { said, order: order === noOrder ? undefined : order, isKnown, read };
  if (isReading) return { ...base, own: said, quotes: [], shown: message, isPayment: false };
  const { own, quotes, shown } = orderedWords(message);
  return {
    ...base,
    own: readWords(own),
    quotes: quotes.map(plainSpelling),
    shown,
    isPayment: base.order !== undefined && isPayment(facets.deed ?? toolName),
  };
}

/** Of what a tool says that it sends: to the letter, but for web addresses, which may come from elsewhere, too. */
function strangeTexts(sends: readonly string[], words: Words): readonly string[] {
  return sends.filter((text) =>
    requestOf(text) === undefined
      ? !(standsIn(words.said.words, text) && standsIn(words.shown, text.normalize('NFKC')))
      : !isOwnValue(text, words) && !words.isKnown(text),
  );
}

function strangeArguments(
  parts: readonly ArgumentPart[],
  { facets: { targets = [] } }: WishedCall,
  words: Words,
): readonly string[] | undefined {
  const isWhole = ({ value, isFree }: ArgumentPart): boolean =>
    !isFree || (typeof value === 'string' && standsIn(words.said.plain, plainSpelling(value)));
  // Something of it must be said: free texts alone would make any call theirs.
  if (!parts.some(isWhole)) return undefined;
  const strange = parts.flatMap((part) => strangeIn(part, targets, words));
  return [...new Set([...strange, ...strangeSums(parts, words)])];
}

/** Of a payment, what its order does not say: sums, and payees that nobody vouches for. */
function strangeSums(parts: readonly ArgumentPart[], words: Words): readonly string[] {
  if (!words.isPayment || words.order === undefined) return [];
  const values = parts
    .filter((part) => !part.isFree && typeof part.value !== 'boolean' && !isShortFor(words.own, `${part.value}`, part))
    .map(({ value }) => `${value}`);
  return strangeInPayment(words.order, words.own.words, values).filter(
    (value) => !words.isKnown(value) || isAmount(value),
  );
}

function strangeIn(part: ArgumentPart, targets: readonly string[], words: Words): readonly string[] {
  const { path, value, isFree, isUnknown } = part;
  const key = path.at(-1) ?? '';
  const keys = isUnknown && !isSaid(words.own, wordsOf(key)) ? [key] : [];
  if (typeof value === 'boolean') {
    const isNamed = value && isNameSaid(words.own, key);
    return isNamed ? keys : [...keys, `${key}: ${value}`];
  }
  if (isFree && typeof value === 'string') return [...keys, ...strangeParts(words.said, value, words.read)];
  const text = String(value);
  // A target of one or two characters is in any text.
  const isShort = text.length < 3 && !/^\p{Script=Han}{2}$/u.test(text) && targets.includes(text);
  // Sums are looked for in the order itself: see `strangeSums`.
  if (words.isPayment && (isAmount(text) || isCurrency(text)) && !isShort) return keys;
  const isOwn = isOwnValue(value, words);
  if ((isOwn && !isShort) || words.isKnown(text) || isShortFor(words.own, text, part)) return keys;
  return [...keys, text];
}

/** Whether the message holds the value, and its order holds no other one of that kind: "Is 7 fine? Then merge 12." */
function isOwnValue(value: string | number, { own, quotes, order }: Words): boolean {
  const text = String(value);
  const isIn = (said: Said): boolean => (typeof value === 'number' ? isNumberSaid(said, text) : isSaid(said, text));
  if (!isIn(own)) return quotes.includes(plainSpelling(text));
  const kind = order === undefined ? undefined : kinds.find(({ value: pattern }) => pattern.test(text));
  if (kind === undefined || order === undefined || !kind.others.test(order)) return true;
  const ordered = readWords(order);
  return typeof value === 'number' ? isNumberSaid(ordered, text) : isSaid(ordered, text.toLowerCase());
}

/** Values of one kind, and how others of it are known in an order. */
const kinds: readonly { readonly value: RegExp; readonly others: RegExp }[] = [
  {
    value: /^#?\d+(?:[.,]\d+)?$/,
    others:
      /(?<![\p{L}\p{N}_.,:/-])#?\d+(?![\p{N}:.,/-]*\p{N}|\s?(?:am|pm|hours?|minutes?|min|h|days?|weeks?|%)\b|(?:st|nd|rd|th)\b)/u,
  },
  { value: /^https?:/i, others: /https?:/ },
  { value: /^[^\s@]+@[^\s@]+$/, others: /[^\s@]@[^\s@]/ },
  // Names of files.
  { value: /^[\w-]+\.[a-z]\w{0,9}$/i, others: /(?<![\w@./-])[\w-]+\.[a-z]\w{0,9}(?![\w@/-])/i },
  { value: /^[\w.-]+\/[\w.-]+$/, others: /(?<![\p{L}\p{N}/:.])[a-z][\w.-]*\/[a-z][\w.-]*(?!\/)/u },
];

/** Whether a choice is the beginning of the word beside the parameter's name: `r` in "with read permissions". */
function isShortFor({ plain }: Said, text: string, { path, choices }: ArgumentPart): boolean {
  const key = path.at(-1) ?? '';
  if (!/^[a-z]{1,4}$/.test(text) || !choices.includes(text)) return false;
  const [word] =
    new RegExp(`\\p{L}+(?= ${plainSpelling(wordsOf(key)).replaceAll(/[^\p{L} ]/gu, '')}s?(?!\\p{L}))`, 'u').exec(
      plain,
    ) ?? [];
  return word !== undefined && choices.filter((choice) => word.startsWith(choice)).join() === text;
}

/** A flag is said by its name, where that is not denied. */
function isNameSaid(said: Said, key: string): boolean {
  const words = plainSpelling(wordsOf(key)).replace(/^(?:is|as) /, '');
  return isSaid(said, words) && !/(?:n't|\bnot|\bno|\bnon|\bnever|\bwithout)(?!\p{L})|[不别没无]/u.test(said.plain);
}

function wordsOf(key: string): string {
  return key.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll(/[_-]+/g, ' ');
}

/** All texts in a call that could name somebody: its targets, and what the model may not word. */
export function reachedBy(call: Pick<WishedCall, 'arguments' | 'parameters' | 'facets'>): readonly string[] {
  const parts = argumentParts(call).filter(({ isFree, value }) => !isFree && /\p{L}/u.test(`${value}`));
  return [...(call.facets.targets ?? []), ...parts.map(({ value }) => `${value}`)];
}

/** The parts of the arguments. Values that are the schema's default, empty, or null say nothing. */
export function argumentParts({
  arguments: args,
  parameters,
  facets,
}: Pick<WishedCall, 'arguments' | 'parameters' | 'facets'>): readonly ArgumentPart[] {
  const { freeText } = facets;
  const isFreeName = (name: string): boolean => freeText?.includes(name) ?? freeNames.test(name);
  const root: Place = { schemas: optionsOf([parameters], parameters), path: [], isUnknown: false };
  return partsOf(args, root, { parameters, isFreeName });
}

/** Where a value stands: the schemas that it may have, and its keys from the outside in. */
interface Place {
  readonly schemas: readonly JsonObject[];
  readonly path: readonly string[];
  /** No schema knows its key. */
  readonly isUnknown: boolean;
}

interface PartsContext {
  readonly parameters: JsonObject;
  readonly isFreeName: (name: string) => boolean;
}

function partsOf(value: JsonValue, place: Place, context: PartsContext): readonly ArgumentPart[] {
  const { schemas, path, isUnknown } = place;
  const { parameters, isFreeName } = context;
  if (value === null || value === '' || schemas.some((schema) => own(schema, 'default') === value)) return [];
  if (Array.isArray(value)) {
    const items = optionsOf(
      schemas.flatMap((schema) => own(schema, 'items') ?? []),
      parameters,
    );
    return value.flatMap((item) => partsOf(item, { schemas: items, path, isUnknown }, context));
  }
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([key, inner]) => {
      const found = schemas.flatMap((schema) => propertyOf(schema, key) ?? []);
      const below = { schemas: optionsOf(found, parameters), path: [...path, key], isUnknown: found.length === 0 };
      return partsOf(inner, below, context);
    });
  if (typeof value === 'object') return [];
  const isFree = typeof value === 'string' && !isUnknown && isFreeName(path.at(-1) ?? '') && schemas.every(isPlainText);
  const choices = schemas
    .flatMap((schema) => own(schema, 'enum') ?? [])
    .flatMap((choice) => (typeof choice === 'string' ? choice : []));
  return [{ path, value, isFree, isUnknown, choices }];
}

function propertyOf(schema: JsonObject, key: string): JsonValue | undefined {
  const properties = own(schema, 'properties');
  return isJsonObject(properties) ? own(properties, key) : undefined;
}

/** The schemas that a value may have, with references and alternatives resolved. */
function optionsOf(found: readonly JsonValue[], root: JsonObject, depth = 0): readonly JsonObject[] {
  if (depth > 8) return [];
  return found.filter(isJsonObject).flatMap((schema) => {
    const reference = own(schema, '$ref');
    const target = typeof reference === 'string' ? referredTo(root, reference) : undefined;
    const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => own(schema, key) ?? []).flat();
    return [schema, ...optionsOf([...(target === undefined ? [] : [target]), ...choices], root, depth + 1)];
  });
}

/** No list of choices, no format and no pattern: nothing but words is expected. */
function isPlainText(schema: JsonObject): boolean {
  return ['enum', 'const', 'format', 'pattern', '$ref'].every((key) => own(schema, key) === undefined);
}

/** How parameters end that are texts for people to read. All others steer the call. */
const freeNames =
  /(?:^|[_-]|(?<=\p{Ll})(?=\p{Lu}))(?:body|text|message|msg|content|contents|subject|title|description|note|notes|comment|caption|summary|reason|memo|markdown|details)$/iu;
