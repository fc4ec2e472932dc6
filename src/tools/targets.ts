/*
 * The targets of a call: recipients, hosts, paths, ids. Builtin tools declare them. For foreign tools the operator
 * names the parameters, or their names are matched. A temporary permission for a tool covers only these targets, and a
 * target that the person wrote themselves was not planted by what the model has read.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import type { CallFacets } from './tool.ts';

/**
 * The values of a call's target parameters; undefined if the tool has none. `named`: the operator's choice of
 * parameters, instead of matching their names.
 */
export function targetsOf(
  parameters: JsonObject,
  args: JsonObject,
  named?: readonly string[],
): readonly string[] | undefined {
  const { properties } = parameters;
  const names =
    named ?? (isJsonObject(properties) ? Object.keys(properties).filter((name) => isTargetName.test(name)) : []);
  if (names.length === 0) return undefined;
  return names.flatMap((name) => (Object.hasOwn(args, name) ? scalarsIn(args[name] ?? null) : []));
}

/** How names of such parameters end: `recipient`, `account_id`, `targetUrl`, `cc`. */
const endings = `to cc bcc recipients? participants? attendees? receivers? members? users? usernames? persons?
  contacts? names? e-?mails? address(?:es)? accounts? iban ids? keys? urls? uris? links? hosts? hostnames? domains?
  webhooks? endpoints? channels? chats? rooms? groups? threads? teams? phones? numbers? paths? files? filenames? folders?
  dirs? directorys? directories repos? repositorys? repositories branch(?:es)? hotels? restaurants? company companies
  place location destination`.split(/\s+/);
const isTargetName = new RegExp(`(?<![^\\w\\s-])(?:${endings.join('|')})$`, 'i');

/** All strings and numbers in a value, as strings. */
function scalarsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(scalarsIn);
}

/**
 * The values that must come from the person if the call is to be their own wish: its targets, each number, and, in any
 * text, each web or mail address and each number of six digits or more, as of a card or a passport. A text that is an
 * address counts whole. Empty if the tool names no targets, or this call has none.
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

/** All repetition is bounded, to keep matching linear. */
const address =
  /[a-z][a-z\d+.-]{0,20}:\/\/[^\s<>"'`)\]]+|(?:[\w.+-]{1,64}@)?(?:[\p{L}\p{N}-]{1,63}\.){1,10}\p{L}{2,24}(?:\/[^\s<>"'`)\]]*)?/giu;

/**
 * The values that the person has not written themselves; empty if the call is their own wish. Undefined if it has no
 * targets: then no words make it their wish. A target of one or two characters is in any text, and is never theirs.
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
 * Whether a person's words contain this value as whole words, in any case. A web address must match exactly, since any
 * difference could carry data out.
 */
export function isSaidIn(words: string, value: string): boolean {
  const request = requestOf(value);
  if (request !== undefined) return requestsIn(words).includes(request);
  const wanted = value.trim().toLowerCase();
  // A name of two letters is in any text.
  if (wanted.length < 3 && !/^\d+$/.test(wanted)) return false;
  return standsIn(words.toLowerCase(), wanted);
}

function standsIn(said: string, wanted: string): boolean {
  for (let at = said.indexOf(wanted); at !== -1; at = said.indexOf(wanted, at + 1)) {
    if (!isWordAt(said, at - 1) && !isWordAt(said, at + wanted.length)) return true;
  }
  return false;
}

/** What requesting an address tells its host: the URL without scheme and fragment. Undefined for other texts. */
function requestOf(text: string): string | undefined {
  const url = /^\s*https?:/i.test(text) ? URL.parse(text) : null;
  return url === null ? undefined : url.href.slice(url.protocol.length).replace(/#.*$/s, '');
}

/** The requests of all addresses in a text: with or without scheme, in brackets, or at the end of a sentence. */
function requestsIn(words: string): readonly string[] {
  const pieces = words.split(/\s+/).flatMap((word) => [word, ...word.split(/[<>"'`()[\]{}|]+/)]);
  const spelled = pieces
    .filter((piece) => /[.:/]/.test(piece))
    .flatMap((piece) => [piece, piece.replace(/[.,;:!?…*_~]{1,20}$/, '')]);
  return spelled.flatMap((piece) => requestOf(/^https?:/i.test(piece) ? piece : `http://${piece}`) ?? []);
}

/** The texts in the arguments that have letters, and so could carry a message. */
export function textsIn(args: JsonObject): readonly string[] {
  return scalarsIn(args).filter((text) => /\p{L}/u.test(text));
}

/** Whether a value is part of one of the texts and numbers in the arguments, in any case. */
export function isPartOf(args: JsonValue, value: string): boolean {
  const wanted = value.trim().toLowerCase();
  return scalarsIn(args).some((text) => text.toLowerCase().includes(wanted));
}

function isWordAt(text: string, index: number): boolean {
  return /[\p{L}\p{N}]/u.test(text.charAt(index));
}
