import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import { type Fault, type KeyPath, type PlacedFault, spellPath } from './config-error.ts';
import { syntaxFaults, tooDeepAt } from './syntax-faults.ts';

/** A parsed config file. */
export interface Source {
  /** As given on the command line. */
  readonly file: string;
  readonly text: string;
  /** Undefined if the text is not JSON, or is only comments. */
  readonly tree: Node | undefined;
  readonly faults: readonly PlacedFault[];
}

const longestText = 1_000_000;
const deepestNesting = 100;
const mostFaultsShown = 50;

/** Parses JSON with comments and trailing commas. Never throws: errors are in `faults`. */
export function parseSource(file: string, text: string): Source {
  const failed = (offset: number, words: string): Source => {
    return { file, text, tree: undefined, faults: [{ offset, path: [], text: words }] };
  };
  if (text.length > longestText) {
    return failed(0, `the file is longer than ${longestText} characters: is it a config?`);
  }
  const deep = tooDeepAt(text, deepestNesting);
  if (deep !== undefined) {
    return failed(deep, `there are more than ${deepestNesting} brackets in each other here.`);
  }
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  if (errors.length > 0) return { file, text, tree: undefined, faults: syntaxFaults(text, errors) };
  return { file, text, tree, faults: keyFaults(tree) };
}

/** The entries of an object in their order, including duplicates. */
export function entriesOf(node: Node | undefined): readonly { readonly key: Node; readonly value: Node }[] {
  if (node?.type !== 'object') return [];
  return (node.children ?? []).flatMap(({ children }) => {
    const [key, value] = children ?? [];
    return key === undefined || value === undefined ? [] : [{ key, value }];
  });
}

/** Each value with its path, parents before children. */
export function* valuesIn(node: Node | undefined, path: KeyPath = []): Generator<{ node: Node; path: KeyPath }> {
  if (node === undefined) return;
  yield { node, path };
  for (const { key, value } of entriesOf(node)) yield* valuesIn(value, [...path, String(key.value)]);
  const items = node.type === 'array' ? (node.children ?? []) : [];
  for (const [index, item] of items.entries()) yield* valuesIn(item, [...path, index]);
}

export function nodeAt(tree: Node | undefined, path: KeyPath): Node | undefined {
  let node = tree;
  for (const segment of path) node = childOf(node, segment);
  return node;
}

/** A fault of the value at a path. */
export function faultAt(tree: Node | undefined, path: KeyPath, text: string): PlacedFault {
  return { offset: offsetOf(tree, path), path, text };
}

/** A fault of the key itself. */
export function faultAtKey(tree: Node | undefined, path: KeyPath, text: string): PlacedFault {
  const entry = entriesOf(nodeAt(tree, path.slice(0, -1))).findLast(({ key }) => key.value === path.at(-1));
  return { offset: entry?.key.offset ?? offsetOf(tree, path), path, text };
}

/** The offset to report for a path: of the value, or if that is missing, of the nearest parent. */
function offsetOf(tree: Node | undefined, path: KeyPath): number {
  let node = tree;
  for (const segment of path) {
    const child = childOf(node, segment);
    if (child === undefined) break;
    node = child;
  }
  return node?.offset ?? 0;
}

/** The faults with line and column: sorted by place, without duplicates, at most fifty. */
export function placeFaults({ file, text }: Source, faults: readonly PlacedFault[]): readonly Fault[] {
  const sorted = [...faults].sort((a, b) => a.offset - b.offset);
  const shown = sorted.slice(0, mostFaultsShown).map(({ offset, path, text: words }) => ({
    file,
    ...positionOf(text, offset),
    key: spellPath(path),
    text: words,
  }));
  const distinct = [...new Map(shown.map((fault) => [JSON.stringify(fault), fault])).values()];
  if (sorted.length <= mostFaultsShown) return distinct;
  return [...distinct, { file, key: '', text: 'there are more faults than these.' }];
}

/** The line and column of an offset, both from 1. */
function positionOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

function childOf(node: Node | undefined, segment: string | number): Node | undefined {
  if (typeof segment === 'number') return node?.type === 'array' ? node.children?.[segment] : undefined;
  return entriesOf(node).findLast(({ key }) => key.value === segment)?.value;
}

function keyFaults(tree: Node | undefined): readonly PlacedFault[] {
  return [...valuesIn(tree)].flatMap(({ node, path }) => {
    const seen = new Set<string>();
    return entriesOf(node).flatMap(({ key }) => {
      const name = String(key.value);
      const fault = (text: string): PlacedFault => ({ offset: key.offset, path: [...path, name], text });
      if (name === '__proto__') return [fault('this name is not allowed as a key.')];
      if (seen.has(name)) return [fault('this key is here twice. Keep one of them.')];
      seen.add(name);
      return [];
    });
  });
}
