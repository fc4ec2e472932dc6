import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { jsonValidator, schemaFault } from '../../src/tools/json-validator.ts';

const asItIs = <Value>(value: Value): Value => value;

/** How long it took, in milliseconds. */
function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

test('each pattern of a schema holds for what it is about', () => {
  const properties = { p1: { pattern: '^p1$' }, p2: { type: 'string', pattern: '^[^-]' } };
  const validate = jsonValidator({ type: 'object', properties });
  const values = [{ p1: 'p1' }, { p1: 'p2' }, { p2: 'p1' }, { p2: '-rf' }];
  expect(values.map((value) => validate(value, asItIs).valid)).toEqual([true, false, true, false]);
});

test('what is no schema is told to be none, and nothing fits it', () => {
  const none = { type: 'object', properties: { a: { minLength: 'x' } } };
  expect(schemaFault(none)).toBe('schema is invalid: data/properties/a/minLength must be integer');
  const said = jsonValidator(none)({ a: 'x' }, asItIs);
  expect(said).toMatchObject({ valid: false, message: expect.stringContaining('must be integer') });
});

describe('a schema that was made to be slow', () => {
  test('does not hold anybody up by a pattern that looks at many texts', () => {
    const schema = { type: 'object', properties: { a: { type: 'array', items: { pattern: '^(a+)+$' } } } };
    const a = Array.from({ length: 500 }, (_, index) => `${'a'.repeat(30 + (index % 60))}${index}!`);
    const validate = jsonValidator(schema);
    expect(timeOf(() => expect(validate({ a }, asItIs).valid).toBe(true))).toBeLessThan(5_000);
  });

  test('does not hold anybody up by references that double', () => {
    const last = 40;
    const steps = Array.from({ length: last }, (_, index): [string, JsonObject] => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, { allOf: [next, next] }];
    });
    const $defs = Object.fromEntries([...steps, [`d${last}`, { type: 'object' }]]);
    const validate = jsonValidator({ type: 'object', $defs, $ref: '#/$defs/d0' });
    const took = timeOf(() =>
      expect(validate({}, asItIs)).toMatchObject({ valid: false, message: expect.stringContaining('too long') }),
    );
    expect(took).toBeLessThan(10_000);
  });

  test('does not hold anybody up by comparing all with all', () => {
    const schema = { type: 'object', properties: { a: { type: 'array', uniqueItems: true } } };
    const a = Array.from({ length: 30_000 }, (_, b) => ({ b }));
    const validate = jsonValidator(schema);
    expect(timeOf(() => expect(validate({ a }, asItIs).valid).toBe(false))).toBeLessThan(10_000);
    expect(validate({ a: [1, 2] }, asItIs).valid).toBe(true);
  });

  test('takes no room of its own for each of its patterns', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `p${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string', pattern: `^${name}$` }]));
    expect(timeOf(() => expect(schemaFault({ type: 'object', properties })).toBeUndefined())).toBeLessThan(10_000);
    const validate = jsonValidator({ type: 'object', properties: { p1: { pattern: '^p1$' } } });
    expect([validate({ p1: 'p1' }, asItIs).valid, validate({ p1: 'p2' }, asItIs).valid]).toEqual([true, false]);
  });
});
