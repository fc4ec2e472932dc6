import { holdsSecret, type KeyPath, spellPath } from '../../../config/config-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import type { InLanguage, Language } from '../../../lib/words.ts';
import type { ConfigEdit } from '../tables.ts';
import { type Amount, type Member, type Named, type RightWords, rightWords, type Switch } from './words.ts';

/** A place in the config, with its old and new value. */
export interface Place {
  readonly path: KeyPath;
  /** The same, with the names of list members. */
  readonly names: readonly string[];
  /** The names that the pattern of its right leaves open. */
  readonly open: readonly string[];
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

export function edit({ path }: Place, words: InLanguage, effect: Effect): ConfigEdit {
  return { path: spellPath(path), words, effect };
}

/** An edit that says what the new value means, and shows the values. */
export function editWithChange(place: Place, what: InLanguage, effect: Effect): ConfigEdit {
  const words: InLanguage = (language) =>
    rightWords[language].withChange({ what: what(language), change: plainWords(place, language) });
  return edit(place, words, effect);
}

/** An edit without words of its own: `agent.max_turns: 25 → 40`. */
export function plainEdit(place: Place): ConfigEdit {
  return edit(place, (language) => plainWords(place, language), 'other');
}

function plainWords(place: Place, language: Language): string {
  return code(`${spellPath(place.path)}: ${difference(place, rightWords[language])}`);
}

/** Inline code on one line. */
export function code(text: string): string {
  return inlineCode(oneLine(text, 200));
}

/** A sentence of the catalogue: `(words) => words.channelOn`. */
type Say<Values> = (words: RightWords) => (values: Values) => string;

/** A sentence without values. */
type SayIt = (words: RightWords) => string;

/** What sentences say of a place. */
export function namesOf({ names, open }: Pick<Place, 'names' | 'open'>): Named {
  return { name: code(open.at(-1) ?? ''), place: code(open.join(':')), key: code(names.at(-1) ?? '') };
}

/** A value of which more allows more, by its rank. Values of the same rank get plain words. */
export function ranked(
  rankOf: (value: JsonValue | undefined, place: Place) => number,
  says: (place: Place, isMore: boolean, effect: Effect) => ConfigEdit,
): ValueRight {
  return (place) => {
    const [was, is] = [rankOf(place.was, place), rankOf(place.is, place)];
    if (was === is) return [plainEdit(place)];
    return [says(place, is > was, is > was ? 'widens' : 'narrows')];
  };
}

/** A boolean. */
export function flag(say: Say<Switch>, effect: 'widens' | 'narrows' = 'widens', initial = false): ValueRight {
  const isTrue = (value: JsonValue | undefined): boolean => (value ?? initial) === true;
  return ranked(
    (value) => Number(isTrue(value) === (effect === 'widens')),
    (place, _isMore, change) => switched(place, say, isTrue(place.is), change),
  );
}

function switched(place: Place, say: Say<Switch>, isSo: boolean, effect: Effect): ConfigEdit {
  return edit(place, (language) => say(rightWords[language])({ ...namesOf(place), isSo }), effect);
}

interface Members {
  /** The effect of an added member. */
  readonly effect?: Effect;
  /** The member that stands for all. */
  readonly all?: string;
  readonly nameOf?: (member: string, names: readonly string[]) => string;
  /** Whether the list covers the member even without naming it. */
  readonly covers?: (list: readonly string[], member: string, isAdded: boolean) => boolean;
  readonly emptyIsAll?: boolean;
}

/** A list, whose members each have a sentence. */
export function members(say: Say<Member>, options: Members = {}): ValueRight {
  const { emptyIsAll = false } = options;
  return (place) => {
    const [was, is] = [listOf(place.was, emptyIsAll), listOf(place.is, emptyIsAll)];
    const lists = { was, is };
    return [
      ...is
        .filter((member) => !was.includes(member))
        .map((added) => memberEdit(added, true, { place, lists, say, options })),
      ...was
        .filter((member) => !is.includes(member))
        .map((gone) => memberEdit(gone, false, { place, lists, say, options })),
    ];
  };
}

function listOf(value: JsonValue | undefined, emptyIsAll: boolean): readonly string[] {
  const list = Array.isArray(value) ? value.map(String) : [];
  return emptyIsAll && list.length === 0 ? ['*'] : list;
}

interface MembersContext {
  readonly place: Place;
  readonly lists: { readonly was: readonly string[]; readonly is: readonly string[] };
  readonly say: Say<Member>;
  readonly options: Members;
}

function memberEdit(member: string, isSo: boolean, { place, lists, say, options }: MembersContext): ConfigEdit {
  const { effect = 'widens', all, nameOf = code, covers = hasAll } = options;
  if (covers(isSo ? lists.was : lists.is, member, isSo)) {
    const change = code(`${spellPath(place.path)}: ${isSo ? '+' : '−'} ${member}`);
    return edit(place, () => change, 'other');
  }
  const values = { ...namesOf(place), who: nameOf(member, place.names), isAll: member === all, isSo };
  return edit(place, (language) => say(rightWords[language])(values), isSo ? effect : opposite[effect]);
}

function hasAll(list: readonly string[]): boolean {
  return list.includes('*');
}

/** One of several values, the strictest first, each with its sentence. */
export function steps(says: Readonly<Record<string, Say<Named> | SayIt>>, unset = ''): ValueRight {
  const nameOf = (value: JsonValue | undefined): string => String(value ?? unset);
  return ranked(
    (value) => Object.keys(says).indexOf(nameOf(value)),
    (place, _isMore, effect) => {
      const say = says[nameOf(place.is)];
      return editWithChange(place, (language) => said(say?.(rightWords[language]) ?? '', place), effect);
    },
  );
}

function said(sentence: string | ((values: Named) => string), place: Place): string {
  return typeof sentence === 'string' ? sentence : sentence(namesOf(place));
}

/** A number: more of it allows more. Unset means no limit. */
export function amount(say: Say<Amount>): ValueRight {
  return ranked(
    (value) => Number(value ?? Infinity),
    (place, isMore, effect) => editWithChange(place, (language) => say(rightWords[language])({ isMore }), effect),
  );
}

/** Something that may now do more, or something else: its value does not tell. */
export function redefined(say: Say<Named> | SayIt): ValueRight {
  return (place) => [edit(place, (language) => said(say(rightWords[language]), place), 'widens')];
}

/** Something with a name that is added or removed. */
export function entry(say: Say<Switch>, effect: Effect = 'widens', like?: JsonObject): EntryRight {
  return {
    like,
    says(place) {
      const isAdded = place.was === undefined;
      const found = isAdded ? place.is : place.was;
      if (!(isJsonObject(found) && found.enabled === false))
        return [switched(place, say, isAdded, isAdded ? effect : opposite[effect])];
      const { words } = switched(place, say, isAdded, 'other');
      return [edit(place, (language) => rightWords[language].off({ what: words(language) }), 'other')];
    },
  };
}

function difference({ path, was, is }: Place, words: RightWords): string {
  const isShown = !holdsSecret(path) && !path.some((segment) => bearers.some((bearer) => bearer === segment));
  if (isShown && Array.isArray(was) && Array.isArray(is)) return listDifference(was, is, words);
  if (isShown && isShort(was) && isShort(is)) return `${spell(was, words)} → ${spell(is, words)}`;
  if (isMissing(was)) return words.added;
  return isMissing(is) ? words.removed : words.changed;
}

/** Keys whose values often hold secrets: how programs are started and reached, and channel settings. */
const bearers = ['env', 'args', 'command', 'url', 'base_url', 'channels'];

function listDifference(before: readonly JsonValue[], after: readonly JsonValue[], words: RightWords): string {
  const was = before.map((member) => spell(member, words));
  const is = after.map((member) => spell(member, words));
  const more = is.filter((member) => !was.includes(member)).map((member) => `+ ${member}`);
  const less = was.filter((member) => !is.includes(member)).map((member) => `− ${member}`);
  return [...more, ...less].join(', ') || words.anotherOrder;
}

function isShort(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return value.length <= 60 && !value.includes('\n');
  return typeof value !== 'object' || isMissing(value);
}

/** The config itself has no null. */
function isMissing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null;
}

function spell(value: JsonValue | undefined, words: RightWords): string {
  if (isMissing(value)) return words.notSet;
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}
