import { spellPath } from '../../config/config-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import type { ConfigEdit } from '../../store/edits.ts';
import { code, type Effect, edit, type Place, plainEdit, plainWords } from './place.ts';

/** Describes the edit of a place that affects who may do what. */
export type Right = ValueRight | EntryRight;

interface ValueRight {
  readonly type: 'value';
  says(place: Place): readonly ConfigEdit[];
}

export interface EntryRight {
  readonly type: 'entry';
  /** Describes that it was added or removed. */
  readonly says?: (place: Place) => readonly ConfigEdit[];
  /** The defaults of a missing entry, so that the contents of a new one are described too. */
  readonly like?: JsonObject | undefined;
}

/** By config path; `*` matches any one name. The first match wins. */
export type Rights = Readonly<Record<string, Right>>;

/** One right for each of several keys of a place. */
export function eachOf(place: string, keys: readonly string[], right: (key: string) => Right): Rights {
  return Object.fromEntries(keys.map((key) => [`${place}.${key}`, right(key)]));
}

/** Describes the new state. " now " in it becomes " no longer " when the state ends. */
type Says = (names: readonly string[]) => string;

function said(words: string, isSo: boolean): string {
  if (isSo) return words;
  // "everybody may no longer" would read as "nobody may".
  if (/(^| )every.* now /.test(words)) return `${words.replace(/(^| )every(.*) now /, '$1not every$2 ')} any more`;
  return words.replace(' now ', ' no longer ');
}

function opposite(effect: Effect): Effect {
  switch (effect) {
    case 'widens':
      return 'narrows';
    case 'narrows':
      return 'widens';
    case 'other':
      return 'other';
  }
}

/** A boolean. `says` describes true. */
export function flag(says: Says, effect: Effect = 'widens', initial = false): ValueRight {
  return {
    type: 'value',
    says(place) {
      const [was, is] = [place.was ?? initial, place.is ?? initial];
      if (was === is) return [plainEdit(place)];
      return [edit(place, said(says(place.names), is === true), is === true ? effect : opposite(effect))];
    },
  };
}

interface Members {
  /** The effect of an added member. */
  readonly effect?: Effect;
  readonly nameOf?: (member: string, names: readonly string[]) => string;
  /** Whether the list covers the member even without naming it. */
  readonly covers?: (list: readonly string[], member: string, isAdded: boolean) => boolean;
  readonly emptyIsAll?: boolean;
}

/** A list. `says` describes each member. */
export function members(
  says: (who: string, names: readonly string[]) => string,
  { effect = 'widens', nameOf = code, covers = hasAll, emptyIsAll = false }: Members = {},
): ValueRight {
  const listOf = (value: JsonValue | undefined): readonly string[] => {
    const list = Array.isArray(value) ? value.map(String) : [];
    return emptyIsAll && list.length === 0 ? ['*'] : list;
  };
  return {
    type: 'value',
    says(place) {
      const [was, is] = [listOf(place.was), listOf(place.is)];
      const changed = (member: string, isAdded: boolean): ConfigEdit => {
        if (covers(isAdded ? was : is, member, isAdded))
          return edit(place, code(`${spellPath(place.path)}: ${isAdded ? '+' : '−'} ${member}`), 'other');
        const words = says(nameOf(member, place.names), place.names);
        return edit(place, said(words, isAdded), isAdded ? effect : opposite(effect));
      };
      return [
        ...is.filter((member) => !was.includes(member)).map((member) => changed(member, true)),
        ...was.filter((member) => !is.includes(member)).map((member) => changed(member, false)),
      ];
    },
  };
}

function hasAll(list: readonly string[]): boolean {
  return list.includes('*');
}

/** One of several values, the strictest first, each with its description. */
export function steps(words: Readonly<Record<string, (names: readonly string[]) => string>>, unset = ''): ValueRight {
  const values = Object.keys(words);
  return {
    type: 'value',
    says(place) {
      const [was, is] = [String(place.was ?? unset), String(place.is ?? unset)];
      if (was === is) return [plainEdit(place)];
      const effect = values.indexOf(is) > values.indexOf(was) ? 'widens' : 'narrows';
      return [edit(place, `${words[is]?.(place.names) ?? ''}: ${plainWords(place)}`, effect)];
    },
  };
}

/** A number: more of it allows more. Unset means no limit. */
export function amount(raised: string, lowered: string): ValueRight {
  return {
    type: 'value',
    says(place) {
      const isRaised = Number(place.is ?? Infinity) > Number(place.was ?? Infinity);
      return [edit(place, `${isRaised ? raised : lowered}: ${plainWords(place)}`, isRaised ? 'widens' : 'narrows')];
    },
  };
}

/** Something that may now do more, or something else: its value does not tell. */
export function redefined(says: Says): ValueRight {
  return { type: 'value', says: (place) => [edit(place, says(place.names), 'widens')] };
}

/** Something with a name that is added or removed. */
export function entry(says: Says, effect: Effect = 'widens', like?: JsonObject): EntryRight {
  return {
    type: 'entry',
    like,
    says(place) {
      const isAdded = place.was === undefined;
      const found = isAdded ? place.is : place.was;
      const isOff = isJsonObject(found) && found.enabled === false;
      const change = isAdded ? effect : opposite(effect);
      return [edit(place, said(says(place.names), isAdded) + (isOff ? ' (off)' : ''), isOff ? 'other' : change)];
    },
  };
}
