import { expect, test } from 'vitest';
import { methodFaults } from '../support/method-faults.ts';

const asked = (method: string, chat = 1) => ({ method, params: { chat } });

test('a rule is meant for its method in capitals or not, or for every one', () => {
  const faults = methodFaults<{ readonly kind: 'slow' | 'wrong' }>();
  faults.add({ kind: 'slow', method: 'sendMessage' });
  expect(['sendMessage', 'SENDMESSAGE', 'getMe'].map((method) => faults.next(asked(method))?.kind)).toEqual([
    ...['slow', 'slow'],
    undefined,
  ]);
  faults.add({ kind: 'wrong', method: '*' });
  expect(faults.next(asked('getMe'))?.kind).toBe('wrong');
});

test('a rule may look at what is asked for', () => {
  const faults = methodFaults<{ readonly kind: 'slow' }>();
  faults.add({ kind: 'slow', method: '*', when: ({ chat }) => chat === 2, times: 1 });
  expect([1, 2, 2].map((chat) => faults.next(asked('a', chat))?.kind)).toEqual([undefined, 'slow', undefined]);
});
