import type { Language } from './words.ts';

/** By which clock people read a time. */
export interface ReadersZone {
  /** A name that Node knows, or an offset. */
  readonly timeZone: string;
  /** Some of them may be elsewhere: a time names its zone. */
  readonly isNamed: boolean;
}

/** For whom a text is written. */
export interface Reader extends ReadersZone {
  readonly language: Language;
}

/** The time for people: `14:02`. Where it could be misread, with its zone: `14:02 UTC`, `14:02 GMT+2`. */
export function clockTime(at: number, { timeZone, isNamed }: ReadersZone): string {
  const time = timeOfDay(at, timeZone);
  if (!isNamed && !isTwice(at, timeZone)) return time;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'short' });
  return `${time} ${partsOf(format, at)('timeZoneName')}`;
}

/** `14:02`, in a place whose zone is clear. */
export function timeOfDay(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const part = partsOf(format, at);
  return `${part('hour')}:${part('minute')}`;
}

/** Whether the clocks show this time twice, since they are set back. */
function isTwice(at: number, timeZone: string): boolean {
  const offset = offsetAt(at, timeZone);
  // Some hours are more than any place sets its clocks back.
  const others = [at - threeHours, at + threeHours].map((near) => offsetAt(near, timeZone));
  return others.some((other) => other !== offset && offsetAt(at + offset - other, timeZone) === other);
}

const threeHours = 3 * 3_600_000;

/** The day for people: `4 Mar 2026`, `2026年3月4日`. */
export function dayWords(at: number, { timeZone, language = 'en' }: ReadersZone & Partial<Reader>): string {
  const locale = language === 'zh' ? 'zh-CN' : 'en-GB';
  return new Date(at).toLocaleDateString(locale, { timeZone, day: 'numeric', month: 'short', year: 'numeric' });
}

/** Whether both are on one day there. */
export function isSameDay(one: number, other: number, zone: ReadersZone): boolean {
  return dayWords(one, zone) === dayWords(other, zone);
}

/** A duration for people: `40 s`, `3 min`, `2 h 5 min`, `3 days`; `2 小时 5 分钟`. */
export function durationWords(milliseconds: number, language: Language = 'en'): string {
  const unit = units[language];
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return `${Math.floor(milliseconds / 1000)} ${unit.second}`;
  if (minutes < 60) return `${minutes} ${unit.minute}`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)} ${unit.days}`;
  return minutes % 60 === 0 ? `${hours} ${unit.hour}` : `${hours} ${unit.hour} ${minutes % 60} ${unit.minute}`;
}

/** A short duration, exactly: `0.1 s`, `1 min 1 s`. */
export function secondsWords(milliseconds: number, language: Language = 'en'): string {
  const unit = units[language];
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} ${unit.second}`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} ${unit.minute} ${seconds % 60} ${unit.second}`;
}

const units = {
  en: { second: 's', minute: 'min', hour: 'h', days: 'days' },
  zh: { second: '秒', minute: '分钟', hour: '小时', days: '天' },
} as const;

/**
 * This machine's time zone: `Europe/Berlin`. Its offset, such as `+08:00`, if `TZ` is empty or holds something else than a
 * name that Node knows: then Node names no zone, or one that it refuses.
 */
export function machineTimeZone(): string {
  const named: unknown = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (typeof named === 'string' && isTimeZone(named)) return named;
  const minutes = -new Date().getTimezoneOffset();
  if (minutes === 0) return 'UTC';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) =>
    `${part}`.padStart(2, '0'),
  );
  return `${minutes < 0 ? '-' : '+'}${hours}:${rest}`;
}

/** For what is read at this machine. */
export function machineZone(): ReadersZone {
  return { timeZone: machineTimeZone(), isNamed: false };
}

/** Whether Node knows this time zone: `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const form = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?\s*(?:([Zz])|([+-])(\d\d):?(\d\d))?$/;

/**
 * The instant of an ISO date and time, read with its offset if it has one, otherwise in the time zone. A time that
 * occurs twice means the first; one that the clocks skip moves forward by as much. Undefined if the text is not a valid
 * time.
 */
