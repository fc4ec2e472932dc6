import { describe, expect, test } from 'vitest';
import { normaliseSchema } from '../../src/models/schema.ts';
import { firstSentence, shortDefinition } from '../../src/tools/short-definition.ts';

const short = (parameters: Parameters<typeof shortDefinition>[0]['parameters']) =>
  shortDefinition({ name: 'tool', description: 'Does it. And more.', parameters }).parameters;

describe('a tool told in short', () => {
  test('keeps names, types, small choices and what is required', () => {
    expect(
      short({
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Where.', minLength: 1 },
          count: { type: ['integer', 'null'], default: 3 },
          mode: { type: 'string', enum: ['fast', 'slow'] },
          tags: { type: 'array', items: { type: 'string', maxLength: 40 }, maxItems: 8 },
          rows: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
          deep: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          any: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        },
        required: ['path', 'gone'],
        additionalProperties: false,
      }),
    ).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string' },
        count: { type: ['integer', 'null'] },
        mode: { type: 'string', enum: ['fast', 'slow'] },
        tags: { type: 'array', items: { type: 'string' } },
        rows: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
        deep: { type: 'object' },
        any: {},
      },
      required: ['path'],
    });
  });

  test.each<[string, Parameters<typeof short>[0]]>([
    ['nothing', {}],
    ['no object', { properties: ['a'] }],
    ['no schemas', { properties: { a: true, b: 'text', c: null, d: 3 }, required: 'a' }],
    ['references', { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } }],
    [
      'names of every object',
      { properties: { constructor: { type: 'string' }, toString: {} }, required: ['toString'] },
    ],
    ['long choices', { properties: { a: { enum: Array.from({ length: 500 }, (_, index) => `choice ${index}`) } } }],
    ['lists without end', { properties: { a: nested(50) } }],
    ['very many', { properties: Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`p${index}`, {}])) }],
  ])('is small and a schema that providers take: %s', (_, parameters) => {
    const told = short(parameters);
    expect(JSON.stringify(told).length).toBeLessThan(600);
    for (const strategy of ['conservative', 'openai', 'gemini'] as const)
      expect(normaliseSchema(told, strategy)).toMatchObject({ type: 'object' });
  });

  test('names all that is required, however many there are', () => {
    const names = Array.from({ length: 50 }, (_, index) => `p${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    expect(short({ properties, required: ['p3', 'p49'] })).toMatchObject({
      properties: { p49: { type: 'string' } },
      required: ['p3', 'p49'],
    });
  });

  test('keeps the object that callers hold nothing of', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string', description: 'x' } } };
    short(parameters);
    expect(parameters.properties.a.description).toBe('x');
  });
});

function nested(depth: number): { readonly [key: string]: never } | object {
  return depth === 0 ? { type: 'string' } : { type: 'array', items: nested(depth - 1) };
}

test.each([
  ['Does a, e.g. v1.2 of it. And much more.', 'Does a, e.g. v1.2 of it.'],
  ['First line\nsecond', 'First line'],
  ['查询天气。还有更多。', '查询天气。'],
  ['  no end', 'no end'],
  ['', ''],
  ['x'.repeat(500), `${'x'.repeat(160)}…`],
  [`${'😀'.repeat(200)}`, /^(😀){80}…$/u],
])('the first sentence of %j', (description, first) => {
  if (first instanceof RegExp) expect(firstSentence(description)).toMatch(first);
  else expect(firstSentence(description)).toBe(first);
});
