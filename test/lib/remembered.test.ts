import { expect, test } from 'vitest';
import { Perishable, Remembered } from '../../src/lib/remembered.ts';
import { ManualClock } from '../support/manual-clock.ts';

test('what was used least lately is forgotten when there is too much', () => {
  const memory = new Remembered<string, number>(2);
  memory.set('a', 1);
  memory.set('b', 2);
  expect(memory.get('a')).toBe(1);
  memory.set('c', 3);
  expect([memory.get('a'), memory.get('b'), memory.get('c')]).toEqual([1, undefined, 3]);
});

test('what is said again takes the place of what was said, and is the latest', () => {
  const memory = new Remembered<string, number>(2);
  memory.set('a', 1);
  memory.set('b', 2);
  memory.set('a', 3);
  memory.set('c', 4);
  expect([memory.get('a'), memory.has('b'), memory.has('c')]).toEqual([3, false, true]);
  memory.delete('a');
  expect(memory.has('a')).toBe(false);
});

test('what is heavy takes the room of several', () => {
  const memory = new Remembered<string, string>(5, ({ length }) => length);
  memory.set('a', 'xx');
  memory.set('b', 'xx');
  memory.set('b', 'xxx');
  expect([memory.get('a'), memory.get('b')]).toEqual(['xx', 'xxx']);
  memory.set('c', 'xxx');
  expect([memory.has('a'), memory.has('b'), memory.get('c')]).toEqual([false, false, 'xxx']);
});

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
