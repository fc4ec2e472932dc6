import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callHash } from '../../src/approval/verdict.ts';
import type { JsonObject, JsonValue } from '../../src/lib/json.ts';

type Hashed = Parameters<typeof callHash>[0];

const original: Hashed = {
  definition: { name: 'shell', description: 'Runs it.', parameters: { type: 'object', properties: { command: {} } } },
  source: { type: 'builtin' },
  arguments: { command: 'ls', nested: { a: 1, b: [1, 2] } },
  workspace: '/srv/workspace',
};

const changes: readonly Partial<Hashed>[] = [
  { definition: { ...original.definition, name: 'shell2' } },
  { definition: { ...original.definition, description: 'Runs it!' } },
  { definition: { ...original.definition, parameters: { type: 'object', properties: {} } } },
  { source: { type: 'custom' } },
  { source: { type: 'plugin', name: 'a' } },
  { source: { type: 'remote', device: 'd' } },
  { arguments: { command: 'ls -a', nested: { a: 1, b: [1, 2] } } },
  { arguments: { command: 'ls', nested: { a: '1', b: [1, 2] } } },
  { arguments: { command: 'ls', nested: { a: 1, b: [2, 1] } } },
  { arguments: { command: 'ls\u200b', nested: { a: 1, b: [1, 2] } } },
  { workspace: '/srv/workspace2' },
];

describe('the hash of a call', () => {
  test('is 64 hexadecimal digits', () => {
    expect(callHash(original)).toMatch(/^[0-9a-f]{64}$/);
  });

  test('another name, source, argument or folder makes it another call, and no two of them the same', () => {
    const hashes = [original, ...changes].map((change) => callHash({ ...original, ...change }));
    expect(changes.filter((_, at) => hashes.indexOf(hashes[at + 1] ?? '') <= at)).toEqual([]);
  });

  test('the order in which keys were written does not matter, at any depth', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), (value) => {
        const args = parse(JSON.stringify(value));
        const reversed = parse(JSON.stringify(reverseKeys(args)));
        expect(callHash({ ...original, arguments: reversed })).toBe(callHash({ ...original, arguments: args }));
      }),
      { seed: 3 },
    );
  });

  test('different arguments are different calls', () => {
    const value = fc
      .dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true })
      .map((some) => parse(JSON.stringify(some)));
    fc.assert(
      fc.property(value, value, (a, b) => {
        const isSame = JSON.stringify(sortKeys(a)) === JSON.stringify(sortKeys(b));
        expect(callHash({ ...original, arguments: a }) === callHash({ ...original, arguments: b })).toBe(isSame);
      }),
      { seed: 3 },
    );
  });
});

function parse(text: string): JsonObject {
  const value: JsonObject = JSON.parse(text);
  return value;
}

function reverseKeys(value: JsonValue): JsonValue {
  return reorder(value, (entries) => entries.toReversed());
}

function sortKeys(value: JsonValue): JsonValue {
  return reorder(value, (entries) => entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

type Entries = readonly (readonly [string, JsonValue])[];

function reorder(value: JsonValue, order: (entries: Entries) => Entries): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((part) => reorder(part, order));
  return Object.fromEntries(order(Object.entries(value).map(([key, part]) => [key, reorder(part, order)] as const)));
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
