import { expect, test } from 'vitest';
import { type FaultOdds, FaultRules } from '../support/fault-rules.ts';

type Rule = FaultOdds & { readonly kind: 'slow' | 'wrong'; readonly name: string };

const makeRules = () => new FaultRules<Rule, string>(({ name }, asked) => name === asked);

test('the first rule that is meant for a request is the one, until it has fired often enough', () => {
  const rules = makeRules();
  const first = rules.add({ kind: 'slow', name: 'a', times: 2 });
  rules.add({ kind: 'wrong', name: 'a' });
  expect(['b', 'a', 'a', 'a'].map((asked) => rules.next(asked)?.kind)).toEqual([undefined, 'slow', 'slow', 'wrong']);
  expect(first.fired).toBe(2);
  expect([rules.fired('slow'), rules.fired('wrong')]).toEqual([2, 1]);
});

test('a rule that was removed is none any more, and what it did is still counted', () => {
  const rules = makeRules();
  const [first, second] = [rules.add({ kind: 'slow', name: 'a' }), rules.add({ kind: 'wrong', name: 'a' })];
  rules.next('a');
  first.remove();
  first.remove();
  expect(rules.next('a')?.kind).toBe('wrong');
  rules.clear();
  second.remove();
  expect(rules.next('a')).toBeUndefined();
  expect([rules.fired('slow'), rules.fired('wrong')]).toEqual([1, 1]);
});

test('chance goes by the seed, and is drawn for requests alone that the rule is meant for', () => {
  const firings = (others: number, seed?: number): readonly boolean[] => {
    const rules = makeRules();
    rules.add({ kind: 'slow', name: 'a', probability: 0.5, ...(seed !== undefined && { seed }) });
    return Array.from({ length: 20 }, () => {
      for (let other = 0; other < others; other += 1) rules.next('b');
      return rules.next('a') !== undefined;
    });
  };
  expect(new Set(firings(0))).toEqual(new Set([true, false]));
  expect(firings(3)).toEqual(firings(0));
  expect(firings(0, 2)).not.toEqual(firings(0));
});

test('a rule that has fired often enough is not asked whether it is meant', () => {
  let asked = 0;
  const rules = new FaultRules<Rule, string>(() => {
    asked += 1;
    return true;
  });
  rules.add({ kind: 'slow', name: 'a', times: 1 });
  rules.next('a');
  rules.next('a');
  expect(asked).toBe(1);
});
