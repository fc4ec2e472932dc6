import type { Node } from 'jsonc-parser';
import { type KeyPath, type PlacedFault, spellPath } from './config-error.ts';
import { entriesOf, type Source } from './source.ts';

/** A key that was renamed within its object. */
export interface RenamedKey {
  /** The path of the object; `*` matches any key. */
  readonly in: readonly string[];
  readonly from: string;
  readonly to: string;
}

/**
 * All since the first release, permanently: a config that was once valid is never refused. Add each renamed key here.
 */
export const renamedKeys: readonly RenamedKey[] = [];

/** The config with current names. Gives a notice for each old one; it is a fault if both are present. */
export function withNamesOfToday(
  source: Source,
  renamed: readonly RenamedKey[],
): { readonly source: Source; readonly notices: readonly string[] } {
  const notices: string[] = [];
  const faults: PlacedFault[] = [];
  const rename = (object: Node, path: KeyPath, { from, to }: RenamedKey): Node => {
    const entries = entriesOf(object);
    const old = entries.find(({ key }) => key.value === from);
    if (old === undefined) return object;
    const [before, now] = [spellPath([...path, from]), spellPath([...path, to])];
    const isTwice = entries.some(({ key }) => key.value === to);
    if (isTwice)
      faults.push({ offset: old.key.offset, path: [...path, from], text: `is called ${now} now. Take it out.` });
    else notices.push(`${before} is called ${now} now. It still works; please rename it.`);
    const children = (object.children ?? []).flatMap((property) => {
      const [key, value] = property.children ?? [];
      if (key?.value !== from || value === undefined) return [property];
      return isTwice ? [] : [{ ...property, children: [{ ...key, value: to }, value] }];
    });
    return { ...object, children };
  };
  const tree = renamed.reduce(
    (node, key) => node && changedAt(node, key.in, [], (object, path) => rename(object, path, key)),
    source.tree,
  );
  return { source: { ...source, tree, faults: [...source.faults, ...faults] }, notices };
}

/** The tree with the objects at a path changed. */
function changedAt(
  node: Node,
  [segment, ...rest]: readonly string[],
  path: KeyPath,
  change: (object: Node, path: KeyPath) => Node,
): Node {
  if (node.type !== 'object') return node;
  if (segment === undefined) return change(node, path);
  const children = (node.children ?? []).map((property) => {
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined || (segment !== '*' && key.value !== segment)) return property;
    return { ...property, children: [key, changedAt(value, rest, [...path, String(key.value)], change)] };
  });
  return { ...node, children };
}
