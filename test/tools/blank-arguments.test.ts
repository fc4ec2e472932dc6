import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../src/lib/json.ts';
import { inputSchema, pathInput, positionInput, readableText, textInput, validate } from '../../src/tools/arguments.ts';
import { jsonValidator } from '../../src/tools/json-validator.ts';

const blanks: readonly JsonValue[] = [
  '',
  ' ',
  '\u3000',
  '\n',
  'null',
  'Null',
  'None',
  'none',
  'undefined',
  '"null"',
  "''",
  'nil',
  null,
];

interface Optional {
  readonly name: string;
  readonly schema: z.ZodType;
}

/** Kinds of optional arguments in which nothing blank is valid. */
const optional: readonly Optional[] = [
  { name: 'a number', schema: z.number().optional() },
  { name: 'a whole number with a default', schema: positionInput('The first line') },
  { name: 'a number within bounds', schema: z.number().min(1).max(9).optional() },
  { name: 'a boolean', schema: z.boolean().optional() },
  { name: 'one of some words', schema: z.enum(['asc', 'desc']).optional() },
  { name: 'a literal', schema: z.literal(3).optional() },
  { name: 'a list of numbers', schema: z.array(z.number()).optional() },
  { name: 'a list of objects', schema: z.array(z.strictObject({ a: z.string() })).default([]) },
  { name: 'an object', schema: z.strictObject({ a: z.string() }).optional() },
  { name: 'a record', schema: z.record(z.string(), z.number()).optional() },
  {
    name: 'a text in a form',
    schema: z
      .string()
      .regex(/^[a-z]+=.+$/)
      .optional(),
  },
  { name: 'a text of two kinds', schema: z.union([z.number(), z.boolean()]).optional() },
];

describe('what stands for nothing in an optional argument counts as absent', () => {
  describe.each(optional)('$name', ({ schema }) => {
    const input = z.strictObject({ path: pathInput('A file.'), value: schema });
    const whole = z.strictObject({ list: z.array(input) });

    test.each(blanks)('%j', (blank) => {
      const written = { path: 'a', value: blank };
      const absent = { valid: true, value: input.parse({ path: 'a' }) };
      expect(validate(input, written)).toEqual(absent);
      expect(validate(whole, { list: [written] })).toEqual({ valid: true, value: { list: [absent.value] } });
    });
  });

  test.each(['', ' ', '\u3000'])('a text that must not be empty: %j', (blank) => {
    const input = z.strictObject({
      text: z.string(),
      title: readableText(80).optional(),
      id: textInput(40, 'An id.').regex(/\S/).optional(),
    });
    expect(validate(input, { text: '', title: blank, id: blank })).toEqual({ valid: true, value: { text: '' } });
  });

  test('of two that exclude each other, and what is empty on purpose beside them stays', () => {
    const text = { type: 'string' };
    const variables = { type: 'object', additionalProperties: text };
    const validator = jsonValidator({
      ...{ type: 'object', properties: { at: text, every: text, note: text, variables } },
      oneOf: [{ required: ['at'] }, { required: ['every'] }],
    });
    const kept = { every: '1h', note: '', variables: { TOKEN: '' } };
    expect(validator({ at: '', ...kept })).toEqual({ valid: true, value: kept });
    expect(validator({ ...kept, at: 'None' })).toEqual({ valid: true, value: kept });
    expect(validator({ at: '', every: 'null', note: '' }).valid).toBe(false);
  });

  test('of two that exclude each other', () => {
    const input = z
      .strictObject({ at: z.string().min(1).optional(), cron: z.string().min(1).optional() })
      .refine(({ at, cron }) => (at === undefined) !== (cron === undefined), 'give one of them');
    expect(validate(input, { at: 'null', cron: '0 9 * * *' })).toEqual({ valid: true, value: { cron: '0 9 * * *' } });
    expect(validate(input, { at: '2026-01-01', cron: 'None' })).toEqual({ valid: true, value: { at: '2026-01-01' } });
    expect(validate(input, { at: 'null', cron: 'null' }).valid).toBe(false);
  });

  test('beside what must be repaired', () => {
    const input = z.strictObject({ limit: z.number().optional(), deep: z.boolean(), tags: z.array(z.string().min(1)) });
    expect(validate(input, { limit: '', deep: 'True', tags: '["a","","b"]' })).toEqual({
      valid: true,
      value: { deep: true, tags: ['a', 'b'] },
    });
  });
});

/** Parts of schemas as servers have them, in which "" is not valid. */
const foreign: readonly JsonObject[] = [
  { type: 'string', pattern: '^[a-z]+=.+$' },
  { type: 'string', minLength: 1 },
  { type: 'string', enum: ['open', 'closed'] },
  { type: 'string', format: 'date' },
  { type: 'string', format: 'date-time' },
  { type: 'string', format: 'uri' },
  { type: 'string', format: 'email' },
  { type: 'number', exclusiveMinimum: 0 },
  { type: 'integer' },
  { type: ['integer', 'boolean'] },
  { type: 'boolean' },
  { type: 'array', items: { type: 'string' } },
  { type: 'array', items: { type: 'number' }, minItems: 1 },
  { type: 'object', properties: { a: { type: 'number' } } },
  { const: 5 },
  { anyOf: [{ type: 'integer' }, { type: 'object' }] },
  { oneOf: [{ type: 'boolean' }, { type: 'array' }] },
  { $ref: '#/$defs/day' },
];

