import { signal } from '@preact/signals';
import { language, languageTag } from './language.ts';

/** Now, in ms since 1970, as far as what is drawn cares: it moves every half minute. */
export const now = signal(Date.now());

const tickMs = 30_000;

/** Lets time pass. Called once. */
export function followTime(): void {
  setInterval(() => {
    now.value = Date.now();
  }, tickMs);
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago, or how far ahead: "5 minutes ago". What is far away is a date. Read it while you draw. */
export function relative(at: number): string {
  const distance = at - Math.max(now.value, now.peek());
  const size = Math.abs(distance);
  const words = new Intl.RelativeTimeFormat(languageTag(language.value), { numeric: 'auto' });
  if (size < minute) return words.format(0, 'second');
  if (size < hour) return words.format(Math.trunc(distance / minute), 'minute');
  if (size < day) return words.format(Math.trunc(distance / hour), 'hour');
  if (size < 7 * day) return words.format(Math.trunc(distance / day), 'day');
  return dateOf(at);
}

/** The day: "5 Mar 2026". */
export function dateOf(at: number): string {
  return new Intl.DateTimeFormat(languageTag(language.value), { dateStyle: 'medium' }).format(at);
}

/** The day and the time, exactly. */
export function absolute(at: number): string {
  const format: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'medium' };
  return new Intl.DateTimeFormat(languageTag(language.value), format).format(at);
}

/** The time of the day: "14:05". */
export function clockTime(at: number): string {
  return new Intl.DateTimeFormat(languageTag(language.value), { timeStyle: 'short' }).format(at);
}

/** How long something took: "340 ms", "2.4 s", "3 min 10 s". */
export function duration(ms: number): string {
  if (ms < 1000) return unit(Math.round(ms), 'millisecond');
  if (ms < minute) return unit(Math.round(ms / 100) / 10, 'second');
  if (ms < hour)
    return `${unit(Math.trunc(ms / minute), 'minute')} ${unit(Math.trunc((ms % minute) / 1000), 'second')}`;
  return `${unit(Math.trunc(ms / hour), 'hour')} ${unit(Math.trunc((ms % hour) / minute), 'minute')}`;
}

function unit(count: number, name: string): string {
  const format = { style: 'unit', unit: name, unitDisplay: 'short' } as const;
  return new Intl.NumberFormat(languageTag(language.value), format).format(count);
}
