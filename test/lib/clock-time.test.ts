import { expect, test } from 'vitest';
import { clockTime, dayWords, isSameDay } from '../../src/lib/time-words.ts';

test.each([
  ['2026-10-25T00:30Z', 'Europe/Berlin', '02:30 GMT+2'],
  ['2026-10-25T01:30Z', 'Europe/Berlin', '02:30 GMT+1'],
  ['2026-10-25T00:00Z', 'Europe/Berlin', '02:00 GMT+2'],
  ['2026-10-25T01:59Z', 'Europe/Berlin', '02:59 GMT+1'],
  ['2026-10-24T23:59Z', 'Europe/Berlin', '01:59'],
  ['2026-10-25T02:00Z', 'Europe/Berlin', '03:00'],
  // The clocks go forward: no time occurs twice.
  ['2026-03-29T00:59Z', 'Europe/Berlin', '01:59'],
  ['2026-03-29T01:00Z', 'Europe/Berlin', '03:00'],
  ['2026-11-01T05:30Z', 'America/New_York', '01:30 EDT'],
  ['2026-11-01T06:30Z', 'America/New_York', '01:30 EST'],
  ['2026-11-01T07:00Z', 'America/New_York', '02:00'],
  ['2026-04-04T15:45Z', 'Australia/Sydney', '02:45 GMT+11'],
  ['2026-04-04T16:45Z', 'Australia/Sydney', '02:45 GMT+10'],
  // By half an hour.
  ['2026-04-04T14:45Z', 'Australia/Lord_Howe', '01:45 GMT+11'],
  ['2026-04-04T15:15Z', 'Australia/Lord_Howe', '01:45 GMT+10:30'],
  ['2026-04-04T14:15Z', 'Australia/Lord_Howe', '01:15'],
  ['2026-04-04T15:45Z', 'Australia/Lord_Howe', '02:15'],
  ['2026-10-25T01:30Z', 'Asia/Shanghai', '09:30'],
  ['2026-10-25T16:05Z', 'Asia/Shanghai', '00:05'],
  ['2026-10-25T01:30Z', '+05:30', '07:00'],
  ['2026-10-25T01:30Z', 'UTC', '01:30'],
])('%s in %s is %s', (at, timeZone, words) => {
  expect(clockTime(Date.parse(at), { timeZone, isNamed: false })).toBe(words);
});

test.each([
  ['UTC', '14:02 UTC'],
  ['Asia/Shanghai', '22:02 GMT+8'],
  ['Asia/Kolkata', '19:32 GMT+5:30'],
  ['America/New_York', '10:02 EDT'],
])('is named where it could be misread: %s', (timeZone, words) => {
  expect(clockTime(Date.UTC(2026, 5, 1, 14, 2), { timeZone, isNamed: true })).toBe(words);
});

test('a day begins at midnight there', () => {
  const zone = { timeZone: 'Asia/Tokyo', isNamed: false };
  const [before, after] = [Date.UTC(2026, 2, 3, 14, 59), Date.UTC(2026, 2, 3, 15, 0)];
  expect([dayWords(before, zone), dayWords(after, zone)]).toEqual(['3 Mar 2026', '4 Mar 2026']);
  expect(isSameDay(before, after, zone)).toBe(false);
  expect(isSameDay(before, after, { timeZone: 'UTC', isNamed: false })).toBe(true);
});
