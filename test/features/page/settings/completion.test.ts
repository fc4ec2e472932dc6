import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keysAt, type Schema, valuesAt } from '../../../../packages/page/src/views/settings/editor/config-schema.ts';
import { placeIn } from '../../../../packages/page/src/views/settings/editor/json-place.ts';

const schema: Schema = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../config.schema.json'), 'utf8'));

/** The place of the bar. */
function placeAt(text: string) {
  return placeIn(text.replace('|', ''), text.indexOf('|'));
}

describe('the place of the cursor', () => {
  test.each([
    ['{ | }', [], true],
    ['{ "ag| }', [], true],
    ['{ "agent": { | } }', ['agent'], true],
    ['{ "agent": { "max_turns": 3, | } }', ['agent'], true],
    ['{ "agent": { "max_turns": | } }', ['agent', 'max_turns'], false],
    ['{ "a": [{ "b": 1 }, { "c|', ['a', 1], true],
    ['{ "a": [1, 2, |]', ['a', 2], false],
    ['{ "a{": "}", /* { */ "b": {\n// [\n|', ['b'], true],
    ['{ "a": tr|', ['a'], false],
    ['{ "a": "x|', ['a'], false],
    ['{ "a": { "b": 1 }, "c": |', ['c'], false],
  ] as const)('in %s', (text, path, isKey) => {
    expect(placeAt(text)).toMatchObject({ path, isKey });
  });

  test.each(['|', '{} |', '{ "a": 1 |', '{ // |', '{ /* | */', '{ "a": "x"|'])('is none in %s', (text) => {
    expect(placeAt(text)).toBeUndefined();
  });

  test('knows the keys that are there, and where the word begins', () => {
    expect(placeAt('{ "a": 1, "b": { "c": 2 }, "d|')).toMatchObject({ present: ['a', 'b'], from: 27 });
  });
});

describe('the schema', () => {
  test('names the keys of an object, also of one among several and of one with any name', () => {
    expect([...keysAt(schema, []).keys()]).toEqual(expect.arrayContaining(['agent', 'channels', 'owners']));
    expect([...keysAt(schema, ['channels', 'telegram']).keys()]).toContain('token');
    expect([...keysAt(schema, ['models', 'mine']).keys()]).toEqual(expect.arrayContaining(['provider', 'base_url']));
    expect([...keysAt(schema, ['nothing']).keys()]).toEqual([]);
    expect([...keysAt(schema, ['toString']).keys()]).toEqual([]);
  });

  test('names the values where there are a few', () => {
    expect(valuesAt(schema, ['tools', 'shell', 'sandbox'])).toEqual(['auto', 'required', 'off']);
    expect(valuesAt(schema, ['approval', 'enabled'])).toEqual([true, false]);
    expect(valuesAt(schema, ['models', 'mine', 'provider'])).toEqual(
      expect.arrayContaining(['anthropic', 'openai_compatible']),
    );
    expect(valuesAt(schema, ['approval', 'require_for', 0])).toEqual([]);
  });
});
