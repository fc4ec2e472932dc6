import type { Node } from 'jsonc-parser';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import { oneOf } from '../lib/schema-problems.ts';
import { withFallbacks } from '../models/language-model.ts';
import { foundValue, type KeyPath, type PlacedFault, spellPath } from './config-error.ts';
import { faultAt, faultAtKey, nodeAt } from './source.ts';

/** The value of `model` that chooses no language model. */
export const offlineName = 'offline';

/** Prefixes of ids that have, or will have, a meaning of their own. */
const reserved: readonly string[] = ['device', 'web', 'owner', 'category'];

/** Faults between keys that may each be right alone. Works on values that are not validated yet. */
export function crossFaults(
  value: JsonValue,
  tree: Node | undefined,
  ownChannels: readonly string[],
): readonly PlacedFault[] {
  if (!isJsonObject(value)) return [];
  const models = entriesIn(value, 'models');
  const names = Object.keys(models);
  const choices = [...names, offlineName];

  /** A model that does not exist. */
  function unknown(name: JsonValue | undefined, path: KeyPath, known: readonly string[]): readonly PlacedFault[] {
    if (typeof name !== 'string' || name === '' || known.includes(name)) return [];
    const expected = names.length === 0 ? '"offline", since models has no entry' : oneOf(known);
    const node = nodeAt(tree, path);
    const found = node === undefined ? '' : `, but found ${foundValue(node, path)}`;
    const guess = nearest(name, known);
    const hint = guess === undefined ? '' : ` Did you mean "${guess}"?`;
    return [faultAt(tree, path, `expected ${expected}${found}.${hint}`)];
  }

  function fallbackFaults(name: string): readonly PlacedFault[] {
    const block = models[name];
    const fallbacks = isJsonObject(block) && Array.isArray(block.fallback) ? block.fallback : [];
    return fallbacks.flatMap((fallback: JsonValue, index) => {
      const path = ['models', name, 'fallback', index];
      if (fallback === name) return [faultAt(tree, path, 'a model cannot be its own fallback. Remove it.')];
      if (typeof fallback !== 'string' || !names.includes(fallback)) return unknown(fallback, path, names);
      if (!withFallbacks([fallback], fallbacksIn(models)).has(name)) return [];
      return [faultAt(tree, path, `a circle: "${name}" stands in for "${fallback}" in turn. Remove one of the two.`)];
    });
  }

  /** Accounts that `people` contains more than once. */
  function peopleFaults(): readonly PlacedFault[] {
    const places = new Map<string, string>();
    return Object.entries(entriesIn(value, 'people')).flatMap(([name, accounts]) =>
      (Array.isArray(accounts) ? accounts : []).flatMap((account: JsonValue, index) => {
        if (typeof account !== 'string') return [];
        const path = ['people', name, index];
        const before = places.get(account);
        if (before === undefined) places.set(account, spellPath(path));
        if (before === undefined) return [];
        return [faultAt(tree, path, `this account stands in ${before} already. Remove it from one.`)];
      }),
    );
  }

  const agents = Object.entries(entriesIn(value, 'agents'));
  const taken = Object.keys(entriesIn(value, 'channel_plugins')).filter((name) =>
    [...ownChannels, ...reserved].includes(name),
  );
  return [
    ...(names.includes(offlineName)
      ? [faultAtKey(tree, ['models', offlineName], 'this name stands for no model at all. Choose another.')]
      : []),
    ...names.flatMap(fallbackFaults),
    ...agents.flatMap(([name, agent]) =>
      unknown(isJsonObject(agent) ? agent.model : undefined, ['agents', name, 'model'], choices),
    ),
    ...peopleFaults(),
    ...(value.model === undefined && names.length > 1
      ? [{ ...faultAtKey(tree, ['models'], chooseOne(names)), path: ['model'] }]
      : []),
    ...unknown(value.model, ['model'], choices),
    ...taken.map((name) =>
      faultAtKey(tree, ['channel_plugins', name], "this name is Keyturn's own. Give the channel another."),
    ),
  ];
}

/** The fault if there are several models and none is chosen. */
export function chooseOne(names: readonly string[]): string {
  return `missing. There are several models: say which one to use, ${oneOf(names)}.`;
}

/** The object under a key of a config that is not validated. */
export function entriesIn(value: JsonValue, key: string): JsonObject {
  const found = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(found) ? found : {};
}

/** Looks up the fallbacks of a model in a config that is not validated. */
export function fallbacksIn(models: JsonObject): (name: string) => readonly string[] {
  return (name) => {
    const block = Object.hasOwn(models, name) ? models[name] : undefined;
    const fallbacks = isJsonObject(block) && Array.isArray(block.fallback) ? block.fallback : [];
    return fallbacks.filter((fallback) => typeof fallback === 'string');
  };
}
