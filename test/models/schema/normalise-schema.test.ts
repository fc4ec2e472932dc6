import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/lib/json.ts';
import { normaliseSchema, type SchemaStrategy } from '../../../src/models/schema.ts';
import { daemonSetting } from '../../support/daemon-setting.ts';
import { useTool } from '../../support/use-tool.ts';
import { faultsIn, schemaStrategies, validators } from './checks.ts';
import { realisticSchemas } from './realistic-schemas.ts';

const validatorOf = validators();

/** What becomes of a property. */
function property(schema: JsonValue, strategy: SchemaStrategy, rest: JsonObject = {}): unknown {
  const { properties } = normaliseSchema({ type: 'object', properties: { a: schema }, ...rest }, strategy);
  return Object.entries(properties ?? {})[0]?.[1];
}

interface Rule {
  readonly rule: string;
  readonly schema: JsonObject;
  readonly rest?: JsonObject;
  readonly gemini: JsonObject;
  readonly anthropic: JsonObject;
  readonly openai?: JsonObject;
  readonly conservative?: JsonObject;
}

const tree = { type: 'object', description: 'A tree', properties: { left: { $ref: '#/$defs/tree' } } };
const withId = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const [b, c] = [{ b: { type: 'string' } }, { c: { type: 'number' } }];
const besideId: readonly JsonObject[] = [{ properties: b }, { properties: c }];
const flattened = { ...withId, properties: { ...withId.properties, ...b, ...c } };
const either = { type: 'string', enum: ['x', 'y'] };

const twoLetters = { type: 'string', minLength: 2 };
const twoInWords = { type: 'string', description: 'At least 2 characters' };

