import { offsetAt, type ReadersZone, readInstant } from '../../lib/time-words.ts';

/** Days of the reader. `until` is the first instant after it; undefined: it is not over. */
export interface Period {
  readonly name: 'today' | 'yesterday' | 'days';
  /** As it is typed: `today`, `7d`. */
  readonly typed: string;
  readonly from: number;
  readonly until: number | undefined;
}

const mostDays = 90;

/** Parses `today`, `yesterday`, `7d` (today and the six days before it; at most 90). Undefined for anything else. */
export function periodOf(word: string, now: number, { timeZone }: ReadersZone): Period | undefined {
  const midnight = (daysAgo: number): number => beginningOf(daysAgo, now, timeZone);
  if (word === '' || word === 'today') return { name: 'today', typed: 'today', from: midnight(0), until: undefined };
  if (word === 'yesterday') return { name: 'yesterday', typed: word, from: midnight(1), until: midnight(0) };
  const [, number] = /^(\d{1,2})d?$/.exec(word) ?? [];
  const days = Number(number ?? 0);
  if (days < 1 || days > mostDays) return undefined;
  return { name: days === 1 ? 'today' : 'days', typed: `${days}d`, from: midnight(days - 1), until: undefined };
}

/** When that day began for the reader. */
function beginningOf(daysAgo: number, now: number, timeZone: string): number {
  const local = new Date(now + offsetAt(now, timeZone));
  const day = new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate() - daysAgo));
  return readInstant(`${day.toISOString().slice(0, 10)}T00:00`, timeZone) ?? day.getTime();
}