describe('the same for tools of others', () => {
  test.each(foreign)('%j', (part) => {
    const item = { type: 'object', properties: { name: { type: 'string' }, value: part }, required: ['name'] };
    const $defs = { day: { type: 'string', pattern: '^\\d+$' } };
    const read = jsonValidator({
      $defs,
      ...item,
      properties: { ...item.properties, inner: { type: 'array', items: item } },
    });
    for (const blank of ['', ' ', 'null', 'None']) {
      const written = { name: '', value: blank, inner: [{ name: '', value: blank }] };
      const absent = { name: '', inner: [{ name: '' }] };
      // "null" is a text of one character or more.
      const isText = blank.trim() !== '' && part.minLength === 1;
      if (blank === ' ' && part.minLength === 1) continue;
      expect(read(written), blank).toEqual({ valid: true, value: isText ? written : absent });
    }
  });

  test('a required one that may be null is null', () => {
    const read = jsonValidator({
      type: 'object',
      properties: {
        limit: { type: ['integer', 'null'] },
        sort: { enum: ['asc', null] },
        on: { type: ['boolean', 'null'] },
      },
      required: ['limit', 'sort', 'on'],
    });
    expect(read({ limit: '', sort: 'None', on: 'null' })).toEqual({
      valid: true,
      value: { limit: null, sort: null, on: null },
    });
  });

  test('a required text with a format is the server’s to refuse', () => {
    const read = jsonValidator({
      type: 'object',
      properties: { day: { type: 'string', format: 'date' } },
      required: ['day'],
    });
    expect(read({ day: '' })).toEqual({ valid: true, value: { day: '' } });
  });
});

describe('what was said stays', () => {
  test.each(['', ' ', 'null', 'None', '"null"'])('a text in which it is valid: %j', (text) => {
    const schema = z.strictObject({
      path: z.string(),
      content: z.string().optional(),
      mode: z.enum(['a', 'b']).optional(),
    });
    const kept = { valid: true, value: { path: 'x', content: text } };
    expect(validate(schema, { path: 'x', content: text, mode: '' })).toEqual(kept);
    expect(jsonValidator(inputSchema(schema))({ path: 'x', content: text, mode: 'None' })).toEqual(kept);
  });

  test.each(['', 'null'])('a required argument is not filled in: %j', (blank) => {
    const schema = z.strictObject({ path: z.string().regex(/^\//), count: z.number(), names: z.array(z.string()) });
    const { valid, ...rest } = validate(schema, { path: blank, count: blank, names: blank });
    expect(valid).toBe(false);
    for (const key of ['path', 'count', 'names'])
      expect(rest).toMatchObject({ message: expect.stringContaining(`- ${key}: `) });
    expect(rest).toMatchObject({ message: expect.stringContaining(`got ${JSON.stringify(blank)}`) });
  });

  test('only the required one is named', () => {
    const schema = z.strictObject({ path: pathInput('A file.'), limit: z.number().optional() });
    const result = validate(schema, { path: '', limit: '' });
    expect(result).toEqual({ valid: false, message: expect.stringMatching(/path: .*got ""$/) });
  });

  test('no entry of a tuple moves', () => {
    expect(validate(z.strictObject({ at: z.tuple([z.number(), z.number()]) }), { at: ['', 5] }).valid).toBe(false);
  });
});

describe('booleans and numbers as texts', () => {
  const flags: readonly (readonly [string, boolean])[] = [
    ['True', true],
    ['FALSE', false],
    ['False', false],
    [' true ', true],
    ['TRUE', true],
  ];
  test.each(flags)('%j', (written, value) => {
    expect(validate(z.strictObject({ value: z.boolean() }), { value: written })).toEqual({
      valid: true,
      value: { value },
    });
    const either = jsonValidator({ type: 'object', properties: { value: { enum: [true, false] } } });
    expect(either({ value: written })).toEqual({ valid: true, value: { value } });
  });

  test.each(['yes', 'no', '1', '0', 'on', 'truе'])('%j is no boolean', (written) => {
    expect(validate(z.strictObject({ value: z.boolean() }), { value: written }).valid).toBe(false);
  });

  test.each([
    ['5.0', 5],
    ['1e3', 1000],
    ['-0', -0],
  ] as const)('%j is a whole number', (written, value) => {
    expect(validate(z.strictObject({ value: z.int() }), { value: written })).toEqual({ valid: true, value: { value } });
  });

  test.each(['5.5', '5 lines', '0x10', '1,000', '９'])('%j is no whole number', (written) => {
    expect(validate(z.strictObject({ value: z.int() }), { value: written }).valid).toBe(false);
  });
});
