import { expect, test } from 'vitest';
import { dayIn } from '../../src/lib/clock.ts';
import { isTimeZone, readInstant, zonedWords } from '../../src/lib/time-words.ts';

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

test.each([
  ['2026-07-01T09:00', 'Europe/Berlin', '2026-07-01T07:00:00.000Z'],
  ['2026-01-01 09:00:30', 'Europe/Berlin', '2026-01-01T08:00:30.000Z'],
  ['2026-07-01T09:00Z', 'Europe/Berlin', '2026-07-01T09:00:00.000Z'],
  ['2026-07-01T09:00+05:30', 'Europe/Berlin', '2026-07-01T03:30:00.000Z'],
  ['2026-07-01T09:00:00.000-0400', 'Europe/Berlin', '2026-07-01T13:00:00.000Z'],
  // Left out: as much later. Twice: the first.
  ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:30:00.000Z'],
  ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
  ['2026-10-04T02:10', 'Australia/Lord_Howe', '2026-10-03T15:40:00.000Z'],
  ['2026-04-05T01:45', 'Australia/Lord_Howe', '2026-04-04T14:45:00.000Z'],
  ['2026-07-01T09:00', 'Asia/Kathmandu', '2026-07-01T03:15:00.000Z'],
])('%s in %s is %s', (text, timeZone, expected) => {
  expect(new Date(readInstant(text, timeZone) ?? 0).toISOString()).toBe(expected);
});

test.each([
  '',
  'tomorrow',
  '2026-07-01',
  '2026-02-30T09:00',
  '2026-07-01T25:00',
  '2026-07-01T09:60',
  '09:00',
  '2026-07-01T09:00+15:00',
  '2026-07-01T09:00-01:60',
])('"%s" is no date and time', (text) => {
  expect(readInstant(text, 'UTC')).toBeUndefined();
});

test('an instant is told in the time zone', () => {
  const at = Date.parse('2026-03-30T22:05Z');
  expect(zonedWords(at, 'UTC')).toBe('Mon 30 Mar 2026, 22:05');
  expect(zonedWords(at, 'Europe/Berlin')).toBe('Tue 31 Mar 2026, 00:05');
  expect(zonedWords(at, 'Europe/Berlin', 'zh')).toBe('2026年3月31日周二 00:05');
});

test('time zones are known by their names', () => {
  expect(['Europe/Berlin', 'UTC', 'Asia/Kolkata'].map(isTimeZone)).toEqual([true, true, true]);
  expect(['', 'Berlin', 'Europe/Berlin; x'].map(isTimeZone)).toEqual([false, false, false]);
});
