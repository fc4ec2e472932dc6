import { isDeepStrictEqual } from 'node:util';
import { type KeyPath, spellPath } from '../../config/config-error.ts';
import type { Config } from '../../config/schema.ts';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import type { InLanguage } from '../../lib/words.ts';
import { code, type EntryRight, type Place, plainEdit } from './rights/right.ts';
import { type RightAt, rightsOf } from './rights/rights.ts';
import { rightWords } from './rights/words.ts';
import type { ConfigEdit } from './tables.ts';

/** More than people read. */
const mostEdits = 30;

/**
 * The changes between two configs: those that allow more, those that allow less, then the rest. Changes beyond the
 * thirtieth are only counted. Values of secret keys never appear.
 */
export function changesOf(from: Config, to: Config): readonly ConfigEdit[] {
  const place = { path: [], names: [], open: [], was: plain(from), is: plain(to) };
  const rank = ({ effect }: ConfigEdit): number => ['widens', 'narrows', 'other'].indexOf(effect);
  const all = changesAt(place, rightsOf(from, to)).toSorted((a, b) => rank(a) - rank(b));
  const next = all[mostEdits];
  if (next === undefined) return all;
  const words: InLanguage = (language) => rightWords[language].more({ count: all.length - mostEdits });
  return [...all.slice(0, mostEdits), { ...next, path: '', words }];
}

/** As JSON, without undefined values. */
function plain(config: Config): JsonValue | undefined {
  return parseJson(JSON.stringify(config));
}

function changesAt(place: Place, rightAt: RightAt): readonly ConfigEdit[] {
  if (isDeepStrictEqual(place.was, place.is)) return [];
  const right = rightAt(place.names);
  if (typeof right === 'function') return right(place);
  if (right !== undefined) return entryChanges(place, right, rightAt);
  return isTree(place.was) && isTree(place.is) ? changesWithin(place, rightAt) : [plainEdit(place)];
}

/** The changes of a named entry, which was added, removed or changed inside. */
function entryChanges(place: Place, right: EntryRight, rightAt: RightAt): readonly ConfigEdit[] {
  const { was, is } = place;
  if (was !== undefined && is !== undefined) return changesWithin(place, rightAt);
  const { says, like } = right;
  const said = says?.(place) ?? [];
  // For a removed entry, its own words are enough.
  if (like === undefined || (is === undefined && said.length > 0)) return said;
  return [...said, ...changesWithin({ ...place, was: filled(was, like), is: filled(is, like) }, rightAt)];
}

/** The keys of `like`, with its defaults for missing ones. */
function filled(value: JsonValue | undefined, like: JsonObject): JsonObject {
  const found = isJsonObject(value) ? value : {};
  return Object.fromEntries(Object.entries(like).map(([key, initial]) => [key, found[key] ?? initial]));
}

function changesWithin(place: Place, rightAt: RightAt): readonly ConfigEdit[] {
  const edits = partsOf(place).flatMap((part) => changesAt(part, rightAt));
  const { path, is } = place;
  const isOff = isJsonObject(is) && is.enabled === false && !worksWhenOff.some((key) => key === path[0]);
  if (!isOff) return edits;
  const key = spellPath([...path, 'enabled']);
  return edits.map((edit) => (edit.effect === 'other' || edit.path === key ? edit : withoutEffect(edit, path)));
}

/** `path`: what is off. */
function withoutEffect(edit: ConfigEdit, path: KeyPath): ConfigEdit {
  const key = code(spellPath(path));
  const words: InLanguage = (language) => rightWords[language].butOff({ what: edit.words(language), key });
  return { ...edit, words, effect: 'other' };
}

/** Some settings here apply elsewhere too, even if `enabled` is false. */
const worksWhenOff = ['approval', 'tools'];

/** Objects, and lists of them. */
function isTree(value: JsonValue | undefined): boolean {
  return Array.isArray(value) ? value.every(isJsonObject) : isJsonObject(value);
}

function partsOf({ path, names, was, is }: Place): readonly Place[] {
  const [before, now] = [membersOf(was), membersOf(is)];
  return [...new Set([...now.keys(), ...before.keys()])].map((key) => {
    const { segment, name } = now.get(key) ?? before.get(key) ?? { segment: key, name: key };
    const found = { was: before.get(key)?.value, is: now.get(key)?.value };
    return { path: [...path, segment], names: [...names, name], open: [], ...found };
  });
}

interface Member {
  readonly segment: KeyPath[number];
  readonly name: string;
  readonly value: JsonValue;
}

/** Members by what identifies them: for lists, the name of each, or what it runs. */
function membersOf(tree: JsonValue | undefined): ReadonlyMap<string, Member> {
  if (isJsonObject(tree))
    return new Map(Object.entries(tree).map(([name, value]) => [name, { segment: name, name, value }]));
  const members = new Map<string, Member>();
  for (const [segment, value] of (Array.isArray(tree) ? tree.filter(isJsonObject) : []).entries()) {
    let key = canonicalJson(value.name ?? value.command ?? value.plugin ?? value);
    while (members.has(key)) key += '+';
    members.set(key, { segment, name: String(value.name ?? segment), value });
  }
  return members;
}
