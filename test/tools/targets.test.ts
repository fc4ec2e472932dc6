import { describe, expect, test } from 'vitest';
import { coveredBy, targetsOf } from '../../src/tools/targets.ts';

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

describe('what a permission for a while covers where only names tell', () => {
  test.each([
    ['one target and nothing else', { recipient: 'US1', note: 'x' }, ['US1']],
    ['the same arguments', { recipient: 'US1', amount: 5, note: 'x' }, ['US1', 'amount: 5']],
    ['two targets in their places', { from_account: 'A', to_account: 'B' }, ['from_account: A', 'to_account: B']],
    ['an unknown name', { repo: 'a', new_owner: 'b' }, ['a', 'new_owner: b']],
    ['what is inside', { options: { who: ['a', 'b'] } }, ['options.who: a', 'options.who: b']],
  ])('%s', (_what, args, covered) => {
    const parameters = { type: 'object', properties: Object.fromEntries(Object.keys(args).map((key) => [key, {}])) };
    expect(coveredBy(parameters, args)).toEqual(covered);
  });
});
