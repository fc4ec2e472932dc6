import { describe, expect, test } from 'vitest';
import { normaliseSchema } from '../../../src/model/schema/normalise-schema.ts';
import { schemaStrategies } from '../../../src/model/schema/strategies.ts';
import { faultsIn } from './checks.ts';
import { hostileSchemas } from './hostile-schemas.ts';

const schemas = hostileSchemas();

describe.each(schemaStrategies)('for %s, a hostile schema', (strategy) => {
  test('becomes one that the provider takes, and that stays what it is', () => {
    expect(schemas.length).toBeGreaterThan(900);
    for (const { name, schema } of schemas) {
      const result = normaliseSchema(schema, strategy);
      expect([name, faultsIn(result, strategy)]).toEqual([name, []]);
      expect([name, JSON.stringify(normaliseSchema(result, strategy))]).toEqual([name, JSON.stringify(result)]);
    }
  });

  test('gives the same bytes each time, and is not changed', () => {
    for (const { schema } of schemas.filter(({ name }) => !/deep$/.test(name))) {
      const before = JSON.stringify(schema);
      expect(JSON.stringify(normaliseSchema(schema, strategy))).toBe(JSON.stringify(normaliseSchema(schema, strategy)));
      expect(JSON.stringify(schema)).toBe(before);
    }
  });

  test('takes less than 50 ms, and grows to no more than half a megabyte beyond itself', () => {
    for (const { name, schema } of schemas) {
      let best = Number.POSITIVE_INFINITY;
      let size = 0;
      // The best of some: other processes may take the processor from any of them.
      for (let round = 0; round < 5 && best >= 50; round += 1) {
        const before = performance.now();
        size = JSON.stringify(normaliseSchema(schema, strategy)).length;
        best = Math.min(best, performance.now() - before);
      }
      const growth = size - (/3000 deep$/.test(name) ? 0 : JSON.stringify(schema).length);
      expect([name, best < 50, growth < 500_000]).toEqual([name, true, true]);
    }
  });
});
