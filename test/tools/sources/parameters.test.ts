import { describe, expect, test } from 'vitest';
import { schemaTextIn } from '../../../src/lib/schema-text.ts';
import { jsonTypes, parameterNames, toolParameters } from '../../../src/tools/sources/parameters.ts';
import { parameterWords } from '../../../src/tools/sources/words.ts';

function faultsOf(written: unknown): readonly string[] {
  const read = toolParameters.safeParse(written);
  return (read.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${schemaTextIn('en', message)}`);
}

describe('parameters', () => {
  test('in short are all needed, and nothing else is taken', () => {
    expect(toolParameters.parse({ city: 'string', days: 'integer', raw: 'raw_string' })).toEqual({
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' }, raw: { type: 'string' } },
      required: ['city', 'days', 'raw'],
      additionalProperties: false,
    });
    expect(toolParameters.parse(undefined)).toMatchObject({ properties: {}, additionalProperties: false });
  });

  test('with more words have a description, and may be left out', () => {
    const url = { param_type: 'string', description: 'What to read.', required: true };
    expect(toolParameters.parse({ url, depth: { param_type: 'number', required: false } })).toEqual({
      type: 'object',
      properties: { url: { type: 'string', description: 'What to read.' }, depth: { type: 'number' } },
      required: ['url'],
      additionalProperties: false,
    });
  });

  test('as a JSON Schema stay as they are, but for what they do not say of undeclared ones', () => {
    const schema = { type: 'object', properties: { param_type: { type: 'string', pattern: '^a' } }, required: [] };
    expect(toolParameters.parse(schema)).toEqual({ ...schema, additionalProperties: false });
    expect(toolParameters.parse({ ...schema, additionalProperties: true })).toEqual({
      ...schema,
      additionalProperties: true,
    });
    expect(toolParameters.parse({ properties: { a: {} } })).toMatchObject({ type: 'object', properties: { a: {} } });
  });

  test('may be called as the words of a schema are', () => {
    const read = toolParameters.parse({ type: 'string', properties: 'array', required: 'boolean' });
    expect(parameterNames(read)).toEqual(['type', 'properties', 'required']);
    expect(parameterNames(toolParameters.parse({ properties: { param_type: 'object' } }))).toEqual(['properties']);
  });

  test('that are not right say which, and what they may be', () => {
    const types = [...jsonTypes, 'raw_string'];
    expect(faultsOf({ a: 'strng' })).toEqual([`a: ${parameterWords.en.type({ types, guess: 'string' })}`]);
    expect(faultsOf({ a: { param_type: 'x' } })).toEqual([
      `a.param_type: ${parameterWords.en.type({ types, guess: undefined })}`,
    ]);
    expect(faultsOf({ a: 7 })).toEqual([`a: ${parameterWords.en.form}`]);
    expect(faultsOf({ a: { type: 'string' } })).toEqual([`a: ${parameterWords.en.form}`]);
    expect(faultsOf([])).toHaveLength(1);
  });
});
