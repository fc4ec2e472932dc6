import type { Node } from 'jsonc-parser';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import { oneOf } from '../lib/schema-problems.ts';
import { foundValue, type KeyPath, type PlacedFault, spellPath } from './config-error.ts';
import { keyOffsetOf, nodeAt, offsetOf } from './source.ts';

/** The name that stands for no model at all. */
export const offlineName = 'offline';

/** What is wrong between keys, each of which may be right alone. Looks at the values before the schema has. */
export function crossFaults(value: JsonValue, tree: Node | undefined): readonly PlacedFault[] {
  if (!isJsonObject(value)) return [];
  const names = isJsonObject(value.models) ? Object.keys(value.models) : [];
  const fallbacks = isJsonObject(value.models) ? fallbackFaults(value.models, tree) : [];
  const workers = workerFaults(value.agents, [...names, offlineName], tree);
  const people = peopleFaults(value.people, tree);
  const taken = [...(names.includes(offlineName) ? [offlineTaken(tree)] : []), ...fallbacks, ...workers, ...people];
  if (value.model === undefined) return names.length > 1 ? [...taken, modelMissing(names, tree)] : taken;
  const known = value.model === offlineName || names.some((name) => name === value.model);
  if (known || typeof value.model !== 'string' || value.model === '') return taken;
  return [...taken, modelUnknown(names, tree)];
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
  if (!isJsonObject(agents)) return [];
  return Object.entries(agents).flatMap(([name, agent]) => {
    const model = isJsonObject(agent) ? agent.model : undefined;
    if (typeof model !== 'string' || names.includes(model)) return [];
    return [unknownName(['agents', name, 'model'], names, tree)];
  });
}

function modelMissing(names: readonly string[], tree: Node | undefined): PlacedFault {
  return { offset: keyOffsetOf(tree, ['models']), path: ['model'], text: chooseOne(names) };
}

function offlineTaken(tree: Node | undefined): PlacedFault {
  const path = ['models', offlineName];
  return { offset: keyOffsetOf(tree, path), path, text: 'this name stands for no model at all. Choose another.' };
}

function modelUnknown(names: readonly string[], tree: Node | undefined): PlacedFault {
  return unknownName(['model'], [...names, offlineName], tree);
}

/** What stands there is the name of no model. */
function unknownName(path: KeyPath, names: readonly string[], tree: Node | undefined): PlacedFault {
  const node = nodeAt(tree, path);
  const guess = typeof node?.value === 'string' ? nearest(node.value, names) : undefined;
  const hint = guess === undefined ? '' : ` Did you mean "${guess}"?`;
  const found = node === undefined ? '' : `, but found ${foundValue(node, path)}`;
  const expected = names.length > 1 ? oneOf(names) : '"offline", since models has no entry';
  return { offset: node?.offset ?? 0, path, text: `expected ${expected}${found}.${hint}` };
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
      return [
        { offset: offsetOf(tree, path), path, text: `this account stands in ${before} already. Take it out of one.` },
      ];
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
      const node = nodeAt(tree, path);
      const text = names.includes(fallback)
        ? circleWords(models, name, fallback)
        : unknownWords(fallback, names, node === undefined ? '' : `, but found ${foundValue(node, path)}`);
      return text === undefined ? [] : [{ offset: node?.offset ?? 0, path, text }];
    }),
  );
}

function unknownWords(fallback: string, names: readonly string[], found: string): string {
  const guess = nearest(fallback, names);
  return `expected ${oneOf(names)}${found}.${guess === undefined ? '' : ` Did you mean "${guess}"?`}`;
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
