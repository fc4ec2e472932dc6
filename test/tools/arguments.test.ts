import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../src/lib/json.ts';
import { validate } from '../../src/tools/arguments.ts';
import { jsonValidator, schemaFault } from '../../src/tools/json-validator.ts';

const order = z.strictObject({
  item: z.string(),
  amount: z.number().int().min(1).max(99).default(1),
  express: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
  address: z.strictObject({ street: z.string(), number: z.number() }).optional(),
  lines: z.array(z.strictObject({ id: z.number(), gift: z.boolean().nullable().optional() })).optional(),
});

function outputOf(schema: z.ZodType, raw: JsonValue): unknown {
  const validation = validate(schema, raw);
  if (!validation.valid) throw new Error(validation.message);
  return validation.value;
}

function messageOf(schema: z.ZodType, raw: JsonValue): string {
  const validation = validate(schema, raw);
  return validation.valid ? `valid: ${JSON.stringify(validation.value)}` : validation.message;
}

const one = (schema: z.ZodType): z.ZodType => z.strictObject({ value: schema });

test('an unknown name deep in a recursive schema with variants is named', () => {
  const filter: z.ZodType = z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('and'), of: z.array(z.lazy(() => filter)) }),
    z.strictObject({ type: z.literal('or'), of: z.array(z.lazy(() => filter)) }),
    z.strictObject({ type: z.literal('is'), value: z.string() }),
  ]);
  let wanted: JsonObject = { type: 'is', value: 'a', valeu: 'b' };
  for (let level = 0; level < 28; level += 1) wanted = { type: level % 2 === 0 ? 'and' : 'or', of: [wanted] };
  expect(messageOf(filter, wanted)).toContain('valeu');
});

describe('what a model gets wrong is coerced where the schema says so', () => {
  const cases: readonly [string, z.ZodType, JsonValue, unknown][] = [
    ['a boolean in a string', z.boolean(), 'true', true],
    ['a number in a string', z.number(), '-5.5e1', -55],
    ['a whole number in a string', z.number().int(), '5', 5],
    ['an array in a string', z.array(z.number()), '[1,"2"]', [1, 2]],
    ['an object in a string', z.object({ a: z.boolean() }), '{"a":"false"}', { a: false }],
    ['a value for a list', z.array(z.string()), 'x', ['x']],
    ['an object for a list', z.array(z.object({ n: z.number() })), { n: '1' }, [{ n: 1 }]],
    ['a number in a string for a list', z.array(z.number()), '7', [7]],
    ['null for an optional field', z.string().optional(), null, undefined],
    ['null for a field with a default', z.number().default(3), null, 3],
    ['a literal', z.literal(2), '2', 2],
    ['the values of a record', z.record(z.string(), z.number()), { a: '1' }, { a: 1 }],
    ['a tuple', z.tuple([z.number(), z.string()]), ['1', '1'], [1, '1']],
    ['a union of object and number', z.union([z.object({ a: z.number() }), z.number()]), '5', 5],
    ['a variant of a union', z.union([z.object({ a: z.number() }), z.null()]), { a: '5' }, { a: 5 }],
    [
      'a discriminated union',
      z.discriminatedUnion('t', [z.object({ t: z.literal('a'), n: z.number() })]),
      { t: 'a', n: '1' },
      { t: 'a', n: 1 },
    ],
    [
      'an intersection',
      z.intersection(z.object({ a: z.number() }), z.object({ b: z.boolean() })),
      { a: '1', b: 'true' },
      { a: 1, b: true },
    ],
    ['what is transformed afterwards', z.number().transform((n) => n + 1), '1', 2],
  ];
  test.each(cases)('%s', (_name, schema, raw, value) => {
    expect(outputOf(one(schema), { value: raw })).toEqual({ value });
  });

  test('at any depth, also inside JSON in a string', () => {
    expect(outputOf(order, { item: 'x', lines: '[{"id":"7","gift":"true"},{"id":8,"gift":null}]' })).toEqual({
      item: 'x',
      amount: 1,
      lines: [
        { id: 7, gift: true },
        { id: 8, gift: null },
      ],
    });
  });

  test('in a schema that contains itself', () => {
    const tree: z.ZodType = z.strictObject({
      size: z.number(),
      get kids() {
        return z.array(tree).optional();
      },
    });
    expect(outputOf(tree, { size: '1', kids: { size: '2' } })).toEqual({ size: 1, kids: [{ size: 2 }] });
  });

  test('the whole arguments in a string, or none at all', () => {
    expect(outputOf(order, '{"item":"x","amount":"2"}')).toEqual({ item: 'x', amount: 2 });
    expect(outputOf(z.strictObject({}), '')).toEqual({});
    expect(outputOf(z.strictObject({}), null)).toEqual({});
  });
});

