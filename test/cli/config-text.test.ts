import { type ParseError, parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { remark, withEdits } from '../../src/cli/config-text.ts';

const before = `\ufeff// mine
{
    // of a
    "a": { "x": 1, "y": 2 }, // after a
    "b": [1], /* after b */
    "c": "c" // the last
}
`;

function valueIn(text = ''): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text.replace(/^\ufeff/, ''), errors, { allowTrailingComma: true });
  expect(errors).toEqual([]);
  return value;
}

test('keys are changed, added with words above them, and taken out, and the rest stays', () => {
  const after = withEdits(before, [
    { path: ['a', 'y'], value: undefined },
    { path: ['c'], value: { z: true } },
    { path: ['d', 'e'], value: 'new', comment: 'why\nso' },
    { path: ['b'], value: undefined },
    { path: ['not there'], value: undefined },
  ]);
  expect(valueIn(after)).toEqual({ a: { x: 1 }, c: { z: true }, d: { e: 'new' } });
  for (const part of [
    '\ufeff// mine\n',
    '    // of a\n',
    '// after a',
    '// the last\n',
    `    ${remark('why\nso')}\n    "d"`,
  ])
    expect(after).toContain(part);
});

test.each(['', '\n', '// only words\n'])('a text without a value, such as %j, is not edited', (text) => {
  expect(withEdits(text, [{ path: ['a'], value: 1 }])).toBe(undefined);
});

test.each([
  ['{ "a": 1 }', '{ }'],
  ['{ "a": 1, "b": 2 }', '{ "b": 2 }'],
  ['{ "b": 2, "a": 1 }', '{ "b": 2 }'],
  ['{\n  "b": 2, // of b\n  "a": { "x": [1, 2] } // of a\n}\n', '{\n  "b": 2 // of b\n}\n'],
  ['{\n  "a": 1, // of a\n  // of b\n  "b": 2,\n}\n', '{\n  // of b\n  "b": 2,\n}\n'],
  ['{\r\n\t"b": 2,\r\n\t"a": 1\r\n}\r\n', '{\r\n\t"b": 2\r\n}\r\n'],
  ['{ "b": 2 /* , */ , "a": 1, }', '{ "b": 2 /* , */ , }'],
  ['{"b":2}', '{"b":2}'],
])('%j without a key is %j', (text, after) => {
  const edited = withEdits(text, [{ path: ['a'], value: undefined }]) ?? '';
  expect(edited.replaceAll(/ {2}/g, edited.includes('\n') ? '  ' : ' ')).toBe(after);
  valueIn(edited);
});
