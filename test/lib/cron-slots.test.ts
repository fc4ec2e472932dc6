import { describe, expect, test } from 'vitest';
import { type CronSlots, readCron } from '../../src/lib/cron-slots.ts';

async function slotsOf(expression: string, timeZone: string): Promise<CronSlots> {
  const reading = await readCron(expression, timeZone);
  if (!reading.valid) throw new Error(reading.fault);
  return reading.slots;
}

/** All slots later than the one instant and not later than the other: in UTC and 2026, if they do not say otherwise. */
async function between(expression: string, timeZone: string, span: readonly [string, string]) {
  const slots = await slotsOf(expression, timeZone);
  const [from = 0, to = 0] = span.map((instant) => Date.parse(`${instant.length > 11 ? '' : '2026-'}${instant}Z`));
  const found: string[] = [];
  for (let at = slots.next(from); at !== undefined && at <= to; at = slots.next(at)) {
    expect(slots.newest(at)).toBe(at);
    expect(slots.newest(at + 59_999)).toBe(at);
    found.push(new Date(at).toISOString().slice(5, 16));
  }
  return found.join(' ');
}

const spring = ['03-28T12:00', '03-30T12:00'] as const;
const autumn = ['10-24T12:00', '10-26T12:00'] as const;
const newYorkSpring = ['03-07T12:00', '03-09T12:00'] as const;
const newYorkAutumn = ['10-31T12:00', '11-02T12:00'] as const;
const lordHoweSpring = ['10-02T20:00', '10-04T20:00'] as const;
const lordHoweAutumn = ['04-03T20:00', '04-05T20:00'] as const;

const [berlin, newYork, lordHowe] = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'] as const;

const table: readonly (readonly [string, string, readonly [string, string], string])[] = [
  // In Berlin, 02:00 becomes 03:00.
  ['30 2 * * *', berlin, spring, '03-29T01:00 03-30T00:30'],
  ['0 2 * * *', berlin, spring, '03-29T01:00 03-30T00:00'],
  ['0 3 * * *', berlin, spring, '03-29T01:00 03-30T01:00'],
  ['0 9 * * *', berlin, spring, '03-29T07:00 03-30T07:00'],
  ['0,30 2 * * *', berlin, spring, '03-29T01:00 03-30T00:00 03-30T00:30'],
  ['30 2,14 * * *', berlin, spring, '03-28T13:30 03-29T01:00 03-29T12:30 03-30T00:30'],
  ['*/30 * * * *', berlin, ['03-29T00:00', '03-29T02:00'], '03-29T00:30 03-29T01:00 03-29T01:30 03-29T02:00'],
  ['0 * * * *', berlin, ['03-28T23:00', '03-29T03:00'], '03-29T00:00 03-29T01:00 03-29T02:00 03-29T03:00'],
  // And 03:00 becomes 02:00.
  ['30 2 * * *', berlin, autumn, '10-25T00:30 10-26T01:30'],
  ['0 3 * * *', berlin, autumn, '10-25T02:00 10-26T02:00'],
  ['0 9 * * *', berlin, autumn, '10-25T08:00 10-26T08:00'],
  ['0,30 2 * * *', berlin, autumn, '10-25T00:00 10-25T00:30 10-26T01:00 10-26T01:30'],
  ['*/30 * * * *', berlin, ['10-25T00:00', '10-25T02:00'], '10-25T00:30 10-25T01:00 10-25T01:30 10-25T02:00'],
  ['0 * * * *', berlin, ['10-24T23:00', '10-25T03:00'], '10-25T00:00 10-25T01:00 10-25T02:00 10-25T03:00'],
  ['0 9 * * 1-5', berlin, ['03-26T12:00', '03-31T12:00'], '03-27T08:00 03-30T07:00 03-31T07:00'],
  ['0 9 * * 1-5', berlin, ['10-22T12:00', '10-27T12:00'], '10-23T07:00 10-26T08:00 10-27T08:00'],
  // In New York, 02:00 becomes 03:00 on 8 March and 01:00 on 1 November.
  ['30 2 * * *', newYork, newYorkSpring, '03-08T07:00 03-09T06:30'],
  ['30 1 * * *', newYork, newYorkAutumn, '11-01T05:30 11-02T06:30'],
  ['0 9 * * *', newYork, newYorkSpring, '03-07T14:00 03-08T13:00'],
  ['0 9 * * *', newYork, newYorkAutumn, '10-31T13:00 11-01T14:00'],
  // On Lord Howe Island, clocks move by half an hour: 02:00 becomes 02:30 on 4 October and 01:30 on 5 April.
  ['15 2 * * *', lordHowe, lordHoweSpring, '10-03T15:30 10-04T15:15'],
  ['45 1 * * *', lordHowe, lordHoweAutumn, '04-04T14:45 04-05T15:15'],
  ['*/15 * * * *', lordHowe, ['10-03T15:00', '10-03T16:00'], '10-03T15:15 10-03T15:30 10-03T15:45 10-03T16:00'],
  // In Kolkata they never move.
  ['0 9 * * *', 'Asia/Kolkata', spring, '03-29T03:30 03-30T03:30'],
  ['0 12 29 2 *', 'UTC', ['01-01T00:00', '2029-01-01T00:00'], '02-29T12:00'],
];

test.each(table)(
  '"%s" in %s is due at exactly these times: between %s',
  async (expression, timeZone, span, expected) => {
    expect(await between(expression, timeZone, span)).toBe(expected);
  },
);

describe('a cron expression is refused', () => {
  test.each([
    [
      '* * * * * *',
      'expected five fields (minute, hour, day of the month, month, day of the week), got 6. There is no field',
    ],
    ['@daily', 'expected five fields'],
    ['0 9', 'expected five fields'],
    ['61 9 * * *', 'Invalid value for minute: 61.'],
    ['a b c d e', ''],
    ['0 9 * * MOM', ''],
  ])('that says "%s"', async (expression, fault) => {
    const reading = await readCron(expression, 'UTC');
    expect(reading).toEqual({ valid: false, fault: expect.stringContaining(fault) });
  });

  test('in a time zone that nobody knows', async () => {
    expect((await readCron('0 9 * * *', 'Nowhere/Else')).valid).toBe(false);
  });

  test('not because it never comes: then it has no slots', async () => {
    const slots = await slotsOf('0 0 30 2 *', 'UTC');
    expect([slots.next(Date.now()), slots.newest(Date.now())]).toEqual([undefined, undefined]);
  });
});
