import { expect, test } from 'vitest';
import { createZoneWriters } from '../../src/lib/zone-writer.ts';

/** As the platform itself writes it. */
function byIntl(timeZone: string): (at: number) => { readonly time: string; readonly day: string } {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (at) => {
    const parts = new Map<string, string>(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const [weekday = '', date, month = '', year] = ['weekday', 'day', 'month', 'year'].map((name) => parts.get(name));
    return {
      time: `${weekday.slice(0, 3)} ${date} ${month.slice(0, 3)} ${year}, ${parts.get('hour')}:${parts.get('minute')}`,
      day: `${weekday}, ${date} ${month} ${year}`,
    };
  };
}

const from = Date.UTC(2000, 0, 1);
const quarter = 900_000;

test('the writer of times writes what the platform writes, in every time zone', () => {
  const writers = createZoneWriters();
  for (const [index, timeZone] of Intl.supportedValuesOf('timeZone').entries()) {
    const [writer, expected] = [writers(timeZone), byIntl(timeZone)];
    for (let step = 0; step < 8; step += 1) {
      const at = from + index * 7_777_777_777 + step * 12_345_678_901;
      expect({ time: writer.time(at), day: writer.day(at) }, `${timeZone} at ${at}`).toEqual(expected(at));
    }
  }
});

/** Days of UTC on which clocks there change: by an hour, by half of one, at midnight, and by a whole day. */
const changes: readonly (readonly [timeZone: string, day: string])[] = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-04-04'],
  ['Asia/Beirut', '2026-03-28'],
  ['Pacific/Apia', '2011-12-30'],
  ['Asia/Kathmandu', '2026-01-01'],
];

test.each(changes)('in %s, each quarter of an hour of %s and of the days beside it is right', (timeZone, day) => {
  const [writer, expected] = [createZoneWriters()(timeZone), byIntl(timeZone)];
  const start = Date.parse(`${day}T00:00:00Z`);
  for (let at = start - 96 * quarter; at < start + 192 * quarter; at += quarter)
    for (const moment of [at, at + 1, at + quarter - 1])
      expect({ time: writer.time(moment), day: writer.day(moment) }).toEqual(expected(moment));
});

test('a zone is looked up once, and its writer stays the same', () => {
  const writers = createZoneWriters();
  expect(writers('Asia/Tokyo')).toBe(writers('Asia/Tokyo'));
});
