import type { Node } from 'jsonc-parser';
import { isJsonObject, type JsonValue } from '../lib/json.ts';
import { type PlacedFault, spellPath } from './placed-fault.ts';
import { offsetOf } from './source.ts';

/** Accounts that stand in `people` more than once: nobody could say whose they are. */
export function peopleFaults(people: JsonValue | undefined, tree: Node | undefined): readonly PlacedFault[] {
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
