import type { Node } from 'jsonc-parser';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import { oneOf } from '../lib/schema-problems.ts';
import { foundValue, type KeyPath, type PlacedFault, spellPath } from './config-error.ts';
import { faultAt, faultAtKey, nodeAt } from './source.ts';

/** The name that stands for no model at all. */
export const offlineName = 'offline';

/** What is wrong between keys, each of which may be right alone. Looks at the values before the schema has. */
export function crossFaults(value: JsonValue, tree: Node | undefined): readonly PlacedFault[] {
  if (!isJsonObject(value)) return [];
  const { model } = value;
  const models = isJsonObject(value.models) ? value.models : {};
  const names = Object.keys(models);
  const taken = faultAtKey(tree, ['models', offlineName], 'this name stands for no model at all. Choose another.');
  return [
    ...(names.includes(offlineName) ? [taken] : []),
    ...fallbackFaults(models, tree),
    ...workerFaults(value.agents, names, tree),
    ...peopleFaults(value.people, tree),
    ...(model === undefined && names.length > 1
      ? [{ ...faultAtKey(tree, ['models'], chooseOne(names)), path: ['model'] }]
      : []),
    ...unknownModel(model === '' ? undefined : model, ['model'], names, tree),
  ];
}

/** What to say where there are several models, and none is chosen. */
export function chooseOne(names: readonly string[]): string {
  return `missing. There are several models: say which one to use, ${oneOf(names)}.`;
}

/** An agent may want a model that there is not. */
function workerFaults(
  agents: JsonValue | undefined,
  names: readonly string[],
  tree: Node | undefined,
): readonly PlacedFault[] {
  return Object.entries(isJsonObject(agents) ? agents : {}).flatMap(([name, agent]) =>
    unknownModel(isJsonObject(agent) ? agent.model : undefined, ['agents', name, 'model'], names, tree),
  );
}

function unknownModel(
  model: JsonValue | undefined,
  path: KeyPath,
  names: readonly string[],
  tree: Node | undefined,
): readonly PlacedFault[] {
  const all = [...names, offlineName];
  if (typeof model !== 'string' || all.includes(model)) return [];
  const expected = names.length === 0 ? '"offline", since models has no entry' : oneOf(all);
  return [faultAt(tree, path, `expected ${expected}${foundInstead(model, all, path, tree)}`)];
}

/** The end of the sentence: what stands there, and what was probably meant. */
function foundInstead(name: string, names: readonly string[], path: KeyPath, tree: Node | undefined): string {
  const node = nodeAt(tree, path);
  const guess = nearest(name, names);
  const hint = guess === undefined ? '' : ` Did you mean "${guess}"?`;
  return `${node === undefined ? '' : `, but found ${foundValue(node, path)}`}.${hint}`;
}

/** Accounts that stand in `people` more than once: nobody could say whose they are. */
function peopleFaults(people: JsonValue | undefined, tree: Node | undefined): readonly PlacedFault[] {
  if (!isJsonObject(people)) return [];
  const places = new Map<string, string>();
  return Object.entries(people).flatMap(([name, accounts]) =>
    (Array.isArray(accounts) ? accounts : []).flatMap((account, index) => {
      const path = ['people', name, index];
      const before = typeof account === 'string' ? places.get(account) : undefined;
      if (typeof account === 'string' && before === undefined) places.set(account, spellPath(path));
      if (before === undefined) return [];
      return [faultAt(tree, path, `this account stands in ${before} already. Take it out of one.`)];
    }),
  );
}

/** What is wrong with the models that stand in for others: names that nothing has, and circles. */
function fallbackFaults(models: JsonObject, tree: Node | undefined): readonly PlacedFault[] {
  const names = Object.keys(models);
  return names.flatMap((name) =>
    fallbacksOf(models[name]).flatMap((fallback, index) => {
      if (typeof fallback !== 'string' || fallback === '') return [];
      const path = ['models', name, 'fallback', index];
      const text = names.includes(fallback)
        ? circleWords(models, name, fallback)
        : `expected ${oneOf(names)}${foundInstead(fallback, names, path, tree)}`;
      return text === undefined ? [] : [faultAt(tree, path, text)];
    }),
  );
}

function circleWords(models: JsonObject, name: string, fallback: string): string | undefined {
  if (name === fallback) return 'a model cannot stand in for itself. Take it out.';
  const reached = new Set([fallback]);
  for (const member of reached) {
    for (const next of fallbacksOf(models[member])) if (typeof next === 'string') reached.add(next);
  }
  if (!reached.has(name)) return undefined;
  return `a circle: "${name}" stands in for "${fallback}" in turn. Take one of the two out.`;
}

function fallbacksOf(model: JsonValue | undefined): readonly JsonValue[] {
  return isJsonObject(model) && Array.isArray(model.fallback) ? model.fallback : [];
}
