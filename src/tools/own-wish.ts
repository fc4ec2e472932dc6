/*
 * Whether a call is the person's own wish, whatever was read since: one of their messages asks for the deed and contains
 * every argument, except texts that the model may word itself, and those contain nothing that could be an account, a
 * number or an address and was not said. A call that only reads needs no request, and its values may come from all of
 * their messages. What cannot be understood is not their wish.
 */

import { isJsonObject, type JsonObject, type JsonValue, own, referredTo } from '../lib/json.ts';
import { asksForDeed, asksForSomething } from './named-deeds.ts';
import {
  isNumberSaid,
  isSaid,
  plainSpelling,
  readWords,
  requestOf,
  type Said,
  standsIn,
  strangeParts,
} from './said-values.ts';
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
 * `isKnown` vouches for values that come from elsewhere; not for texts, which could carry what is private.
 */
export function wishFor(
  call: WishedCall,
  messages: readonly string[],
  isKnown: (value: string) => boolean,
): Wish | undefined {
  const { category, facets } = call;
  if (facets.ownWords === false) return undefined;
  const isReading = category === 'network_read';
  const sources = isReading ? [messages.join('\n')] : messages;
  const parts = facets.sends === undefined ? argumentParts(call) : [];
  const wishes = sources.map((message): Wish | undefined => {
    const said = readWords(message);
    const strange =
      facets.sends === undefined
        ? strangeArguments(parts, call, said, isKnown)
        : strangeTexts(facets.sends, said, isKnown);
    return strange && { strange, isAskedFor: isReading || isAskedFor(message, call) };
  });
  const found = wishes.filter((wish) => wish !== undefined);
  return found.toSorted((one, other) => faults(one) - faults(other))[0];
}

function faults({ strange, isAskedFor }: Wish): number {
  return strange.length + (isAskedFor ? 0 : 0.5);
}

function isAskedFor(message: string, { toolName, facets: { deed = toolName, ownWords } }: WishedCall): boolean {
  return ownWords === true ? asksForSomething(message) : asksForDeed(message, deed);
}

/** Of what a tool says that it sends: to the letter, but for web addresses, which may come from elsewhere, too. */
function strangeTexts(sends: readonly string[], said: Said, isKnown: (value: string) => boolean): readonly string[] {
  return sends.filter((text) =>
    requestOf(text) === undefined ? !standsIn(said.words, text) : !isSaid(said, text) && !isKnown(text),
  );
}

function strangeArguments(
  parts: readonly ArgumentPart[],
  { facets: { targets = [] } }: WishedCall,
  said: Said,
  isKnown: (value: string) => boolean,
): readonly string[] | undefined {
  const isWhole = ({ value, isFree }: ArgumentPart): boolean =>
    !isFree || (typeof value === 'string' && standsIn(said.plain, plainSpelling(value)));
  // Something of it must be said: free texts alone would make any call theirs.
  if (!parts.some(isWhole)) return undefined;
  return [...new Set(parts.flatMap((part) => strangeIn(part, targets, { said, isKnown })))];
}

function strangeIn(
  { path, value, isFree, isUnknown, choices }: ArgumentPart,
  targets: readonly string[],
  { said, isKnown }: { readonly said: Said; readonly isKnown: (value: string) => boolean },
): readonly string[] {
  const key = path.at(-1) ?? '';
  const keys = isUnknown && !isSaid(said, wordsOf(key)) ? [key] : [];
  if (typeof value === 'boolean') {
    const isNamed = value && isNameSaid(said, key);
    return isNamed ? keys : [...keys, `${key}: ${value}`];
  }
  if (isFree && typeof value === 'string') return [...keys, ...strangeParts(said, value)];
  const text = String(value);
  // A target of one or two characters is in any text.
  const isShort = text.length < 3 && !/^\p{Script=Han}{2}$/u.test(text) && targets.includes(text);
  const isOwn = typeof value === 'number' ? isNumberSaid(said, text) : isSaid(said, text);
  if ((isOwn && !isShort) || isKnown(text) || isShortFor(said, text, { key, choices })) return keys;
  return [...keys, text];
}

/** Whether a choice is the beginning of the word beside the parameter's name: `r` in "with read permissions". */
function isShortFor(
  { plain }: Said,
  text: string,
  { key, choices }: { readonly key: string; readonly choices: readonly string[] },
): boolean {
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

  function partsOf(
    value: JsonValue,
    schemas: readonly JsonObject[],
    path: readonly string[],
    isUnknown: boolean,
  ): readonly ArgumentPart[] {
    if (value === null || value === '' || schemas.some((schema) => own(schema, 'default') === value)) return [];
    if (Array.isArray(value)) {
      const items = optionsOf(
        schemas.flatMap((schema) => own(schema, 'items') ?? []),
        parameters,
      );
      return value.flatMap((item) => partsOf(item, items, path, isUnknown));
    }
    if (isJsonObject(value))
      return Object.entries(value).flatMap(([key, inner]) => {
        const found = schemas.flatMap((schema) => propertyOf(schema, key) ?? []);
        return partsOf(inner, optionsOf(found, parameters), [...path, key], found.length === 0);
      });
    if (typeof value === 'object') return [];
    const isFree =
      typeof value === 'string' && !isUnknown && isFreeName(path.at(-1) ?? '') && schemas.every(isPlainText);
    const choices = schemas
      .flatMap((schema) => own(schema, 'enum') ?? [])
      .flatMap((choice) => (typeof choice === 'string' ? choice : []));
    return [{ path, value, isFree, isUnknown, choices }];
  }

  return partsOf(args, optionsOf([parameters], parameters), [], false);
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
