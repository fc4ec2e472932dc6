import type { JsonObject, JsonValue } from '../../../src/lib/json.ts';

export interface HostileSchema {
  readonly name: string;
  readonly schema: JsonObject;
}

/** Schemas by the families of their malice. */
export function hostileSchemas(): readonly HostileSchema[] {
  return [...malformed(), ...misnamed(), ...references(), ...deep(), ...wide(), ...contradictory()];
}

const keywords =
  `$ref $defs definitions $id $schema $comment $anchor $dynamicRef $recursiveRef type enum const default title
  description format examples nullable deprecated minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength
  maxLength pattern items prefixItems additionalItems minItems maxItems uniqueItems contains minContains properties required
  additionalProperties patternProperties propertyNames dependencies dependentRequired dependentSchemas
  unevaluatedProperties unevaluatedItems minProperties allOf anyOf oneOf not if then else x-vendor __proto__ constructor
  toString`.split(/\s+/);

const oddValues: readonly JsonValue[] = [
  ...[null, true, false, -1, 1e308, '', '(', '#/', [], [null], [[]], {}, { a: null }, { type: 'nonsense' }],
  [{ $ref: '#' }, true, false, { required: ['a'] }],
];

function only(keyword: string, value: JsonValue): JsonObject {
  return Object.fromEntries([[keyword, value]]);
}

function inside(a: JsonObject): JsonObject {
  return { type: 'object', properties: { a } };
}

function malformed(): readonly HostileSchema[] {
  return keywords.flatMap((keyword) =>
    oddValues.map((value) => {
      const inner = only(keyword, value);
      const typed = { type: ['string', 'array', 'object'], ...inner };
      const anyOf = [inner, { properties: { inner } }];
      const schema = { ...inner, type: 'object', properties: { inner, typed }, anyOf };
      return { name: `${keyword}: ${JSON.stringify(value)}`, schema };
    }),
  );
}

function misnamed(): readonly HostileSchema[] {
  const odd = ['', ' ', 'ä', 'a b', 'x'.repeat(200), 'a/b~c', '"', '\ud800', '\u0000'];
  const all = Object.fromEntries(keywords.map((keyword) => [keyword, { type: 'string' }]));
  return [
    ...[...keywords, ...odd].map((name) => ({
      name: `a property called ${JSON.stringify(name)}`,
      schema: { ...inside({}), properties: only(name, { const: 'x' }), required: [name], additionalProperties: false },
    })),
    { name: 'properties called like all keywords', schema: { type: 'object', properties: all, required: keywords } },
    {
      name: 'definitions called like all keywords',
      schema: { $ref: '#/$defs/$ref', $defs: { ...all, properties: all } },
    },
  ];
}

function references(): readonly HostileSchema[] {
  const pointers = `# #/ #/$defs #/$defs/missing #/constructor/prototype #/__proto__ #/$defs/%E0%A4%A #nowhere
    http://example.com/schema.json file:///etc/passwd other.json#/a // #/properties/a #/properties/0 #/$defs/self #/$defs/ping
    #/$defs/tree #/$defs/truth #/$defs/lie #/$defs/a~1b #/$defs/c~0d #/$defs/list/0 #/$defs/nested/$defs/inner`.split(
    /\s+/,
  );
  const $defs: JsonObject = {
    self: { $ref: '#/$defs/self' },
    ping: { $ref: '#/$defs/pong' },
    pong: { $ref: '#/$defs/ping' },
    tree: { description: 'A tree', properties: { children: { type: 'array', items: { $ref: '#/$defs/tree' } } } },
    truth: true,
    lie: false,
    list: [{ type: 'string' }],
    nested: { $defs: { inner: { type: 'number' } }, properties: { x: { $ref: '#/$defs/inner' } } },
    'a/b': { type: 'string' },
    'c~d': { type: 'string' },
  };
  return [
    ...[...pointers, `#${'/a'.repeat(5000)}`].flatMap(($ref): readonly HostileSchema[] => [
      { name: `refers to ${$ref.slice(0, 40)}`, schema: { ...inside({ $ref, minLength: 1 }), $defs } },
      { name: `is ${$ref.slice(0, 40)}`, schema: { $ref, $defs } },
      { name: `is all of ${$ref.slice(0, 40)}`, schema: { allOf: [{ $ref }, { $ref }], anyOf: [{ $ref }], $defs } },
    ]),
    { name: 'doubles thirty times', schema: growing(30, 2, (refs) => ({ properties: Object.fromEntries(refs) })) },
    {
      name: 'doubles thirty times in unions',
      schema: growing(30, 2, (refs) => ({ anyOf: refs.map(([, ref]) => ref) })),
    },
    {
      name: 'doubles thirty times in allOf',
      schema: growing(30, 2, (refs) => ({ allOf: refs.map(([, ref]) => ref) })),
    },
    { name: 'grows tenfold eight times', schema: growing(8, 10, (refs) => ({ properties: Object.fromEntries(refs) })) },
    { name: 'a chain of a thousand references', schema: growing(1000, 1, ([[, ref] = ['', {}]]) => ref) },
    {
      name: 'refers to one long text often',
      schema: {
        properties: Object.fromEntries(many(3000, (at) => [`p${at}`, { $ref: '#/$defs/long' }] as const)),
        $defs: { long: { type: 'string', description: 'long '.repeat(4000) } },
      },
    },
    {
      name: 'everything refers to everything',
      schema: {
        $ref: '#/$defs/n0',
        $defs: named(25, () => ({ properties: named(25, (at) => ({ $ref: `#/$defs/n${at}` })) })),
      },
    },
  ];
}

