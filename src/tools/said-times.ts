/* Dates and times of day as people write them, for comparing them with the arguments of a call. */

/** A date, with a time of day or without. */
export interface Moment {
  /** As 2024-05-19. */
  readonly date: string;
  /** In minutes. */
  readonly minutes: number;
  /** True if there is no time of day. */
  readonly time?: true;
}

/** Reads a whole text as a date, with or without a time: `2024-05-19`, `2024-05-19 12:00`, `2024-05-19t12:00:00`. */
export function momentOf(text: string): Moment | undefined {
  const [, date, hours, minutes] = /^(\d{4}-\d\d-\d\d)(?:[t ](\d\d):(\d\d)(?::00(?:\.0{1,6})?)?)?$/.exec(text) ?? [];
  if (date === undefined) return undefined;
  if (hours === undefined) return { date, minutes: 0, time: true };
  return { date, minutes: Number(hours) * 60 + Number(minutes) };
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const month = `(${months.join('|')})[a-z]{0,7}\\.?`;
const day = '(\\d{1,2})(?:st|nd|rd|th)?';
const year = '(?:,? (\\d{4}))?';

/**
 * The dates in a text in lower case. One without a year counts for each year that the text names, and for none if it
 * names none.
 */
export function datesIn(text: string): ReadonlySet<string> {
  const years = [...text.matchAll(/(?<!\d)((?:19|20)\d\d)(?!\d)/g)].map(([, one = '']) => one);
  const dates = new Set<string>();
  const add = (ofYear: string | undefined, ofMonth: number, ofDay: number): void =>
    addDays(dates, ofYear === undefined ? years : [ofYear], [ofMonth, ofDay]);
  const each = (pattern: string): IterableIterator<RegExpExecArray> => text.matchAll(new RegExp(pattern, 'g'));
  for (const [, y, m, d] of each('(?<!\\d)(\\d{4})[-/.](\\d{1,2})[-/.](\\d{1,2})(?!\\d)')) add(y, Number(m), Number(d));
  for (const [, d, m, y] of each('(?<!\\d)(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4})(?!\\d)')) add(y, Number(m), Number(d));
  for (const [, y, m, d] of each('(?:(\\d{4})年)?(\\d{1,2})月(\\d{1,2})[日号]')) add(y, Number(m), Number(d));
  for (const [, m = '', d, y] of each(`(?<![a-z])${month} ${day}(?![\\d:])${year}`)) add(y, monthOf(m), Number(d));
  for (const [, d, m = '', y] of each(`(?<![\\d:])${day}(?: of)? ${month}(?![a-z])${year}`))
    add(y, monthOf(m), Number(d));
  return dates;
}

/** The day of the month in each of the years. */
function addDays(dates: Set<string>, years: readonly string[], [ofMonth, ofDay]: readonly [number, number]): void {
  for (const one of years) dates.add(`${one}-${String(ofMonth).padStart(2, '0')}-${String(ofDay).padStart(2, '0')}`);
}

function monthOf(name: string): number {
  return months.indexOf(name) + 1;
}

/** The times of day in a text in lower case, in minutes, and each of them after each of the durations in the text. */
export function timesIn(text: string): ReadonlySet<number> {
  const clock = [...text.matchAll(/(?<![\d:])(\d{1,2})(?::(\d\d))?(?::00)? ?(am|pm)?(?![\d:\p{L}])/gu)].flatMap(
    ([, hours = '', minutes, half]) =>
      minutes === undefined && half === undefined
        ? []
        : (Number(hours) % (half === undefined ? 24 : 12)) * 60 + Number(minutes ?? 0) + (half === 'pm' ? 720 : 0),
  );
  const lengths = [...text.matchAll(durations)].map(
    ([, count = '', unit = '']) => (counts.get(count) ?? Number(count)) * (unit.startsWith('h') ? 60 : 1),
  );
  const different = [...new Set(lengths)].slice(0, mostLengths);
  const ends = [...new Set(clock)].flatMap((time) => different.map((length) => time + length));
  return new Set([...clock, ...ends.filter((time) => time < 1440)]);
}

/** No message of a person names more. */
const mostLengths = 50;

const durations =
  /(?<![\p{L}\d])(\d{1,3}(?:\.5)?|half an|an|a|one|two|three|four|five|six)[ -](hours?|minutes?|min|h)(?!\p{L})/gu;

const counts: ReadonlyMap<string, number> = new Map([
  ['half an', 0.5],
  ['an', 1],
  ['a', 1],
  ['one', 1],
  ['two', 2],
  ['three', 3],
  ['four', 4],
  ['five', 5],
  ['six', 6],
]);
