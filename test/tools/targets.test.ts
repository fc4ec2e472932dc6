import { describe, expect, test } from 'vitest';
import { isSaidIn, steeringValues, strangeValues, targetsOf } from '../../src/tools/targets.ts';

function schema(...names: readonly string[]) {
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) };
}

describe('what a call of a foreign tool reaches', () => {
  test.each([
    [{ recipient: 'US1', amount: 5 }, ['US1']],
    [{ to: ['a@x.example', 'b@x.example'], body: 'hi' }, ['a@x.example', 'b@x.example']],
    [{ targetUrl: 'https://x.example', text: 'hi' }, ['https://x.example']],
    [{ file_id: 13, note: 'x' }, ['13']],
    [{ participants: [{ name: 'Ada' }], title: 'Lunch' }, ['Ada']],
    [{ cc: '', subject: 'x' }, []],
    [{ text: 'x', amount: 5, together: true }, undefined],
  ])('is told by the names of its parameters: %j', (args, targets) => {
    expect(targetsOf(schema(...Object.keys(args)), args)).toEqual(targets);
  });

  test('is what the operator says it is', () => {
    const args = { recipient: 'US1', purse: 'mine' };
    expect(targetsOf(schema('recipient', 'purse'), args, ['purse', 'box'])).toEqual(['mine']);
    expect(targetsOf(schema('recipient'), args, [])).toBeUndefined();
  });
});

describe('what steers a call', () => {
  test('is its targets, its numbers, and every address in its texts', () => {
    const args = { to: 'Bob', amount: 12.5, text: 'Look at www.evil.example/x?y=1, or write to eve@evil.example.' };
    expect(steeringValues(args, ['Bob'])).toEqual(['Bob', '12.5', 'www.evil.example/x?y=1,', 'eve@evil.example']);
  });

  test('is each long number in its texts', () => {
    const text = 'Passport HGK137803, card 4237-4252-7456-2574, 75002 Paris, on 2024-05-15.';
    expect(steeringValues({ text }, ['Bob'])).toEqual(['Bob', '137803', '4237-4252-7456-2574']);
  });

  test('is an address as a whole, whatever stands in it', () => {
    const url = 'https://x.example/a)?d=secret';
    expect(steeringValues({ url }, [url])).toEqual([url, 'https://x.example/a']);
    expect(strangeValues({ url }, { targets: ['x.example'] }, () => 'see https://x.example/a')).toEqual([url]);
  });

  test('is all that the tool says it sends, to the letter', () => {
    const sends = ['https://x.example/a', 'Soup {}'];
    const strange = (words: string) => strangeValues({}, { targets: ['x.example'], sends }, () => words);
    expect(strange('post Soup {} to https://x.example/a')).toEqual([]);
    expect(strange('post soup {} to https://x.example/a')).toEqual(['Soup {}']);
  });

  test('is nothing where it reaches nobody: then no words of a person make it theirs', () => {
    expect(steeringValues({ amount: 5 }, [])).toEqual([]);
    expect(steeringValues({ amount: 5 }, undefined)).toEqual([]);
  });

  test('is found in a text of any length and kind', () => {
    for (const part of ['a', 'a.', 'a@', 'a-', 'http://', '1.', '1', '1234 ']) {
      const text = part.repeat(200_000);
      expect(steeringValues({ text }, ['Bob']).length).toBeGreaterThan(0);
    }
  });
});

test.each<[string, string, boolean]>([
  ['pay US133 now', 'us133', true],
  ['pay US1333 now', 'US133', false],
  ['pay AUS133, US133.', 'US133', true],
  ['send 50 to Bob', '50', true],
  ['send 150 to Bob', '50', false],
  ['to al, please', 'al', false],
  ['', 'Bob', false],
  ['see https://x.example/a', 'https://x.example/a', true],
  ['see [it](https://X.example/a), or x.example/b.', 'http://x.example/b', true],
  ['see [it](https://X.example/a), or x.example/b.', 'https://x.example/a#b', true],
  ['see https://x.example/a', 'https://x.example/A', false],
  ['see https://x.example/a', 'https://x.example/a)?d=secret', false],
  ["it's https://x.example/a", "https://x.example/a'?d=secret", false],
  ['see https://x.example/a', 'https://x.example/a secret', false],
  ['see https://x.example/a', 'https://secret@x.example/a', false],
  ['see https://x.example/ab', 'https://x.example/a', false],
])('that %j holds %j is %j', (words, value, isSaid) => {
  expect(isSaidIn(words, value)).toBe(isSaid);
});
