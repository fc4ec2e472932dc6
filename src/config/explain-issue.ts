import type { Node } from 'jsonc-parser';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import { type Expected, oneOf, type Problem, problemsIn } from '../lib/schema-problems.ts';
import { knownKeys } from '../tools/arguments.ts';
import { foundValue, holdsSecret, type KeyPath, type PlacedFault } from './config-error.ts';
import { faultAt, faultAtKey, nodeAt } from './source.ts';

/** More faults of one kind are useless, and each costs a search for a similar key. */
const mostOfAnIssue = 60;

/** The keys that the schema knows at a place. */
type KeysAt = (path: KeyPath) => readonly string[];

/** Issues of zod in words for the operator, at the places in the file that must change. */
export function explainIssues(
  issues: readonly z.core.$ZodIssue[],
  schema: z.core.$ZodType,
  tree: Node | undefined,
): readonly PlacedFault[] {
  let shape: JsonObject | undefined;
  const keysAt: KeysAt = (path) => {
    shape ??= shapeOf(schema);
    return knownKeys(shape, path).filter((name) => name !== '$schema');
  };
  return issues
    .flatMap((issue) => problemsIn(issue).slice(0, mostOfAnIssue))
    .flatMap((problem) => explain(problem, keysAt, tree));
}

function shapeOf(schema: z.core.$ZodType): JsonObject {
  const written: unknown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return isJsonObject(written) ? written : {};
}

function explain(problem: Problem, keysAt: KeysAt, tree: Node | undefined): readonly PlacedFault[] {
  const path = problem.path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment));
  switch (problem.type) {
    case 'unknown-key':
      // The parser has already reported this one.
      if (path.at(-1) === '__proto__') return [];
      return [faultAtKey(tree, path, unknownKey(path, keysAt))];
    case 'bad-key': {
      const { text, isSentence } = problem.expected;
      const words = isSentence ? text : `expected ${text}.`;
      return [faultAtKey(tree, path, `the key itself is not right: ${words}`)];
    }
    case 'unexpected':
      return [faultAt(tree, path, unexpected(path, problem.expected, tree))];
  }
}

function unknownKey(path: KeyPath, keysAt: KeysAt): string {
  const key = String(path.at(-1));
  const known = keysAt(path.slice(0, -1));
  const guess = nearest(key, known);
  const list = known.length > 0 ? ` Expected ${oneOf(known)}.` : '';
  const moved = guess === undefined && path.length === 1 ? keyFurtherDown(key, known, keysAt) : guess;
  return `unknown key.${moved === undefined ? list : ` Did you mean "${moved}"?`}`;
}

/** The place of a key that belongs into one of the blocks: `channels.telegram`. Undefined if several blocks know it. */
function keyFurtherDown(key: string, blocks: readonly string[], keysAt: KeysAt): string | undefined {
  const [found, ...others] = blocks.filter((block) => keysAt([block]).includes(key));
  return found === undefined || others.length > 0 ? undefined : `${found}.${key}`;
}

function unexpected(path: KeyPath, { text, isSentence, options }: Expected, tree: Node | undefined): string {
  if (isSentence) return /[.!?]$/.test(text) ? text : `${text}.`;
  const node = nodeAt(tree, path);
  if (node === undefined) return `missing. Expected ${text}.`;
  const guess = node.type === 'string' && !holdsSecret(path) ? nearest(String(node.value), options) : undefined;
  const hint = guess === undefined ? '' : ` Did you mean "${guess}"?`;
  return `expected ${text}, but found ${foundFor(text, node, path)}.${hint}`;
}

/** If an object or list is expected, a string may be anything, even an API key, so it is not shown. */
function foundFor(expected: string, node: Node, path: KeyPath): string {
  const structure = expected === 'an object' || expected === 'a list';
  return structure && node.type === 'string' ? 'a string' : foundValue(node, path);
}
