import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAccounts } from '../../src/conversation/access/people.ts';

const link = (principal: string, person: string) => ({ principal, person });

describe('the accounts of a person', () => {
  test('are those that share a link, sorted, each with all of them; somebody else has their own alone', () => {
    const accounts = createAccounts(() => [], [link('b:1', 'x'), link('a:1', 'x'), link('c:1', 'y')]);
    expect(accounts.accountsOf('b:1')).toEqual(['a:1', 'b:1']);
    expect(accounts.accountsOf('a:1')).toEqual(['a:1', 'b:1']);
    expect(accounts.accountsOf('c:1')).toEqual(['c:1']);
    expect(accounts.accountsOf('d:1')).toEqual(['d:1']);
    expect(accounts.persons()).toEqual([['a:1', 'b:1']]);
  });

  test('are joined where the config and a code speak of the same account, and parted when the code does no more', () => {
    const fixed = [['a:1', 'b:1']];
    const accounts = createAccounts(() => fixed, [link('b:1', 'x'), link('c:1', 'x')]);
    for (const account of ['a:1', 'b:1', 'c:1']) expect(accounts.accountsOf(account)).toEqual(['a:1', 'b:1', 'c:1']);
    expect(accounts.persons()).toHaveLength(1);
    accounts.renew([]);
    expect(accounts.accountsOf('c:1')).toEqual(['c:1']);
    expect(accounts.accountsOf('a:1')).toEqual(['a:1', 'b:1']);
    expect([accounts.isFixed('b:1'), accounts.isFixed('c:1')]).toEqual([true, false]);
  });

  test('are the same whichever of them is asked for, whatever was linked with whatever', () => {
    const group = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(group, { maxLength: 5 }), (fixed) => {
        const { accountsOf } = createAccounts(() => fixed, []);
        for (const one of fixed.flat()) {
          expect(accountsOf(one)).toContain(one);
          for (const other of accountsOf(one)) expect(accountsOf(other)).toEqual(accountsOf(one));
        }
        for (const accounts of fixed)
          for (const one of accounts) expect(accountsOf(one)).toEqual(expect.arrayContaining(accounts));
      }),
      { seed: 3, numRuns: 500 },
    );
  });
});
