import type { JsonObject, JsonValue } from '../../../src/lib/json.ts';

export interface HostileSchema {
  readonly name: string;
  readonly schema: JsonObject;
}

const keywords = [
  ...['$ref', '$defs', 'definitions', '$id', '$schema', '$comment', '$anchor', '$dynamicRef', '$recursiveRef'],
  ...['type', 'enum', 'const', 'default', 'title', 'description', 'format', 'examples', 'nullable', 'deprecated'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'pattern'],
  ...['items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems', 'uniqueItems', 'contains', 'minContains'],
  ...['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'dependencies'],
  ...['dependentRequired', 'dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems', 'minProperties'],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'x-vendor', '__proto__', 'constructor', 'toString'],
];

const oddValues: readonly JsonValue[] = [
  ...[null, true, false, -1, 1e308, '', '(', '#/', [], [null], [[]], {}, { a: null }, { type: 'nonsense' }],
  [{ $ref: '#' }, true, false, { required: ['a'] }],
];

/** Schemas by the families of their malice. */
export function hostileSchemas(): readonly HostileSchema[] {
  return [...malformed(), ...misnamed(), ...references(), ...deep(), ...wide(), ...contradictory()];
}

function only(keyword: string, value: JsonValue): JsonObject {
  return Object.fromEntries([[keyword, value]]);
}

function malformed(): readonly HostileSchema[] {
  return keywords.flatMap((keyword) =>
    oddValues.map((value) => ({
      name: `${keyword}: ${JSON.stringify(value)}`,
      schema: {
        ...only(keyword, value),
        type: 'object',
        properties: {
          inner: only(keyword, value),
          typed: { type: ['string', 'array', 'object'], ...only(keyword, value) },
        },
        anyOf: [only(keyword, value), { properties: { inner: only(keyword, value) } }],
      },
    })),
  );
}

function misnamed(): readonly HostileSchema[] {
  const all = Object.fromEntries(keywords.map((keyword) => [keyword, { type: 'string' }]));
  return [
    ...keywords.map((keyword) => ({
      name: `a property called ${keyword}`,
      schema: { type: 'object', properties: only(keyword, { type: 'string', const: 'x' }), required: [keyword] },
    })),
    { name: 'properties called like all keywords', schema: { type: 'object', properties: all, required: keywords } },
    {
      name: 'definitions called like all keywords',
      schema: { $ref: '#/$defs/$ref', $defs: { ...all, properties: all } },
    },
    ...['', ' ', 'ä', 'a b', 'x'.repeat(200), 'a/b~c', '"', '\ud800', '\u0000'].map((name) => ({
      name: `a property called ${JSON.stringify(name)}`,
      schema: {
        type: 'object',
        properties: only(name, { type: 'string' }),
        required: [name],
        additionalProperties: false,
      },
    })),
  ];
}

