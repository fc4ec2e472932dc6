import { expect, test } from 'vitest';
import { Remembered } from '../../../channels/slack/remembered.ts';
import { ManualClock } from '../../support/manual-clock.ts';

test('what was used least lately is forgotten when there is too much', () => {
  const memory = new Remembered<number>({ clock: new ManualClock(), most: 2 });
  memory.set('a', 1);
  memory.set('b', 2);
  expect(memory.get('a')).toBe(1);
  memory.set('c', 3);
  expect([memory.get('a'), memory.get('b'), memory.get('c')]).toEqual([1, undefined, 3]);
});

test('everything is forgotten after its time', () => {
  const clock = new ManualClock();
  const memory = new Remembered<number>({ clock, most: 2 });
  memory.set('a', 1, 1_000);
  clock.advance(999);
  expect(memory.has('a')).toBe(true);
  clock.advance(1);
  expect(memory.has('a')).toBe(false);
});