const rules: readonly Rule[] = [
  {
    rule: 'lengths and patterns become words',
    schema: { type: 'string', description: 'A name.', minLength: 3, pattern: '^[a-z]+$' },
    gemini: { type: 'string', description: 'A name. (at least 3 characters; matches ^[a-z]+$)' },
    anthropic: { type: 'string', description: 'A name. (at least 3 characters; matches ^[a-z]+$)' },
    openai: { type: 'string', description: 'A name. (matches ^[a-z]+$)', minLength: 3 },
    conservative: { type: 'string', description: 'A name. (at least 3 characters; matches ^[a-z]+$)' },
  },
  {
    rule: 'bounds of numbers become words where they are not taken',
    schema: { type: 'integer', minimum: 1, exclusiveMaximum: 9 },
    gemini: { type: 'integer', description: 'Less than 9; at least 1' },
    anthropic: { type: 'integer', exclusiveMaximum: 9, minimum: 1 },
    conservative: { type: 'integer', description: 'Less than 9', minimum: 1 },
  },
  {
    rule: 'a constant is a list of one value, and Gemini lists words only',
    schema: { const: 5 },
    gemini: { type: 'integer', description: 'Always 5' },
    anthropic: { type: 'integer', enum: [5] },
  },
  {
    rule: 'a union of literals is a list of values',
    schema: { anyOf: [{ const: 'x' }, { enum: ['y'] }] },
    gemini: either,
    anthropic: either,
  },
  {
    rule: 'null in a union is a flag for Gemini',
    schema: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'A name' },
    gemini: { type: 'string', nullable: true, description: 'A name' },
    anthropic: { type: ['string', 'null'], description: 'A name' },
    conservative: { description: 'A name', anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  {
    rule: 'null in a list of types is a flag for Gemini, and a union for servers that nobody knows',
    schema: { type: ['string', 'null'] },
    gemini: { type: 'string', nullable: true },
    anthropic: { type: ['string', 'null'] },
    conservative: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  {
    rule: "OpenAPI's word for null is null",
    schema: { type: 'string', nullable: true },
    gemini: { type: 'string', nullable: true },
    anthropic: { type: ['string', 'null'] },
    conservative: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  {
    rule: 'a union keeps the properties and the required names beside it',
    schema: { ...withId, anyOf: besideId },
    gemini: flattened,
    anthropic: { ...withId, anyOf: besideId },
    conservative: flattened,
  },
  {
    rule: 'of several types Gemini is told in words',
    schema: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] },
    gemini: { description: 'A string or an array of numbers' },
    anthropic: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] },
  },
  {
    rule: 'a reference is resolved, and ends where it leads back to itself',
    schema: { $ref: '#/$defs/tree' },
    rest: { $defs: { tree } },
    gemini: { ...tree, properties: { left: { type: 'object', description: 'A tree' } } },
    anthropic: { ...tree, properties: { left: { type: 'object', description: 'A tree' } } },
  },
  {
    rule: 'a pointer may hold slashes and tildes, and a remote reference allows everything',
    schema: {
      type: 'object',
      properties: { x: { $ref: '#/$defs/a~1b~0c/$defs/d' }, y: { $ref: 'http://e.org/s', description: 'Y' } },
    },
    rest: { $defs: { 'a/b~c': { $defs: { d: { type: 'boolean' } } } } },
    gemini: { type: 'object', properties: { x: { type: 'boolean' }, y: { description: 'Y' } } },
    anthropic: { type: 'object', properties: { x: { type: 'boolean' }, y: { description: 'Y' } } },
  },
  {
    rule: 'allOf is merged',
    schema: {
      allOf: [{ type: 'object', properties: { x: { type: 'number' } }, required: ['x'] }, { required: ['x'] }],
    },
    gemini: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
    anthropic: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
  },
  {
    rule: 'allOf takes the tighter of two bounds',
    schema: {
      allOf: [
        { type: 'object', minProperties: 1, maxProperties: 5, additionalProperties: { type: 'string' } },
        { minProperties: 2, maxProperties: 4, additionalProperties: { format: 'date' } },
      ],
    },
    gemini: { type: 'object', description: 'Any names, each with a string; at most 4 names; at least 2 names' },
    anthropic: {
      ...{ type: 'object', additionalProperties: { type: 'string', format: 'date' } },
      ...{ minProperties: 2, maxProperties: 4 },
    },
    conservative: { type: 'object', description: 'Any names, each with a string; at most 4 names; at least 2 names' },
  },
  {
    rule: 'numbers include integers',
    schema: { enum: [1, 2.5] },
    gemini: { type: 'number', description: 'One of 1, 2.5' },
    anthropic: { type: 'number', enum: [1, 2.5] },
  },
  {
    rule: 'each type has its own values',
    schema: { type: ['integer', 'string'], enum: [1, 'x'] },
    gemini: { description: 'An integer or a string; one of 1, "x"' },
    anthropic: { type: ['integer', 'string'], enum: [1, 'x'] },
    conservative: {
      anyOf: [
        { type: 'integer', enum: [1] },
        { type: 'string', enum: ['x'] },
      ],
    },
  },
  {
    rule: 'a union may have null before it or beside it, and what is too long for a hint is left out',
    schema: {
      anyOf: [{ type: 'null' }, twoLetters, { ...twoLetters, pattern: 'x'.repeat(121) }],
      nullable: true,
    },
    gemini: { type: 'string', nullable: true, description: 'At least 2 characters' },
    anthropic: { anyOf: [{ anyOf: [{ type: 'null' }, twoInWords, twoInWords] }, { type: 'null' }] },
    openai: { anyOf: [{ anyOf: [{ type: 'null' }, twoLetters, twoLetters] }, { type: 'null' }] },
    conservative: { anyOf: [twoInWords, { type: 'null' }] },
  },
  {
    rule: 'what a default holds is no schema',
    schema: { type: 'object', default: { $ref: '#', const: 1, anyOf: [] } },
    gemini: { type: 'object', default: { $ref: '#', const: 1, anyOf: [] } },
    anthropic: { type: 'object', default: { $ref: '#', const: 1, anyOf: [] } },
  },
  {
    rule: 'other properties stay where they are taken',
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    gemini: { type: 'object', description: 'Any names, each with a string' },
    anthropic: { type: 'object', additionalProperties: { type: 'string' } },
    conservative: { type: 'object', description: 'Any names, each with a string' },
  },
];

describe.each(rules)('$rule', ({ schema, rest, gemini, anthropic, openai = anthropic, conservative = anthropic }) => {
  const expected = { gemini, anthropic, openai, conservative };
  test.each(schemaStrategies)('for %s', (strategy) => {
    expect(property(schema, strategy, rest)).toEqual(expected[strategy]);
  });
});