describe('what is meant as it stands is left alone', () => {
  const cases: readonly [string, z.ZodType, JsonValue][] = [
    ['"true" where a string is asked for', z.string(), 'true'],
    ['"5" where a union allows strings', z.union([z.number(), z.string()]), '5'],
    ['JSON where a string is asked for', z.string(), '{"a":1}'],
    ['null where it is allowed', z.string().nullable().optional(), null],
    ['JSON in a list of strings', z.array(z.string()), ['[1]', 'true', '5']],
  ];
  test.each(cases)('%s', (_name, schema, raw) => {
    expect(outputOf(one(schema), { value: raw })).toEqual({ value: raw });
    // Also when something beside it has to be mended.
    const wider = z.strictObject({ value: schema, other: z.number() });
    expect(outputOf(wider, { value: raw, other: '1' })).toEqual({ value: raw, other: 1 });
  });

  test.each(['5 apples', '', ' 5', '0x10', 'Infinity', '1e999', '05', '12345678901234567890'])(
    '%j is no number',
    (text) => {
      expect(messageOf(one(z.number()), { value: text })).toContain('- value: expected a number, got');
    },
  );

  test('valid arguments are never altered', () => {
    const valid = fc.record(
      {
        item: fc.oneof(fc.string(), fc.constantFrom('true', '5', '[]', '{"a":1}', 'null')),
        amount: fc.integer({ min: 1, max: 99 }),
        express: fc.boolean(),
        tags: fc.array(fc.oneof(fc.string(), fc.json())),
        address: fc.record({ street: fc.string(), number: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
      },
      { requiredKeys: ['item', 'amount'] },
    );
    fc.assert(
      fc.property(valid, (args) => {
        expect(outputOf(order, args)).toEqual(args);
      }),
    );
  });

  test('whatever comes, what passes is valid, and what does not is told in words', () => {
    const anything = fc.record(
      { item: fc.jsonValue(), amount: fc.jsonValue(), lines: fc.jsonValue(), tags: fc.json() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(anything, (raw) => {
        const copy: JsonValue = JSON.parse(JSON.stringify(raw));
        const before = JSON.stringify(copy);
        const validation = validate(order, copy);
        expect(JSON.stringify(copy)).toBe(before);
        if (validation.valid) expect(order.safeParse(validation.value).success).toBe(true);
        else expect(validation.message).toMatch(/\n- /);
      }),
    );
  });

  test('arguments whose types became strings come out as they were', () => {
    const args = fc.record({ item: fc.string(), amount: fc.integer({ min: 1, max: 99 }), express: fc.boolean() });
    fc.assert(
      fc.property(args, ({ item, amount, express }) => {
        expect(outputOf(order, { item, amount: String(amount), express: String(express) })).toEqual({
          item,
          amount,
          express,
        });
      }),
    );
  });
});

describe('the model is told what to mend', () => {
  test('one line a problem, with place, expectation and what stands there', () => {
    const message = messageOf(order, {
      amount: 'five',
      lines: [{ id: 1 }, { id: 'x' }],
      adress: {},
      address: { street: 1, number: 2 },
    });
    expect(message.split('\n')).toEqual([
      'The arguments are not valid, so the tool did not run.',
      '- item: expected a string, got nothing',
      '- amount: expected a number, got "five"',
      '- address.street: expected a string, got 1',
      '- lines[1].id: expected a number, got "x"',
      '- adress: unknown; did you mean "address"?',
    ]);
  });

  const cases: readonly [z.ZodType, JsonValue, string][] = [
    [z.number().max(9), 10, '- value: expected a number of at most 9, got 10'],
    [z.string().min(1), '', '- value: expected a string that is not empty, got ""'],
    [z.enum(['a', 'b']), 'c', '- value: expected "a" or "b", got "c"'],
    [z.union([z.number(), z.boolean()]), 'x', '- value: expected a number or true or false, got "x"'],
    [z.union([z.number(), z.object({ a: z.number() })]), { a: 'x' }, '- value.a: expected a number, got "x"'],
    [z.string().refine(() => false, 'must rhyme'), 'x', '- value: must rhyme, got "x"'],
    [z.string().regex(/^a+$/), 'b'.repeat(500), '(500 characters)'],
    [z.discriminatedUnion('t', [z.object({ t: z.literal('a') })]), { t: 'b' }, '- value.t: expected'],
  ];
  test.each(cases)('%#', (schema, raw, line) => expect(messageOf(one(schema), { value: raw })).toContain(line));

  test('a key in another spelling is recognised', () => {
    expect(messageOf(z.strictObject({ file_path: z.string() }), { filePath: 'x' })).toContain(
      'did you mean "file_path"?',
    );
    expect(messageOf(z.strictObject({ path: z.string() }), { path: 'x', zzz: 1 })).toContain(
      '- zzz: unknown; known are path',
    );
  });

  test('broken JSON is called that', () => {
    expect(messageOf(order, '{"item": "x')).toMatch(/not JSON; they begin with "\{\\"item/);
    expect(messageOf(order, '"just a text"')).toContain('expected an object, got "just a text"');
  });

  test('a flood of problems is cut', () => {
    const lines = Array.from({ length: 5000 }, () => ({ id: 'x' }));
    expect(messageOf(order, { item: 'x', lines }).split('\n')).toHaveLength(14);
  });
});

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
    expect(messageOf(one(z.array(z.number())), { value: deep })).toContain('- value: expected a list');
  });
});

