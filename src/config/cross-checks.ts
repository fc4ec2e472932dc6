import type { Node } from 'jsonc-parser';
import { isJsonObject, type JsonValue } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import { oneOf } from './describe-expected.ts';
import { fallbackFaults } from './fallback-faults.ts';
import { foundValue } from './found-value.ts';
import { peopleFaults } from './people-faults.ts';
import type { KeyPath, PlacedFault } from './placed-fault.ts';
import { keyOffsetOf, nodeAt } from './source.ts';

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
