import { type ParseError, parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { stateIn, withSettings } from '../../../src/cli/migrate/config-text.ts';
import { nameFor } from '../../../src/cli/migrate/secret-names.ts';

describe('the variable of a secret', () => {
  test.each([
    ['free', {}, { type: 'named', variable: 'KEY' }],
    ['the same', { KEY: 'x' }, { type: 'named', variable: 'KEY' }],
    ['another one', { KEY: 'y' }, { type: 'named', variable: 'KEY_OPENCLAW' }],
    ['two others', { KEY: 'y', KEY_OPENCLAW: 'z' }, { type: 'held' }],
  ])('gets its name where that is %s', (_what, set, expected) => {
    expect(nameFor({ variable: 'KEY', value: 'x' }, set, 'openclaw')).toEqual(expected);
  });

  test('a value with all kinds of quotation marks is not written', () => {
    expect(nameFor({ variable: 'KEY', value: `a' b" c\` #` }, {}, 'openclaw')).toEqual({ type: 'unquotable' });
  });
});

describe('the text of the config', () => {
  const edits = [
    { path: ['a', 'b'], value: 1, comment: 'why' },
    { path: ['list'], value: ['x'] },
  ];

  test.each([
    ['none', ''],
    ['only a remark', '// mine\n'],
    ['an empty one', '{}'],
    ['one with remarks', '// mine\n{\n  // of b\n  "c": 2, // end\n}\n'],
    ['one on a line', '{ "c": 2, "a": { "z": 1 } }'],
    ['one with commas at ends', '{\n  "a": { "z": 1, },\n}'],
  ])('gets keys and keeps the rest: %s', (_what, text) => {
    const written = withSettings(text, edits, 'head');
    const before = parse(text, [], { allowTrailingComma: true }) ?? {};
    const errors: ParseError[] = [];
    const after = parse(written, errors, { allowTrailingComma: true });
    expect(errors).toEqual([]);
    expect(after).toEqual({ ...before, a: { ...before.a, b: 1 }, list: ['x'] });
    for (const remark of text.match(/\/\/ \w.*/g) ?? []) expect(written).toContain(remark);
    for (const { path, value } of edits) expect(stateIn(written, { path, value })).toBe('same');
  });

  test.each([
    ['{}', 'free'],
    ['{ "a": { "b": "" } }', 'free'],
    ['{ "a": { "b": [] } }', 'free'],
    ['{ "a": { "b": null } }', 'free'],
    ['{ "a": { "b": { "c": 1 } } }', 'same'],
    ['{ "a": { "b": {} } }', 'other'],
    ['{ "a": { "b": false } }', 'other'],
  ])('%s is %s for a key', (text, state) => {
    expect(stateIn(text, { path: ['a', 'b'], value: { c: 1 } })).toBe(state);
  });

  test('has no words that would be more than a remark', () => {
    const written = withSettings('{}', [{ path: ['x'], value: 1, comment: 'one\n"y": 2, \u2028"z": 3' }], 'he\nad');
    expect(parse(written)).toEqual({ x: 1 });
  });
});