test('names of properties are no keywords', () => {
  const named = ['default', 'enum', 'type', 'const', 'required', 'properties', 'not', 'pattern', 'anyOf'];
  const properties = Object.fromEntries(named.map((name) => [name, { type: 'string' }]));
  const schema = { type: 'object', properties, required: named };
  for (const strategy of schemaStrategies) expect(normaliseSchema(schema, strategy)).toEqual(schema);
  const odd = { type: 'object', properties: { $ref: { type: 'string' } }, required: ['$ref'] };
  expect(normaliseSchema(odd, 'gemini')).toEqual(odd);
  // Anthropic refuses the whole request for such a name.
  expect(normaliseSchema(odd, 'anthropic')).toEqual({
    type: 'object',
    description: 'Also takes "$ref"',
    properties: {},
  });
});

test('arguments are an object, whatever the schema says', () => {
  for (const strategy of schemaStrategies) {
    expect(normaliseSchema({ type: 'string', description: 'No.' }, strategy)).toEqual({
      type: 'object',
      description: 'No.',
      properties: {},
    });
    expect(normaliseSchema({ anyOf: [{ required: ['a'] }], properties: { a: {} } }, strategy)).toEqual({
      type: 'object',
      properties: { a: {} },
      required: ['a'],
    });
  }
});

describe.each(schemaStrategies)('for %s', (strategy) => {
  test('each builtin tool has a schema that the provider takes', async () => {
    const setting = await daemonSetting();
    await useTool(setting, 'list_tools', {});
    const tools = setting.model.requests[0]?.tools ?? [];
    expect(tools.length).toBeGreaterThan(10);
    for (const { name, parameters } of tools) {
      expect([name, faultsIn(normaliseSchema(parameters, strategy), strategy)]).toEqual([name, []]);
    }
  });

  test.each(realisticSchemas)('$name takes the same calls as before', ({ schema, samples }) => {
    const result = normaliseSchema(schema, strategy);
    expect(faultsIn(result, strategy)).toEqual([]);
    for (const sample of samples) {
      expect([sample, validatorOf(schema)(sample)]).toEqual([sample, true]);
      expect([sample, validatorOf(result)(sample)]).toEqual([sample, true]);
    }
  });

  test('what the original accepts, the result accepts', () => {
    const runs = Number(process.env.KEYTURN_PROPERTY_RUNS ?? 20);
    const check = fc.property(schemas, fc.array(values, { minLength: 20, maxLength: 20 }), (schema, samples) => {
      const [before, after] = [validatorOf(wrapped(schema)), validatorOf(normaliseSchema(wrapped(schema), strategy))];
      for (const sample of samples) if (before({ a: sample })) expect(after({ a: sample })).toBe(true);
    });
    fc.assert(check, { numRuns: runs, seed: 7 });
  });
});

function wrapped(schema: JsonObject): JsonObject {
  return { type: 'object', properties: { a: schema }, $defs: { word: { enum: ['a', 'b'] }, one: { const: 1 } } };
}

const scalar = fc.constantFrom<JsonValue>('a', 'b', 'abc', '', 0, 1, 7, 1.5, true, null);
const values = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.record({ x: scalar, y: scalar }, { requiredKeys: [] }),
);
const { schemas } = fc.letrec<{ schemas: JsonObject }>((tie) => ({
  schemas: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonObject>(
      ...[{ type: 'string' }, { type: 'string', minLength: 2 }, { type: 'integer' }, { type: 'number', minimum: 1 }],
      ...[
        { type: ['string', 'null'] },
        { type: 'boolean' },
        { type: 'null' },
        { const: 'a' },
        { enum: ['a', 1, null] },
      ],
      ...[{ $ref: '#/$defs/word' }, { $ref: '#/$defs/one' }, { type: 'string', pattern: '^a' }, {}],
      { not: { const: 'a' } },
    ),
    fc.array(tie('schemas'), { minLength: 1, maxLength: 3 }).map((anyOf): JsonObject => ({ anyOf })),
    fc.array(tie('schemas'), { minLength: 1, maxLength: 3 }).map((oneOf): JsonObject => ({ oneOf })),
    fc.array(tie('schemas'), { minLength: 1, maxLength: 2 }).map((allOf): JsonObject => ({ allOf })),
    tie('schemas').map((items): JsonObject => ({ type: 'array', items })),
    fc.tuple(tie('schemas'), tie('schemas')).map(([x, y]): JsonObject => {
      return { type: 'object', properties: { x, y }, required: ['x'], additionalProperties: false };
    }),
  ),
}));
