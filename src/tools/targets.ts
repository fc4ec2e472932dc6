/*
 * Whom or what a call reaches. A tool of our own says it. Of a foreign one, the operator may name the arguments that do;
 * else the names of its parameters tell. A person who permits a tool for a while permits it for these targets alone, and
 * a target that they have written themselves was not put there by what the model has read.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import type { CallFacets } from './category.ts';

/**
 * The values of the arguments that say where a call goes, as recipients, hosts, paths and ids; undefined where the tool
 * has no such parameter. `named`: the operator's choice of parameters, in place of what their names tell.
 */
export function targetsOf(
  parameters: JsonObject,
  args: JsonObject,
  named?: readonly string[],
): readonly string[] | undefined {
  const { properties } = parameters;
  const names =
    named ?? (isJsonObject(properties) ? Object.keys(properties).filter((name) => lastWord.test(name)) : []);
  if (names.length === 0) return undefined;
  return names.flatMap((name) => (Object.hasOwn(args, name) ? scalarsIn(args[name] ?? null) : []));
}

/** Words that stand at the end of a parameter's name: `recipient`, `account_id`, `targetUrl`, `cc`. */
const lastWord =
  /(?:^|[_\-\s]|(?<=[a-z0-9])(?=[A-Z]))(?:to|cc|bcc|recipients?|participants?|attendees?|receivers?|members?|users?|usernames?|persons?|contacts?|names?|e-?mails?|address(?:es)?|accounts?|iban|ids?|keys?|urls?|uris?|links?|hosts?|hostnames?|domains?|webhooks?|endpoints?|channels?|chats?|rooms?|groups?|threads?|teams?|phones?|numbers?|paths?|files?|filenames?|folders?|dir(?:ectory|ectories)?s?|repo(?:sitory|sitories)?s?|branch(?:es)?|hotels?|restaurants?|compan(?:y|ies)|place|location|destination)$/i;

/** All texts and numbers in a value, as texts. */
function scalarsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(scalarsIn);
}

/**
 * What of a call has to come from the person for it to be their own wish: its targets, each number in it, and, in any of
 * its texts, each address of the net or of mail and each number of six digits and more, as of a card or a passport. A text
 * that is an address counts whole, whatever stands in it. Empty where the tool names no targets, or this call reaches none.
 */
export function steeringValues(args: JsonObject, targets: readonly string[] = []): readonly string[] {
  if (targets.length === 0) return [];
  const scalars = scalarsIn(args);
  const named = scalars.flatMap((text) => [
    ...(text.match(address) ?? []),
    ...(text.match(/\d{6,}|\d{4}(?:[ -]\d{4})+/g) ?? []),
  ]);
  const whole = scalars.filter((text) => /^-?\d[\d.]*$/.test(text) || requestOf(text) !== undefined);
  return [...new Set([...targets, ...whole, ...named])];
}

/** Every part is bounded, so that a long text takes time in proportion to its length. */
const address =
  /[a-z][a-z\d+.-]{0,20}:\/\/[^\s<>"'`)\]]+|(?:[\w.+-]{1,64}@)?(?:[\p{L}\p{N}-]{1,63}\.){1,10}\p{L}{2,24}(?:\/[^\s<>"'`)\]]*)?/giu;

/**
 * What of a call the person has not written themselves: of their own wish, nothing. Undefined where the call reaches nobody,
 * so that no words of theirs make it their wish. A target of one or two characters stands in any text, and is never theirs.
 */
export function strangeValues(
  args: JsonObject,
  { targets = [], sends }: Pick<CallFacets, 'targets' | 'sends'>,
  ownWords: () => string,
): readonly string[] | undefined {
  const steering = sends ?? steeringValues(args, targets);
  if (steering.length === 0) return undefined;
  const said = ownWords();
  if (sends !== undefined)
    return sends.filter((value) => (requestOf(value) === undefined ? !standsIn(said, value) : !isSaidIn(said, value)));
  return steering.filter((value) => !isSaidIn(said, value) || (value.length < 3 && targets.includes(value)));
}

/**
 * Whether a person's words hold this value as it is, not as a part of a longer word, whatever its case; an address of the web
 * to the letter, since each that differs could carry something.
 */
export function isSaidIn(words: string, value: string): boolean {
  const request = requestOf(value);
  if (request !== undefined) return requestsIn(words).includes(request);
  const wanted = value.trim().toLowerCase();
  // A name of two letters stands in any text.
  if (wanted.length < 3 && !/^\d+$/.test(wanted)) return false;
  return standsIn(words.toLowerCase(), wanted);
}

function standsIn(said: string, wanted: string): boolean {
  for (let at = said.indexOf(wanted); at !== -1; at = said.indexOf(wanted, at + 1)) {
    if (!isWordAt(said, at - 1) && !isWordAt(said, at + wanted.length)) return true;
  }
  return false;
}

/** What a request for an address tells its host: all but the scheme and what is behind a `#`. Undefined for any other text. */
function requestOf(text: string): string | undefined {
  const url = /^\s*https?:/i.test(text) ? URL.parse(text) : null;
  return url === null ? undefined : url.href.slice(url.protocol.length).replace(/#.*$/s, '');
}

/** What the addresses in a text ask for, be they written with a scheme or without, in brackets, or at the end of a sentence. */
function requestsIn(words: string): readonly string[] {
  const pieces = words.split(/\s+/).flatMap((word) => [word, ...word.split(/[<>"'`()[\]{}|]+/)]);
  const spelled = pieces
    .filter((piece) => /[.:/]/.test(piece))
    .flatMap((piece) => [piece, piece.replace(/[.,;:!?…*_~]{1,20}$/, '')]);
  return spelled.flatMap((piece) => requestOf(/^https?:/i.test(piece) ? piece : `http://${piece}`) ?? []);
}

/** The texts of the arguments that could say something, rather than a name or a number. */
export function textsIn(args: JsonObject): readonly string[] {
  return scalarsIn(args).filter((text) => /\p{L}/u.test(text));
}

/** Whether a value is, or is in, one of the texts and numbers of the arguments. */
export function isPartOf(args: JsonValue, value: string): boolean {
  const wanted = value.trim().toLowerCase();
  return scalarsIn(args).some((text) => text.toLowerCase().includes(wanted));
}

function isWordAt(text: string, index: number): boolean {
  return /[\p{L}\p{N}]/u.test(text.charAt(index));
}
