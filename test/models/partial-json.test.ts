import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonValue } from '../../src/lib/json.ts';
import { readPartialJson } from '../../src/models/partial-json.ts';

const property = { seed: 20_261_121, numRuns: Number(process.env.KEYTURN_PROPERTY_RUNS ?? 100) };

describe('of a text that breaks off is read', () => {
  test.each([
    ['', undefined],
    ['{', {}],
    ['{"pa', {}],
    ['{"path"', {}],
    ['{"path":', {}],
    ['{"path":"no', { path: 'no' }],
    ['{"path":"notes"', { path: 'notes' }],
    ['{"a":12', {}],
    ['{"a":12,', { a: 12 }],
    ['{"a":12}', { a: 12 }],
    ['{"a":tru', {}],
    ['{"a":true }', { a: true }],
    ['{"a":[1,{"b":"x', { a: [1, { b: 'x' }] }],
    ['{"a":"one","b', { a: 'one' }],
    ['{"a":["x","y', { a: ['x', 'y'] }],
    ['{"a":"line\\', { a: 'line' }],
    ['{"a":"line\\n', { a: 'line\n' }],
    ['{"a":"\\u00e', { a: '' }],
    ['{"a":"\\u00e4', { a: 'ä' }],
    ['{"a":"\\"quoted\\" ', { a: '"quoted" ' }],
    ['{"a":"🙂'.slice(0, -1), { a: '' }],
    ['{"{[":"]}', { '{[': ']}' }],
    [' {"a" : "b" , ', { a: 'b' }],
    ['{"__proto__":"x', JSON.parse('{"__proto__":"x"}')],
    ['"word', 'word'],
    ['12', undefined],
    ['nothing of the kind', undefined],
    ['{"a":True,', undefined],
    ['}}}', undefined],
    [']', undefined],
  ] as const)('%j: %j', (text, value) => {
    expect(readPartialJson(text)).toEqual(value);
  });
});

test('wherever a text of JSON is cut, nothing is read of it that it does not say', () => {
  const check = fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (written, at) => {
    const text = JSON.stringify(written);
    const value: JsonValue = JSON.parse(text);
    expect(isPartOf(readPartialJson(text.slice(0, at % (text.length + 1))), value)).toBe(true);
    expect(readPartialJson(text)).toEqual(value);
  });
  fc.assert(check, property);
});

test('whatever the text is, reading it does not fail', () => {
  const shards = fc.constantFrom(...'{}[]"\\:,a1 \n\ud83d', 'true', '\\u12');
  const soup = fc.array(shards, { maxLength: 30 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(soup, (text) => {
      readPartialJson(text);
    }),
    property,
  );
});

/** Whether the first has nothing that the second does not have; of the text that comes last, a beginning. */
function isPartOf(part: JsonValue | undefined, whole: JsonValue): boolean {
  if (part === undefined) return true;
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part);
  if (Array.isArray(part)) return Array.isArray(whole) && part.every((item, at) => isPartOf(item, whole[at] ?? null));
  if (!isJsonObject(part)) return Object.is(part, whole);
  return isJsonObject(whole) && Object.entries(part).every(([key, value]) => isPartOf(value, whole[key] ?? null));
}
