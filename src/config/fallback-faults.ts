import type { Node } from 'jsonc-parser';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import { oneOf } from './describe-expected.ts';
import { foundValue } from './found-value.ts';
import type { PlacedFault } from './placed-fault.ts';
import { nodeAt } from './source.ts';

/** What is wrong with the models that stand in for others: names that nothing has, and circles. */
export function fallbackFaults(models: JsonObject, tree: Node | undefined): readonly PlacedFault[] {
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
