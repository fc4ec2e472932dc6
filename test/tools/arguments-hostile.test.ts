import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonValue } from '../../src/lib/json.ts';
import { validate } from '../../src/tools/arguments.ts';
import { coerce } from '../../src/tools/coerce.ts';
import { inputSchema } from '../../src/tools/json-schema.ts';
import { messageOf, one, order, outputOf } from './arguments-setting.ts';

describe('hostile arguments', () => {
  test('a key "__proto__" reaches neither the prototype nor the tool', () => {
    const raw: JsonValue = JSON.parse('{"item":"x","amount":"2","__proto__":{"polluted":true}}');
    expect(messageOf(order, raw)).not.toContain('valid:');
    const loose = outputOf(z.looseObject({ n: z.number() }), JSON.parse('{"n":"1","__proto__":{"polluted":true}}'));
    expect(Object.getPrototypeOf(loose)).toBe(Object.prototype);
    expect(loose).not.toHaveProperty('polluted');
    expect({}).not.toHaveProperty('polluted');
  });

  test('nesting beyond the limit is refused in words, in any form', () => {
    const open = z.strictObject({ value: z.json() });
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    expect(messageOf(open, JSON.parse(`{"value":${deep}}`))).toContain('more than 64 levels');
    expect(messageOf(open, `{"value":${deep}}`)).toContain('more than 64 levels');
    expect(messageOf(one(z.array(z.number())), { value: deep })).toContain('- value: expected an array');
  });

  test('unions within unions are tried in linear time', () => {
    const tree: z.ZodType = z.lazy(() =>
      z.union([z.object({ a: tree, n: z.number() }), z.object({ a: tree, m: z.number() }), z.number()]),
    );
    const shape = z.strictObject({ first: z.string(), tree });
    let value: JsonValue = '1';
    for (let level = 0; level < 12; level++) value = { a: value, m: '1' };
    const begin = performance.now();
    validate(shape, { first: 1, tree: value });
    for (let level = 12; level < 60; level++) value = { a: value, m: '1' };
    coerce(inputSchema(shape), { first: '1', tree: value });
    expect(performance.now() - begin).toBeLessThan(5_000);
  });

  test('a schema that only leads back to itself is given up', () => {
    const circle = { anyOf: [{ $ref: '#' }, { $ref: '#' }] };
    const begin = performance.now();
    expect(coerce(circle, '5')).toBe('5');
    expect(performance.now() - begin).toBeLessThan(6_000);
  });

  test('a megabyte of numbers in strings takes well under a second', () => {
    const numbers = Array.from({ length: 100_000 }, (_, index) => String(index));
    const begin = performance.now();
    outputOf(one(z.array(z.number())), { value: JSON.stringify(numbers) });
    expect(performance.now() - begin).toBeLessThan(4_000);
  });
});
