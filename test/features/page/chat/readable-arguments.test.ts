import { describe, expect, test } from 'vitest';
import { readable } from '../../../../packages/page/src/views/chat/arguments.ts';
import { indentedJson } from '../../../../src/lib/indented-json.ts';
import type { JsonValue } from '../../../../src/lib/json.ts';

const nested = (levels: number, inner: string): JsonValue =>
  JSON.parse(`${'{"a":'.repeat(levels)}${inner}${'}'.repeat(levels)}`);

describe.each([
  ['on the page', readable],
  ['in the daemon', indentedJson],
])('a value as people read it %s', (_where, read: (value: JsonValue) => string) => {
  test('has a line for each member', () => {
    expect(read({ a: [1, { b: null }] })).toBe(JSON.stringify({ a: [1, { b: null }] }, undefined, 2));
  });

  test('is one line if it is nested more deeply than anybody can follow', () => {
    expect(read(nested(64, '1'))).toContain('\n');
    expect(read(nested(4_000, '1'))).toBe(JSON.stringify(nested(4_000, '1')));
  });

  test('is no longer than a person can read, however long it is and whatever it is made of', () => {
    for (const value of [nested(60, `[${'1,'.repeat(24_000)}1]`), nested(60, `[${'1,'.repeat(90_000)}1]`)])
      expect(read(value).length).toBeLessThanOrEqual(200_001);
    expect(read([nested(3, `"${'a'.repeat(300_000)}"`)])).toMatch(/a…$/);
  });
});
