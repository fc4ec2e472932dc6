import { holdsSecret, type KeyPath, spellPath } from '../../../config/config-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import type { ConfigEdit } from '../tables.ts';

/** A place in the config, with its old and new value. */
export interface Place {
  readonly path: KeyPath;
  /** The same, with the names of list members. */
  readonly names: readonly string[];
  readonly was: JsonValue | undefined;
  readonly is: JsonValue | undefined;
}

/** Describes the edit of a place that affects who may do what. */
type ValueRight = (place: Place) => readonly ConfigEdit[];

export interface EntryRight {
  /** Describes that it was added or removed. */
  readonly says?: ValueRight;
  /** The defaults of a missing entry, so that the contents of a new one are described too. */
  readonly like?: JsonObject | undefined;
}

export type Right = ValueRight | EntryRight;

/** By config path; `*` matches any one name, `a|b` either. The first match wins. */
export type Rights = Readonly<Record<string, Right>>;

type Effect = ConfigEdit['effect'];

const opposite = { widens: 'narrows', narrows: 'widens', other: 'other' } as const satisfies Record<Effect, Effect>;

export function edit({ path }: Place, words: string, effect: Effect): ConfigEdit {
  return { path: spellPath(path), words, effect };
}

/** An edit without words of its own: `agent.max_turns: 25 → 40`. */
export function plainEdit(place: Place): ConfigEdit {
  return edit(place, plainWords(place), 'other');
}

export function plainWords(place: Place): string {
  return code(`${spellPath(place.path)}: ${difference(place)}`);
}

/** Inline code on one line. */
export function code(text: string): string {
  return inlineCode(oneLine(text, 200));
}

/** Fills in words: within backticks, `{1}` is the place's second name; `{-1}` the last one. */
export function filled(words: string, names: readonly string[]): string {
  return words.replaceAll(/`([^`]*)`/g, (_, text: string) =>
    code(text.replaceAll(/\{(-?\d)\}/g, (_name, index) => names.at(Number(index)) ?? '')),
  );
}

/** Words describe the new state: " now " becomes " no longer " when it ends. */
function said(words: string, isSo: boolean): string {
  if (isSo) return words;
  // "everybody may no longer" would read as "nobody may".
  if (/(^| )every.* now /.test(words)) return `${words.replace(/(^| )every(.*) now /, '$1not every$2 ')} any more`;
  return words.replace(' now ', ' no longer ');
}

/** A value of which more allows more, by its rank. Values of the same rank get plain words. */
export function ranked(
  rankOf: (value: JsonValue | undefined, place: Place) => number,
  words: (place: Place, isMore: boolean) => string,
): ValueRight {
  return (place) => {
    const [was, is] = [rankOf(place.was, place), rankOf(place.is, place)];
    if (was === is) return [plainEdit(place)];
    return [edit(place, words(place, is > was), is > was ? 'widens' : 'narrows')];
  };
}

/** A boolean. `words` describe true. */
export function flag(words: string, effect: 'widens' | 'narrows' = 'widens', initial = false): ValueRight {
  const isTrue = (value: JsonValue | undefined): boolean => (value ?? initial) === true;
  return ranked(
    (value) => Number(isTrue(value) === (effect === 'widens')),
    ({ names, is }) => said(filled(words, names), isTrue(is)),
  );
}

interface Members {
  /** The effect of an added member. */
  readonly effect?: Effect;
  readonly nameOf?: (member: string, names: readonly string[]) => string;
  /** Whether the list covers the member even without naming it. */
  readonly covers?: (list: readonly string[], member: string, isAdded: boolean) => boolean;
  readonly emptyIsAll?: boolean;
}

/** A list. `words` describe each member, `{who}`. */
export function members(
  words: string,
  { effect = 'widens', nameOf = code, covers = hasAll, emptyIsAll = false }: Members = {},
): ValueRight {
  const listOf = (value: JsonValue | undefined): readonly string[] => {
    const list = Array.isArray(value) ? value.map(String) : [];
    return emptyIsAll && list.length === 0 ? ['*'] : list;
  };
  return (place) => {
    const [was, is] = [listOf(place.was), listOf(place.is)];
    const changed = (member: string, isAdded: boolean): ConfigEdit => {
      if (covers(isAdded ? was : is, member, isAdded))
        return edit(place, code(`${spellPath(place.path)}: ${isAdded ? '+' : '−'} ${member}`), 'other');
      // Split before it is filled, since a name may be anything.
      const parts = words.split('{who}').map((part) => filled(part, place.names));
      return edit(place, said(parts.join(nameOf(member, place.names)), isAdded), isAdded ? effect : opposite[effect]);
    };
    return [
      ...is.filter((member) => !was.includes(member)).map((member) => changed(member, true)),
      ...was.filter((member) => !is.includes(member)).map((member) => changed(member, false)),
    ];
  };
}

function hasAll(list: readonly string[]): boolean {
  return list.includes('*');
}

/** One of several values, the strictest first, each with its description. */
export function steps(words: Readonly<Record<string, string>>, unset = ''): ValueRight {
  const nameOf = (value: JsonValue | undefined): string => String(value ?? unset);
  return ranked(
    (value) => Object.keys(words).indexOf(nameOf(value)),
    (place) => `${filled(words[nameOf(place.is)] ?? '', place.names)}: ${plainWords(place)}`,
  );
}

/** A number: more of it allows more. Unset means no limit. */
export function amount(raised: string, lowered: string): ValueRight {
  return ranked(
    (value) => Number(value ?? Infinity),
    (place, isMore) => `${isMore ? raised : lowered}: ${plainWords(place)}`,
  );
}

/** Something that may now do more, or something else: its value does not tell. */
export function redefined(words: string): ValueRight {
  return (place) => [edit(place, filled(words, place.names), 'widens')];
}

/** Something with a name that is added or removed. */
export function entry(words: string, effect: Effect = 'widens', like?: JsonObject): EntryRight {
  return {
    like,
    says(place) {
      const isAdded = place.was === undefined;
      const found = isAdded ? place.is : place.was;
      const isOff = isJsonObject(found) && found.enabled === false;
      const change = isAdded ? effect : opposite[effect];
      const described = said(filled(words, place.names), isAdded);
      return [isOff ? edit(place, `${described} (off)`, 'other') : edit(place, described, change)];
    },
  };
}

function difference({ path, was, is }: Place): string {
  const isShown = !holdsSecret(path) && !path.some((segment) => bearers.some((bearer) => bearer === segment));
  if (isShown && Array.isArray(was) && Array.isArray(is)) return listDifference(was.map(spell), is.map(spell));
  if (isShown && isShort(was) && isShort(is)) return `${spell(was)} → ${spell(is)}`;
  if (isMissing(was)) return 'added';
  return isMissing(is) ? 'removed' : 'changed';
}

/** Keys whose values often hold secrets: how programs are started and reached, and channel settings. */
const bearers = ['env', 'args', 'command', 'url', 'base_url', 'channels'];

function listDifference(was: readonly string[], is: readonly string[]): string {
  const more = is.filter((member) => !was.includes(member)).map((member) => `+ ${member}`);
  const less = was.filter((member) => !is.includes(member)).map((member) => `− ${member}`);
  return [...more, ...less].join(', ') || 'another order';
}

function isShort(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return value.length <= 60 && !value.includes('\n');
  return typeof value !== 'object' || isMissing(value);
}

/** The config itself has no null. */
function isMissing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null;
}

function spell(value: JsonValue | undefined): string {
  if (isMissing(value)) return 'not set';
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}
