import { expect, test } from 'vitest';
import { backOff } from '../../src/lib/back-off.ts';

const always = (chance: number) => ({ chance: () => chance });

test('a pause doubles from a second to a minute', () => {
  expect([1, 2, 3, 6, 7, 100].map((failures) => backOff(failures, always(1)))).toEqual([
    1_000, 2_000, 4_000, 32_000, 60_000, 60_000,
  ]);
  expect(backOff(2, { firstPause: 500, ...always(1) })).toBe(1_000);
  expect(backOff(100, { longestPause: 300_000, ...always(1) })).toBe(300_000);
});

test('a quarter of it is left to chance', () => {
  expect([0, 0.5].map((chance) => backOff(1, always(chance)))).toEqual([750, 875]);
  expect(backOff(100, always(0))).toBe(45_000);
  expect(backOff(1)).toBeGreaterThanOrEqual(750);
});