function references(): readonly HostileSchema[] {
  const pointers = [
    ...[
      '#',
      '#/',
      '#/$defs',
      '#/$defs/missing',
      '#/constructor/prototype',
      '#/__proto__',
      '#/$defs/%E0%A4%A',
      '#nowhere',
    ],
    ...[
      'http://example.com/schema.json',
      'file:///etc/passwd',
      'other.json#/a',
      '//',
      '#/properties/a',
      '#/properties/0',
    ],
    ...['#/$defs/self', '#/$defs/ping', '#/$defs/tree', '#/$defs/truth', '#/$defs/lie', '#/$defs/a~1b', '#/$defs/c~0d'],
    ...['#/$defs/list/0', '#/$defs/nested/$defs/inner', `#${'/a'.repeat(5000)}`],
  ];
  const $defs = {
    self: { $ref: '#/$defs/self' },
    ping: { $ref: '#/$defs/pong' },
    pong: { $ref: '#/$defs/ping' },
    tree: {
      type: 'object',
      description: 'A tree',
      properties: { children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
    },
    truth: true,
    lie: false,
    list: [{ type: 'string' }],
    nested: { $defs: { inner: { type: 'number' } }, properties: { x: { $ref: '#/$defs/inner' } } },
    'a/b': { type: 'string' },
    'c~d': { type: 'string' },
  };
  return [
    ...pointers.flatMap(($ref) => [
      {
        name: `refers to ${$ref.slice(0, 40)}`,
        schema: { type: 'object', properties: { a: { $ref, minLength: 1 } }, $defs },
      },
      { name: `is ${$ref.slice(0, 40)}`, schema: { $ref, $defs } },
      {
        name: `is all of ${$ref.slice(0, 40)}`,
        schema: { allOf: [{ $ref }, { $ref }], anyOf: [{ $ref }, { $ref }], $defs },
      },
    ]),
    { name: 'doubles thirty times', schema: doubling(30, 2, 'properties') },
    { name: 'doubles thirty times in unions', schema: doubling(30, 2, 'anyOf') },
    { name: 'doubles thirty times in allOf', schema: doubling(30, 2, 'allOf') },
    { name: 'grows tenfold eight times', schema: doubling(8, 10, 'properties') },
    { name: 'refers to one long text often', schema: longText() },
    { name: 'a chain of a thousand references', schema: chain(1000) },
    { name: 'everything refers to everything', schema: clique(25) },
  ];
}

function doubling(levels: number, width: number, how: 'properties' | 'anyOf' | 'allOf'): JsonObject {
  const defs = Array.from({ length: levels }, (_, level) => {
    const members = Array.from({ length: width }, () => ({ $ref: `#/$defs/d${level + 1}` }));
    const named = Object.fromEntries(members.map((member, index) => [`p${index}`, member]));
    return [`d${level}`, how === 'properties' ? { type: 'object', properties: named } : { [how]: members }] as const;
  });
  const $defs = Object.fromEntries([...defs, [`d${levels}`, { type: 'string' }]]);
  return { type: 'object', properties: { start: { $ref: '#/$defs/d0' } }, $defs };
}

function longText(): JsonObject {
  const names = Array.from({ length: 3000 }, (_, index) => [`p${index}`, { $ref: '#/$defs/long' }] as const);
  return {
    type: 'object',
    properties: Object.fromEntries(names),
    $defs: { long: { type: 'string', description: 'long '.repeat(4000) } },
  };
}

function chain(length: number): JsonObject {
  const defs = Array.from({ length }, (_, index) => [`c${index}`, { $ref: `#/$defs/c${index + 1}` }] as const);
  return {
    properties: { a: { $ref: '#/$defs/c0' } },
    $defs: Object.fromEntries([...defs, [`c${length}`, { type: 'string' }]]),
  };
}

function clique(size: number): JsonObject {
  const names = Array.from({ length: size }, (_, index) => `n${index}`);
  const node = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])),
  };
  return { $ref: '#/$defs/n0', $defs: Object.fromEntries(names.map((name) => [name, { ...node, title: name }])) };
}

function deep(): readonly HostileSchema[] {
  const wraps: Readonly<Record<string, (inner: JsonObject) => JsonObject>> = {
    properties: (inner) => ({ type: 'object', properties: { a: inner } }),
    items: (inner) => ({ type: 'array', items: inner }),
    prefixItems: (inner) => ({ type: 'array', prefixItems: [inner] }),
    anyOf: (inner) => ({ anyOf: [inner, { type: 'null' }] }),
    oneOf: (inner) => ({ oneOf: [{ type: 'string' }, inner] }),
    allOf: (inner) => ({ allOf: [inner] }),
    not: (inner) => ({ not: inner }),
    if: (inner) => ({ if: inner }),
    additionalProperties: (inner) => ({ additionalProperties: inner }),
    patternProperties: (inner) => ({ patternProperties: { '^a': inner } }),
    default: (inner) => ({ default: inner }),
    const: (inner) => ({ const: inner }),
    enum: (inner) => ({ enum: [inner] }),
    nullable: (inner) => ({ type: 'object', nullable: true, properties: { a: inner } }),
    'nullable union': (inner) => ({
      anyOf: [{ type: ['object', 'null'], properties: { a: inner } }, { type: 'null' }],
    }),
  };
  return Object.entries(wraps).flatMap(([keyword, wrap]) =>
    [40, 3000].map((depth) => {
      let schema: JsonObject = { type: 'string' };
      for (let level = 0; level < depth; level += 1) schema = wrap(schema);
      return { name: `${keyword}, ${depth} deep`, schema: { type: 'object', properties: { start: schema } } };
    }),
  );
}

