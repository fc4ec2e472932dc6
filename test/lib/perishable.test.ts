import { expect, test } from 'vitest';
import { Perishable } from '../../src/lib/perishable.ts';
import { ManualClock } from '../support/manual-clock.ts';

test('everything is forgotten after its time, and looking at it gives it no more', () => {
  const clock = new ManualClock();
  const memory = new Perishable<string, number>({ clock, most: 2 });
  memory.set('a', 1, 1_000);
  memory.set('b', 2, 2_000);
  clock.advance(999);
  expect([memory.get('a'), memory.get('b')]).toEqual([1, 2]);
  clock.advance(1);
  expect([memory.get('a'), memory.get('b')]).toEqual([undefined, 2]);
});

test('before its time it is forgotten when there is too much', () => {
  const memory = new Perishable<string, number>({ clock: new ManualClock(), most: 2 });
  for (const key of ['a', 'b', 'c']) memory.set(key, 1, 1_000);
  expect(['a', 'b', 'c'].map((key) => memory.get(key))).toEqual([undefined, 1, 1]);
  memory.delete('c');
  expect(memory.get('c')).toBeUndefined();
});
