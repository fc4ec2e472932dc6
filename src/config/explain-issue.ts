import type { Node } from 'jsonc-parser';
import { z } from 'zod';
import { nearest } from '../lib/nearest.ts';
import { foundValue, holdsSecret, type KeyPath, type PlacedFault } from './config-error.ts';
import { describeExpected, oneOf } from './describe-expected.ts';
import { keyOffsetOf, nodeAt, offsetOf } from './source.ts';

/** What an issue is about: the schema that found it, and the text in which it was found. */
export interface Subject {
  readonly schema: z.core.$ZodType;
  readonly tree: Node | undefined;
}

type Issue = z.core.$ZodIssue;

/** More of one kind help nobody, and each costs a search for the key that was meant. */
const mostKeys = 60;

/** An issue of zod in words for the operator, at the place in the file that has to change. */
export function explainIssue(issue: Issue, subject: Subject): readonly PlacedFault[] {
  const path = keyPathOf(issue.path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return forbiddenAside(issue.keys).map((key) => unknownKey([...path, key], subject));
    case 'invalid_union':
      return issue.errors.length > 0 ? explainUnion(issue, subject) : [expectedAt(path, issue, subject)];
    case 'invalid_key':
      return [badKey(path, issue.issues, subject)];
    case 'invalid_element':
      return issue.issues.flatMap((inner) => explainIssue({ ...inner, path: [...issue.path, ...inner.path] }, subject));
    case 'custom':
    case 'invalid_type':
    case 'invalid_value':
    case 'invalid_format':
    case 'too_small':
    case 'too_big':
    case 'not_multiple_of':
      return [expectedAt(path, issue, subject)];
  }
}

/** The parse of the text has spoken of `__proto__`. */
function forbiddenAside(keys: readonly string[]): readonly string[] {
  return keys.slice(0, mostKeys).filter((key) => key !== '__proto__');
}

function unknownKey(path: KeyPath, { schema, tree }: Subject): PlacedFault {
  const key = String(path.at(-1));
  const known = knownKeys(schema, path.slice(0, -1)).filter((name) => name !== '$schema');
  const guess = nearest(key, known);
  const list = known.length > 0 ? ` Expected ${oneOf(known)}.` : '';
  const moved = guess === undefined && path.length === 1 ? keyFurtherDown(key, known, schema) : guess;
  const hint = moved === undefined ? list : ` Did you mean "${moved}"?`;
  const text = laterKey(path) ? 'this version of Keyturn does not have it. Take it out.' : `unknown key.${hint}`;
  return { offset: keyOffsetOf(tree, path), path, text };
}

/** At the top stands what belongs in one of the blocks: `telegram` in `channels`. Of several, none is meant more. */
function keyFurtherDown(key: string, blocks: readonly string[], schema: z.core.$ZodType): string | undefined {
  const [found, ...others] = blocks.filter((block) => knownKeys(schema, [block]).includes(key));
  return found === undefined || others.length > 0 ? undefined : `${found}.${key}`;
}

function badKey(path: KeyPath, issues: readonly Issue[], { tree }: Subject): PlacedFault {
  const expected = issues.map((issue) => describeExpected(issue).text).join(', ');
  // A schema may say it in sentences of its own.
  const words = expected.endsWith('.') ? expected : `expected ${expected}.`;
  return { offset: keyOffsetOf(tree, path), path, text: `the key itself is not right: ${words}` };
}

/** Speaks of the member that the value resembles, whose faults lie deeper; if none does, of what any would take. */
function explainUnion(issue: Issue & { readonly code: 'invalid_union' }, subject: Subject): readonly PlacedFault[] {
  const atRoot = (inner: Issue): boolean => inner.path.length === 0 && inner.code !== 'unrecognized_keys';
  const resembling = issue.errors.find((branch) => !branch.some(atRoot));
  if (resembling !== undefined) {
    return resembling.flatMap((inner) => explainIssue({ ...inner, path: [...issue.path, ...inner.path] }, subject));
  }
  const texts = issue.errors.flatMap((branch) => branch.filter(atRoot).map((inner) => describeExpected(inner).text));
  const text = [...new Set(texts)].join(' or ');
  return [sayExpected(keyPathOf(issue.path), { text, options: [] }, subject)];
}

function expectedAt(path: KeyPath, issue: Issue, subject: Subject): PlacedFault {
  const expected = describeExpected(issue);
  if (expected.sentence === undefined) return sayExpected(path, expected, subject);
  return { offset: offsetOf(subject.tree, path), path, text: expected.sentence };
}

function sayExpected(
  path: KeyPath,
  { text, options }: { readonly text: string; readonly options: readonly string[] },
  { tree }: Subject,
): PlacedFault {
  const offset = offsetOf(tree, path);
  const node = nodeAt(tree, path);
  if (node === undefined) return { offset, path, text: `missing. Expected ${text}.` };
  const guess = node.type === 'string' && !holdsSecret(path) ? nearest(String(node.value), options) : undefined;
  const hint = guess === undefined ? '' : ` Did you mean "${guess}"?`;
  return { offset, path, text: `expected ${text}, but found ${foundFor(text, node, path)}.${hint}` };
}

/** Where an object or a list is expected, a text can be anything, a key too: it is not repeated. */
function foundFor(expected: string, node: Node, path: KeyPath): string {
  const structure = expected === 'an object' || expected === 'a list';
  return structure && node.type === 'string' ? 'a string' : foundValue(node, path);
}

function keyPathOf(path: readonly PropertyKey[]): KeyPath {
  return path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment));
}

/** Keys that documents speak of and this version does not have yet; a star stands for any name. */
const laterKeys = ['channels.web'];

/** Whether an unknown key is one that only a later version knows. */
function laterKey(path: KeyPath): boolean {
  return laterKeys.some((pattern) => {
    const parts = pattern.split('.');
    return parts.length === path.length && parts.every((part, index) => part === '*' || part === path[index]);
  });
}

/** The keys that the schema knows at this place, in its order; of a union, those of all its members. */
function knownKeys(schema: z.core.$ZodType, path: KeyPath): readonly string[] {
  const start = unwrap(schema);
  const ends = path.reduce((schemas, segment) => schemas.flatMap((parent) => childSchemas(parent, segment)), start);
  return [...new Set(ends.flatMap((end) => (end instanceof z.ZodObject ? Object.keys(end.shape) : [])))];
}

function childSchemas(parent: z.core.$ZodType, segment: string | number): readonly z.core.$ZodType[] {
  if (parent instanceof z.ZodObject) {
    const shape: z.core.$ZodShape = parent.shape;
    const child = Object.hasOwn(shape, segment) ? shape[segment] : undefined;
    return child === undefined ? [] : unwrap(child);
  }
  if (parent instanceof z.ZodRecord) return unwrap(parent.valueType);
  return parent instanceof z.ZodArray ? unwrap(parent.element) : [];
}

/** The schemas that say what a value looks like, under what says what happens when it is missing. */
function unwrap(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(unwrap);
  if (schema instanceof z.ZodPipe) return unwrap(schema.in);
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodReadonly
  ) {
    return unwrap(schema.unwrap());
  }
  return [schema];
}
