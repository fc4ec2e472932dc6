/*
 * The targets of a call: recipients, hosts, paths, ids. Builtin tools declare them. For foreign tools the operator
 * names the parameters, or their names are matched. A temporary permission covers only these, each in its place; where
 * names are matched, it covers only the same arguments, since an unknown name may lead anywhere.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { type ArgumentPart, argumentParts } from './own-wish.ts';

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
 * What a permission for a while covers, if only the names of parameters tell what a call reaches: the values of the one
 * that is known to name a target, and then exactly the other arguments but texts, as one value. So a call that leaves
 * one out (`dry_run: true`, `path`) is another one. Undefined if there are no arguments but texts.
 */
export function coveredBy(
  parameters: JsonObject,
  args: JsonObject,
  freeText?: readonly string[],
): readonly string[] | undefined {
  const parts = argumentParts({ arguments: args, parameters, facets: { freeText } }).filter(({ isFree }) => !isFree);
  if (parts.length === 0) return undefined;
  const isTarget = ({ path }: ArgumentPart): boolean => isTargetName.test(path[0] ?? '');
  const [target, ...others] = new Set(parts.filter(isTarget).map(({ path }) => path.join('.')));
  const isTheTarget = (part: ArgumentPart): boolean => others.length === 0 && part.path.join('.') === target;
  const first = parts.filter(isTheTarget).map(({ value }) => String(value));
  const rest = parts.filter((part) => !isTheTarget(part)).map(({ path, value }) => said(path.join('.'), value));
  return [...first, onlyThese(rest, first.length === 0)];
}

/** The same for the parameters that the operator names. Of one, each value; of several, each in its own place. */
export function coveredByNamed(args: JsonObject, named: readonly string[]): readonly string[] | undefined {
  if (named.length < 2) return undefined;
  const given = named.filter((name) => scalarsIn(args[name] ?? null).length > 0);
  return [
    ...given.flatMap((name) => scalarsIn(args[name] ?? null).map((value) => said(name, value))),
    onlyThese(given),
  ];
}

function said(name: string, value: string | number | boolean): string {
  const [plainName, plainValue] = [name, `${value}`].map((one) => (/[,:"]/.test(one) ? JSON.stringify(one) : one));
  return `${plainName}: ${plainValue}`;
}

/** As one value. `isAll`: nothing stands before it. */
function onlyThese(what: readonly string[], isAll = false): string {
  return [...what, ...(isAll || what.length === 0 ? ['nothing else'] : [])].join(', ');
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
