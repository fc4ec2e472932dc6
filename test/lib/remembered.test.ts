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
