import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/lib/json.ts';
import { normaliseSchema } from '../../../src/models/schema.ts';
import { isThorough, sampled } from '../../support/thorough.ts';
import { faultsIn, schemaStrategies, validators } from './checks.ts';
import { type HostileSchema, hostileSchemas } from './hostile-schemas.ts';

const schemas = hostileSchemas();
const values: readonly JsonValue[] = ['a', 'x', '', 0, 1, 7.5, true, null, [], ['a'], [1], {}, { a: null }, { a: 'x' }];
const validatorOf = validators();

/** Those that a validator can read, each with calls that it accepts. */
const accepting = sampled(schemas.filter(isReadable), 12).flatMap(({ name, schema }) => {
  const accepts = attempt(() => validatorOf(schema));
  const samples = accepts === undefined ? [] : samplesFor(schema).filter((sample) => attempt(() => accepts(sample)));
  return samples.length === 0 ? [] : [{ name, schema, samples }];
});

describe.each(schemaStrategies)('for %s, a hostile schema', (strategy) => {
  test('becomes one that the provider takes', () => {
    expect(schemas.length).toBeGreaterThan(900);
    for (const { name, schema } of sampled(schemas, 10)) {
      const result = normaliseSchema(schema, strategy);
      expect([name, faultsIn(result, strategy)]).toEqual([name, []]);
    }
  });

  test('gives the same bytes each time, and is not changed', () => {
    for (const { schema } of sampled(schemas, 10).filter(({ name }) => !/deep$/.test(name))) {
      const before = JSON.stringify(schema);
      expect(JSON.stringify(normaliseSchema(schema, strategy))).toBe(JSON.stringify(normaliseSchema(schema, strategy)));
      expect(JSON.stringify(schema)).toBe(before);
    }
  });

  test('grows to no more than half a megabyte beyond itself', () => {
    for (const { name, schema } of sampled(schemas, 10)) {
      const size = JSON.stringify(normaliseSchema(schema, strategy)).length;
      const growth = size - (/3000 deep$/.test(name) ? 0 : JSON.stringify(schema).length);
      expect([name, growth < 500_000]).toEqual([name, true]);
    }
  });

  test('accepts what it accepted', () => {
    expect(accepting.length).toBeGreaterThan(isThorough ? 200 : 15);
    for (const { name, schema, samples } of sampled(accepting, 2)) {
      const accepts = validatorOf(normaliseSchema(schema, strategy));
      expect([name, samples.filter((sample) => !accepts(sample))]).toEqual([name, []]);
    }
  });
});

/** Without those that take a validator minutes, and those that are read as they are meant: as of one type. */
function isReadable({ name, schema }: HostileSchema): boolean {
  const isMeant = /^(?:items|prefixItems|properties): |^evaluated or not/.test(name);
  const isLarge = /deep$|doubles|grows|everything refers|variants|unions in/.test(name);
  return !isMeant && !isLarge && JSON.stringify(schema).length < 4000;
}

/** Calls with one argument, and with all of them. */
function samplesFor(schema: JsonObject): readonly JsonObject[] {
  const names = isJsonObject(schema.properties) ? Object.keys(schema.properties).slice(0, 8) : [];
  return [
    {},
    ...names.flatMap((name) => values.map((value) => Object.fromEntries([[name, value]]))),
    ...values.map((value) => Object.fromEntries(names.map((name) => [name, value]))),
  ];
}

/** Undefined for a schema that is none. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
