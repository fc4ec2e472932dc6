import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/lib/json.ts';
import { normaliseSchema } from '../../../src/models/schema.ts';
import { daemonSetting } from '../../support/daemon-setting.ts';
import { useTool } from '../../support/use-tool.ts';
import { faultsIn, validators } from './checks.ts';
import { realisticSchemas } from './realistic-schemas.ts';

const validatorOf = validators();

/** What becomes of a property. */
function property(schema: JsonValue, rest: JsonObject = {}): unknown {
  const { properties } = normaliseSchema({ type: 'object', properties: { a: schema }, ...rest });
  return Object.entries(properties ?? {})[0]?.[1];
}

interface Rule {
  readonly rule: string;
  readonly schema: JsonObject;
  readonly rest?: JsonObject;
  readonly result: JsonObject;
}

const tree = { type: 'object', description: 'A tree', properties: { left: { $ref: '#/$defs/tree' } } };
const withId = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const [b, c] = [{ b: { type: 'string' } }, { c: { type: 'number' } }];
const orNull = [{ type: 'string' }, { type: 'null' }];

const rules: readonly Rule[] = [
  {
    rule: 'lengths and patterns become words',
    schema: { type: 'string', description: 'A name.', minLength: 3, pattern: '^[a-z]+$' },
    result: { type: 'string', description: 'A name. (at least 3 characters; matches ^[a-z]+$)' },
  },
  {
    rule: 'bounds of numbers become words, except those that zod writes for any whole number',
    schema: { type: 'integer', minimum: 1, exclusiveMaximum: 9, maximum: Number.MAX_SAFE_INTEGER },
    result: { type: 'integer', description: 'At least 1; less than 9' },
  },
  {
    rule: 'malformed limits are ignored',
    schema: { type: 'string', minLength: '3', pattern: 3, uniqueItems: false },
    result: { type: 'string' },
  },
  {
    rule: 'a constant that is no text is told in words',
    schema: { const: 5 },
    result: { type: 'number', description: 'Always 5' },
  },
  {
    rule: 'a union of literals is a list of values',
    schema: { anyOf: [{ const: 'x' }, { enum: ['y'] }] },
    result: { type: 'string', enum: ['x', 'y'] },
  },
  {
    rule: 'null in a union stays a union',
    schema: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'A name' },
    result: { description: 'A name', anyOf: orNull },
  },
  { rule: 'several types are a union', schema: { type: ['string', 'null'] }, result: { anyOf: orNull } },
  { rule: "OpenAPI's word for null is null", schema: { type: 'string', nullable: true }, result: { anyOf: orNull } },
  {
    rule: 'a union of objects is one object, with the properties and the required names beside it',
    schema: { ...withId, anyOf: [{ properties: b }, { properties: c }] },
    result: { ...withId, properties: { ...withId.properties, ...b, ...c } },
  },
  {
    rule: 'words tell what the objects of a union need',
    schema: {
      anyOf: [
        { properties: { kind: { const: 'x' }, ...b }, required: ['kind', 'b'] },
        { properties: { kind: { const: 'y' } }, required: ['kind'] },
        { type: 'null' },
      ],
    },
    result: {
      description: 'Give kind "x" and b, or kind "y"',
      anyOf: [
        { type: 'object', properties: { kind: { type: 'string', enum: ['x', 'y'] }, ...b }, required: ['kind'] },
        { type: 'null' },
      ],
    },
  },
  {
    rule: 'a union of types has the parts of each',
    schema: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] },
    result: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] },
  },
  {
    rule: 'a reference is resolved, and ends where it leads back to itself',
    schema: { $ref: '#/$defs/tree' },
    rest: { $defs: { tree } },
    result: { ...tree, properties: { left: { type: 'object', description: 'A tree' } } },
  },
  {
    rule: 'a pointer may hold slashes and tildes, and a remote reference allows everything',
    schema: {
      type: 'object',
      properties: { x: { $ref: '#/$defs/a~1b~0c/$defs/d' }, y: { $ref: 'http://e.org/s', description: 'Y' } },
    },
    rest: { $defs: { 'a/b~c': { $defs: { d: { type: 'boolean' } } } } },
    result: { type: 'object', properties: { x: { type: 'boolean' }, y: { description: 'Y' } } },
  },
  {
    rule: 'allOf is merged',
    schema: {
      allOf: [{ type: 'object', properties: { x: { type: 'number' } }, required: ['x'] }, { required: ['x'] }],
    },
    result: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
  },
  {
    rule: 'what a default holds is no schema',
    schema: { type: 'object', default: { $ref: '#', const: 1, anyOf: [] } },
    result: { type: 'object', default: { $ref: '#', const: 1, anyOf: [] } },
  },
  {
    rule: 'other properties and the places of a tuple become words',
    schema: {
      type: ['object', 'array'],
      additionalProperties: { type: ['string', 'array'], items: { type: 'number' } },
      prefixItems: [{ description: 'x' }, { type: 'number' }],
    },
    result: {
      description: 'In this order: x, number; any names, for each: string or array',
      anyOf: [{ type: 'object' }, { type: 'array', items: {} }],
    },
  },
];

test.each(rules)('$rule', ({ schema, rest, result }) => {
  expect(property(schema, rest)).toEqual(result);
});

test('names of properties are no keywords', () => {
  const named = ['default', 'enum', 'type', 'const', 'required', 'properties', 'not', 'pattern', 'anyOf'];
  const properties = Object.fromEntries(named.map((name) => [name, { type: 'string' }]));
  const schema = { type: 'object', properties, required: named };
  expect(normaliseSchema(schema)).toEqual(schema);
  // Anthropic refuses the whole request for such a name.
  expect(normaliseSchema({ type: 'object', properties: { $ref: { type: 'string' } }, required: ['$ref'] })).toEqual({
    type: 'object',
    description: 'Also takes "$ref"',
    properties: {},
  });
});

test('arguments are an object, whatever the schema says', () => {
  expect(normaliseSchema({ type: 'string', description: 'No.', minLength: 3 })).toEqual({
    type: 'object',
    description: 'No.',
    properties: {},
  });
  expect(normaliseSchema({ anyOf: [{ required: ['a'] }], properties: { a: {} } })).toEqual({
    type: 'object',
    properties: { a: {} },
    required: ['a'],
  });
});

test('each builtin tool has a schema that providers take', async () => {
  const setting = await daemonSetting();
  await useTool(setting, 'list_tools', {});
  const tools = setting.model.requests[0]?.tools ?? [];
  expect(tools.length).toBeGreaterThan(10);
  for (const { name, parameters } of tools) expect([name, faultsIn(normaliseSchema(parameters))]).toEqual([name, []]);
});

test.each(realisticSchemas)('$name takes the same calls as before', ({ schema, samples }) => {
  const result = normaliseSchema(schema);
  expect(faultsIn(result)).toEqual([]);
  for (const sample of samples) {
    expect([sample, validatorOf(schema)(sample)]).toEqual([sample, true]);
    expect([sample, validatorOf(result)(sample)]).toEqual([sample, true]);
  }
});

test('what the original accepts, the result accepts', () => {
  const runs = Number(process.env.KEYTURN_PROPERTY_RUNS ?? 80);
  const check = fc.property(schemas, fc.array(values, { minLength: 20, maxLength: 20 }), (schema, samples) => {
    const [before, after] = [validatorOf(wrapped(schema)), validatorOf(normaliseSchema(wrapped(schema)))];
    for (const sample of samples) if (before({ a: sample })) expect(after({ a: sample })).toBe(true);
  });
  fc.assert(check, { numRuns: runs, seed: 7 });
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