export function readInstant(text: string, timeZone: string): number | undefined {
  const [, ...parts] = form.exec(text.trim()) ?? [];
  const [year, month, day, hour, minute, second = '0', zulu, sign, offsetHours, offsetMinutes] = parts;
  if (year === undefined) return undefined;
  const local = instantOf([year, month, day, hour, minute, second].map(Number));
  if (local === undefined) return undefined;
  if (zulu !== undefined) return local;
  if (sign === undefined) return fromLocal(local, timeZone);
  // No place has a larger offset.
  if (Number(offsetHours) > 14 || Number(offsetMinutes) > 59) return undefined;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  return sign === '-' ? local + offset : local - offset;
}

/** Why a date or a time of the right form is none, in a sentence: `April has 30 days.` Undefined if the form is wrong. */
export function dateFault(text: string): string | undefined {
  const [, ...parts] = form.exec(text.trim()) ?? [];
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(0, 6)
    .map((part) => Number(part ?? 0));
  if (parts.length === 0) return undefined;
  if (month < 1 || month > 12) return `There is no month ${month}.`;
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const name = new Date(Date.UTC(year, month - 1)).toLocaleDateString('en-GB', { month: 'long', timeZone: 'UTC' });
  if (date < 1 || date > days) return `${name}${month === 2 ? ` ${year}` : ''} has ${days} days.`;
  if (hour > 23) return `Hours run from 00 to 23: 24:00 is 00:00 of the next day.`;
  if (minute > 59 || second > 59) return 'Minutes and seconds run from 00 to 59.';
  return 'No place has such an offset from UTC.';
}

/** The time in a time zone, for people: `Mon 30 Mar 2026, 09:00`, `2026年3月30日周一 09:00`. */
export function zonedWords(at: number, timeZone: string, language: Language = 'en'): string {
  if (language === 'en') return localTime(at + offsetAt(at, timeZone));
  const weekday = new Date(at).toLocaleDateString('zh-CN', { timeZone, weekday: 'short' });
  return `${dayWords(at, { timeZone, isNamed: false, language })}${weekday} ${timeOfDay(at, timeZone)}`;
}

/** A local time, given as if it were UTC: `Mon 30 Mar 2026, 09:00`. */
export function localTime(local: number): string {
  const date = new Date(local);
  const [weekday = '', month = ''] = [weekdays[date.getUTCDay()], months[date.getUTCMonth()]];
  const day = `${weekday.slice(0, 3)} ${date.getUTCDate()} ${month.slice(0, 3)} ${date.getUTCFullYear()}`;
  return `${day}, ${twoDigits(date.getUTCHours())}:${twoDigits(date.getUTCMinutes())}`;
}

/** The day of a local time, given as if it were UTC, in full: `Sunday, 29 November 2026`. */
export function fullDay(local: number): string {
  const date = new Date(local);
  return `${weekdays[date.getUTCDay()]}, ${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

const weekdays: readonly string[] = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months: readonly string[] =
  'January February March April May June July August September October November December'.split(' ');

function twoDigits(number: number): string {
  return `${number}`.padStart(2, '0');
}

/** Reads the parts as UTC. Undefined if there is no such date or time. */
function instantOf([year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0]: readonly number[]) {
  const instant = Date.UTC(year, month - 1, day, hour, minute, second);
  const back = new Date(instant);
  const isSame = back.getUTCMonth() === month - 1 && back.getUTCDate() === day && back.getUTCHours() === hour;
  return isSame && minute < 60 && second < 60 ? instant : undefined;
}

const day = 86_400_000;

/** Relies on no zone changing its offset twice in two days. */
function fromLocal(local: number, timeZone: string): number {
  const before = local - offsetAt(local - day, timeZone);
  const after = local - offsetAt(local + day, timeZone);
  const meant = [before, after].filter((at) => at + offsetAt(at, timeZone) === local);
  return meant.length === 0 ? before : Math.min(...meant);
}

/** The offset of the zone from UTC, in ms. Takes long: it makes a format. */
export function offsetAt(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' });
  // `GMT`, `GMT+02:00`, and with seconds in times long past.
  const [sign, ...parts] = partsOf(format, at)('timeZoneName').match(/[+-]|\d\d/g) ?? [];
  const [hours = 0, minutes = 0, seconds = 0] = parts.map(Number);
  return (sign === '-' ? -1000 : 1000) * ((hours * 60 + minutes) * 60 + seconds);
}

function partsOf(format: Intl.DateTimeFormat, at: number): (name: string) => string {
  const parts = new Map<string, string>(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return (name) => parts.get(name) ?? '';
}