test('names that every object inherits are names like others: what was not given is missing', () => {
  const properties = { constructor: { type: 'string' }, toString: { type: 'string' } };
  const validate = jsonValidator({ type: 'object', properties });
  expect(validate({})).toMatchObject({ valid: true, value: {} });
  expect(validate({ constructor: 5 }).valid).toBe(false);
  const requiring = jsonValidator({ type: 'object', required: ['constructor', 'toString', '__proto__'] });
  expect(requiring({}).valid).toBe(false);
  const own: JsonObject = JSON.parse('{"constructor": "a", "toString": "b", "__proto__": "c"}');
  expect(requiring(own).valid).toBe(true);
  const closed = jsonValidator({ type: 'object', properties: {}, additionalProperties: false });
  expect(closed(JSON.parse('{"__proto__": {"a": 1}}')).valid).toBe(false);
});

test.each(['#', '#/$defs/tree', '#tree'])('a schema may contain itself, as %s', ($ref) => {
  const tree = { type: 'object', properties: { child: { $ref }, size: { type: 'number' } } };
  const validate = jsonValidator({ ...tree, $defs: { tree: { ...tree, $anchor: 'tree' } } });
  expect(validate({ child: { child: { size: 1 } } }).valid).toBe(true);
  expect(validate({ child: { child: { size: 'x' } } }).valid).toBe(false);
});

test('what is no schema is told to be none, and nothing fits it', () => {
  const none = { type: 'object', properties: { a: { minLength: 'x' } } };
  expect(schemaFault(none)).toBe('schema is invalid: data/properties/a/minLength must be integer');
  const said = jsonValidator(none)({ a: 'x' });
  expect(said).toMatchObject({ valid: false, message: expect.stringContaining('must be integer') });
});

describe('a schema that was made to be slow', () => {
  test('does not hold anybody up by a pattern', () => {
    const validate = jsonValidator({ type: 'object', properties: { a: { pattern: '^(a+)+$' } } });
    expect(validate({ a: `${'a'.repeat(40)}!` })).toMatchObject({ message: expect.stringMatching(/too long$/) });
    expect(validate({ a: 'aa' }).valid).toBe(true);
  });

  test('fits nothing if it refers to itself for ever', () => {
    const validate = jsonValidator({ type: 'object', properties: { a: { not: { $ref: '#/properties/a' } } } });
    expect(validate({ a: 1 }).valid).toBe(false);
  });

  test('does not hold anybody up by references that double', () => {
    const last = 40;
    const steps = Array.from({ length: last }, (_, index): [string, JsonObject] => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, { allOf: [next, next] }];
    });
    const $defs = Object.fromEntries([...steps, [`d${last}`, { type: 'object' }]]);
    const validate = jsonValidator({ type: 'object', $defs, $ref: '#/$defs/d0' });
    expect(validate({})).toMatchObject({ valid: false, message: expect.stringContaining('too long') });
  });

  test('does not hold anybody up by comparing all with all', () => {
    const schema = { type: 'object', properties: { a: { type: 'array', uniqueItems: true } } };
    const a = Array.from({ length: 30_000 }, (_, b) => ({ b }));
    const validate = jsonValidator(schema);
    expect(validate({ a }).valid).toBe(false);
    expect(validate({ a: [1, 2] }).valid).toBe(true);
  });
});
