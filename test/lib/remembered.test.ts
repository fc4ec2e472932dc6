import { expect, test } from 'vitest';
import { Remembered } from '../../src/lib/remembered.ts';

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