function many<Item>(length: number, make: (index: number) => Item): readonly Item[] {
  return Array.from({ length }, (_, index) => make(index));
}

function named(length: number, make: (index: number) => JsonValue): JsonObject {
  return Object.fromEntries(many(length, (index) => [`n${index}`, make(index)] as const));
}

type Reference = readonly [name: string, schema: JsonObject];

/** Each level refers so many times to the next one. */
function growing(levels: number, width: number, make: (refs: readonly Reference[]) => JsonObject): JsonObject {
  const refsTo = (level: number) => many(width, (at): Reference => [`p${at}`, { $ref: `#/$defs/n${level}` }]);
  const $defs: JsonObject = {
    ...named(levels, (level) => make(refsTo(level + 1))),
    [`n${levels}`]: { type: 'string' },
  };
  return { ...inside({ $ref: '#/$defs/n0' }), $defs };
}

function deep(): readonly HostileSchema[] {
  const wraps: Readonly<Record<string, (inner: JsonObject) => JsonObject>> = {
    properties: inside,
    items: (items) => ({ type: 'array', items }),
    prefixItems: (inner) => ({ type: 'array', prefixItems: [inner] }),
    anyOf: (inner) => ({ anyOf: [inner, { type: 'null' }] }),
    oneOf: (inner) => ({ oneOf: [{ type: 'string' }, inner] }),
    allOf: (inner) => ({ allOf: [inner] }),
    additionalProperties: (additionalProperties) => ({ additionalProperties }),
    patternProperties: (inner) => ({ patternProperties: { '^a': inner } }),
    default: (inner) => ({ default: inner }),
    const: (inner) => ({ const: inner }),
    enum: (inner) => ({ enum: [inner] }),
    nullable: (inner) => ({ ...inside(inner), nullable: true }),
    'nullable union': (inner) => ({ anyOf: [{ ...inside(inner), type: ['object', 'null'] }, { type: 'null' }] }),
  };
  return Object.entries(wraps).flatMap(([keyword, wrap]) =>
    [40, 3000].map((depth) => {
      const schema = many(depth, () => wrap).reduce<JsonObject>((inner, make) => make(inner), { type: 'string' });
      return { name: `${keyword}, ${depth} deep`, schema: inside(schema) };
    }),
  );
}

function wide(): readonly HostileSchema[] {
  const properties = named(20_000, () => ({ type: 'string' }));
  const required = Object.keys(properties);
  const object = (index: number): JsonObject => ({
    properties: { kind: { const: `k${index}` }, [`p${index}`]: { type: 'string' } },
    required: ['kind'],
  });
  const unions = many(20, () => ({ anyOf: many(20, object) }));
  return [
    { name: '20,000 properties', schema: { type: 'object', properties, required } },
    { name: '20,000 required names', schema: { type: 'object', required } },
    { name: '20,000 values', schema: inside({ enum: required }) },
    { name: '5,000 literals', schema: inside({ anyOf: many(5000, (index) => ({ const: index })) }) },
    {
      name: '250 literals',
      schema: inside({ oneOf: many(250, (index) => ({ const: `v${index}`, description: 'one' })) }),
    },
    ...[60, 250, 2000].flatMap((count) => [
      { name: `${count} variants`, schema: inside({ oneOf: many(count, object) }) },
      { name: `${count} variants at the root`, schema: { anyOf: many(count, object), oneOf: many(count, object) } },
      { name: `${count} members of allOf`, schema: inside({ allOf: many(count, object) }) },
    ]),
    { name: 'unions in allOf in unions', schema: inside({ allOf: unions, oneOf: unions }) },
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
    'the same type twice': { type: ['string', 'string', 'null'] },
    'a lower bound above the upper one': { minimum: 5, maximum: 1, exclusiveMinimum: true, exclusiveMaximum: 0 },
    'a tuple of nothing': { type: 'array', items: false, prefixItems: [] },
    'draft 3': { type: 'string', required: true, divisibleBy: 2, disallow: 'x', extends: {} },
    OpenAPI: { nullable: true, allOf: [{ type: 'object', properties: {} }], discriminator: { propertyName: 'x' } },
    'names of another type': { type: 'object', propertyNames: { type: 'number' } },
  };
  return Object.entries(inner).flatMap(([name, schema]) => [
    { name: `${name}, inside`, schema: inside(schema) },
    { name: `${name}, at the root`, schema },
    { name: `${name}, in a list`, schema: inside({ type: 'array', items: schema }) },
  ]);
}
