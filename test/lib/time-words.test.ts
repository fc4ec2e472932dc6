import { expect, test } from 'vitest';
import { dayIn } from '../../src/lib/time-words.ts';

test('the same instant is another day in another place', () => {
  const at = Date.UTC(2026, 2, 4, 11, 30);
  expect(dayIn('Pacific/Kiritimati')(at)).toBe('2026-03-05');
  expect(dayIn('Pacific/Niue')(at)).toBe('2026-03-04');
});

test('without a time zone, it is the day where the machine stands', () => {
  const here = dayIn(Intl.DateTimeFormat().resolvedOptions().timeZone);
  const hours = Array.from({ length: 400 }, (_, index) => Date.UTC(2025, 11, 25) + index * 3_600_000 * 23);
  expect(hours.map(dayIn(undefined))).toEqual(hours.map(here));
});