function wide(): readonly HostileSchema[] {
  const many = (length: number, make: (index: number) => JsonValue) =>
    Array.from({ length }, (_, index) => make(index));
  const named = (length: number) =>
    Object.fromEntries(many(length, (index) => [`p${index}`, { type: 'string' }]) as never);
  const object = (index: number): JsonObject => ({
    type: 'object',
    properties: { kind: { const: `k${index}` }, [`p${index}`]: { type: 'string' } },
    required: ['kind'],
  });
  const inside = (a: JsonObject): JsonObject => ({ type: 'object', properties: { a } });
  return [
    {
      name: '20,000 properties',
      schema: { type: 'object', properties: named(20_000), required: Object.keys(named(20_000)) },
    },
    { name: '20,000 required names', schema: { type: 'object', required: Object.keys(named(20_000)) } },
    { name: '20,000 values', schema: inside({ enum: many(20_000, (index) => `v${index}`) }) },
    { name: '5,000 literals', schema: inside({ anyOf: many(5000, (index) => ({ const: index })) }) },
    {
      name: '250 literals',
      schema: inside({ oneOf: many(250, (index) => ({ const: `v${index}`, description: 'a value' })) }),
    },
    ...[60, 250, 2000].flatMap((count) => [
      { name: `${count} variants`, schema: inside({ oneOf: many(count, object) }) },
      { name: `${count} variants at the root`, schema: { anyOf: many(count, object), oneOf: many(count, object) } },
      { name: `${count} members of allOf`, schema: inside({ allOf: many(count, object) }) },
    ]),
    {
      name: 'unions in allOf in unions',
      schema: inside({
        allOf: many(20, () => ({ anyOf: many(20, object) })),
        oneOf: many(20, () => ({ anyOf: many(20, object) })),
      }),
    },
    { name: 'a description of a megabyte', schema: { type: 'object', description: 'x'.repeat(1_000_000) } },
    { name: 'patterns that take long', schema: inside({ type: 'string', pattern: '(a+)+$'.repeat(100) }) },
  ];
}

function contradictory(): readonly HostileSchema[] {
  const inner: Readonly<Record<string, JsonObject>> = {
    'types without a common one': { type: 'string', allOf: [{ type: 'number' }] },
    'values without a common one': { enum: [1, 2], allOf: [{ enum: [3] }] },
    'values of another type': { type: 'integer', enum: ['a', 'b'] },
    'values of all types': { enum: [1, 'a', null, true, [1], { a: 1 }, 1.5, ''] },
    'the same value twice': { enum: ['a', 'a', { a: 1, b: 2 }, { b: 2, a: 1 }] },
    'only null': { type: 'null', anyOf: [{ type: 'null' }, { const: null }, { enum: [null] }] },
    'a union of nothing': { anyOf: [false, false] },
    'no type in the list': { type: [] },
    'the same type twice': { type: ['string', 'string', 'null'] },
    'nothing allowed': { not: {} },
    'a lower bound above the upper one': { minimum: 5, maximum: 1, exclusiveMinimum: true, exclusiveMaximum: 0 },
    'a tuple of nothing': { type: 'array', items: false, prefixItems: [] },
    'draft 3': { type: 'string', required: true, divisibleBy: 2, disallow: 'x', extends: {} },
    OpenAPI: {
      nullable: true,
      allOf: [{ type: 'object', properties: {} }],
      discriminator: { propertyName: 'x' },
      xml: {},
    },
    'a clause that refers': { if: { $ref: '#' }, ...only('then', { propertyNames: false }), not: { $ref: '#/x' } },
    'names of another type': { type: 'object', propertyNames: { type: 'number' } },
    'evaluated or not': {
      unevaluatedProperties: false,
      allOf: [{ properties: { a: {} } }],
      if: {},
      ...only('then', { properties: { b: {} } }),
    },
  };
  return Object.entries(inner).flatMap(([name, schema]) => [
    { name: `${name}, inside`, schema: { type: 'object', properties: { a: schema } } },
    { name: `${name}, at the root`, schema },
    { name: `${name}, in a list`, schema: { type: 'object', properties: { a: { type: 'array', items: schema } } } },
  ]);
}
