import { type CronSlots, readCron } from '../../lib/cron-slots.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';
import { dateFault, readInstant, zonedWords } from '../../lib/time-words.ts';
import { readTimeZone, zoneFault, zoneName } from '../../lib/time-zone-names.ts';
import type { Schedule } from './tables.ts';

export interface WantedTime {
  readonly cron?: string | undefined;
  readonly at?: string | undefined;
  readonly inMinutes?: number | undefined;
  /** As somebody wrote it. */
  readonly timeZone: string;
}

/** `first`: its first due times. */
type PlannedTime =
  | { readonly nextAt: number; readonly first: readonly number[]; readonly timeZone: string }
  | { readonly fault: string };

/** Resolves a requested time. Refuses times in the past, and cron expressions that never match. */
export async function plannedTime(wanted: WantedTime, now: number): Promise<PlannedTime> {
  const { cron, at, inMinutes } = wanted;
  const reading = readTimeZone(wanted.timeZone);
  if (reading.type !== 'zone') {
    const ask = reading.type === 'ambiguous' ? ' If it is not clear, ask the person.' : '';
    return { fault: `${zoneFault(wanted.timeZone, reading)}${ask}` };
  }
  const { timeZone } = reading;
  if (cron !== undefined) return firstSlots(cron, timeZone, now);
  const instant = at === undefined ? now + Math.round((inMinutes ?? 0) * 60_000) : readInstant(at, timeZone);
  if (instant === undefined) {
    const why = dateFault(at ?? '');
    if (why !== undefined) return { fault: `at: there is no ${JSON.stringify(at)}. ${why}` };
    return { fault: `at: expected a date and a time such as "2026-03-30T09:00", got ${JSON.stringify(at)}.` };
  }
  if (instant <= now) return { fault: `That is past. ${nowWords(now, timeZone)}` };
  return { nextAt: instant, first: [instant], timeZone };
}

/** The current time, for a model that calculates with it. */
export function nowWords(now: number, timeZone: string): string {
  return `Now it is ${zonedWords(now, timeZone)} (${zoneName(timeZone)}).`;
}

/** The schedule in words: `every weekday at 09:00, Europe/Berlin`. */
export function whenWords({ cron, timeZone, nextAt }: Pick<Schedule, 'cron' | 'timeZone' | 'nextAt'>): string {
  return `${cron === undefined ? `once, ${zonedWords(nextAt, timeZone)}` : cronWords(cron)}, ${zoneName(timeZone)}`;
}

/** The same for a time that the model asked for and nobody has validated. */
export function wantedWords({ cron, at, inMinutes, timeZone }: WantedTime): string {
  const reading = readTimeZone(timeZone);
  const zone = escapeMarkdown(reading.type === 'zone' ? zoneName(reading.timeZone) : timeZone);
  if (cron !== undefined) return `${cronWords(cron)}, ${zone}`;
  if (at === undefined) return `in ${inMinutes ?? 0} min`;
  const hasOffset = /(?:Z|[+-]\d\d:?\d\d)$/i.test(at);
  return `once, ${escapeMarkdown(at.replace(/(\d)T(\d)/i, '$1 $2'))}${hasOffset ? '' : `, ${zone}`}`;
}

async function firstSlots(cron: string, timeZone: string, now: number): Promise<PlannedTime> {
  const reading = await readCron(cron, timeZone);
  if (!reading.valid) return { fault: `cron: ${reading.fault} Example: "0 9 * * 1-5" is every weekday at 09:00.` };
  const first = slotsAfter(reading.slots, now, 3);
  const [nextAt] = first;
  if (nextAt === undefined) return { fault: `cron: ${JSON.stringify(cron)} is a time that never comes.` };
  return { nextAt, first, timeZone };
}

function slotsAfter(slots: CronSlots, after: number, most: number): readonly number[] {
  const next = most === 0 ? undefined : slots.next(after);
  return next === undefined ? [] : [next, ...slotsAfter(slots, next, most - 1)];
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const shortNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** A simple cron expression in words, such as `every weekday at 09:00`; otherwise the expression itself. */
export function cronWords(expression: string): string {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = expression.trim().toUpperCase().split(/\s+/);
  const days = month === '*' ? dayWords(day, weekday) : undefined;
  const often = oftenWords(minute, hour);
  const times = often ?? timeWords(minute, hour);
  if (days === undefined || times === undefined) return `at the times of \`${expression.replaceAll('`', '')}\``;
  if (often === undefined) return `${days} ${times}`;
  return days === 'every day' ? often : `${often}, ${days}`;
}

/** Several times a day, at a fixed interval. */
function oftenWords(minute: string, hour: string): string | undefined {
  const minutes = minute === '*' ? 'every minute' : intervalWords(minute, 60, 'minutes');
  if (hour === '*' && minutes !== undefined) return minutes;
  const hours = hour === '*' ? 'every hour' : intervalWords(hour, 24, 'hours');
  return hours !== undefined && isNumber(minute, 59) ? `${hours} at minute ${Number(minute)}` : undefined;
}

/** At one time of the day, or at several. */
function timeWords(minute: string, hour: string): string | undefined {
  const hours = hour.split(',');
  if (!isNumber(minute, 59) || !hours.every((one) => isNumber(one, 23))) return undefined;
  return `at ${listWords(hours.map((one) => `${two(one)}:${two(minute)}`))}`;
}

function dayWords(day: string, weekday: string): string | undefined {
  if (day === '*') return weekdayWords(weekday);
  if (weekday !== '*') return undefined;
  if (day === 'L') return 'on the last day of every month';
  return isNumber(day, 31) ? `on day ${Number(day)} of every month` : undefined;
}

function weekdayWords(weekday: string): string | undefined {
  if (weekday === '*') return 'every day';
  const numbers = shortNames.reduce((text, name, number) => text.replaceAll(name, String(number)), weekday);
  if (numbers === '1-5') return 'every weekday';
  if (/^(?:[06],[67]|6-7)$/.test(numbers)) return numbers === '6,6' ? undefined : 'every Saturday and Sunday';
  const list = numbers.split(',');
  if (!list.every((one) => isNumber(one, 7))) return undefined;
  return `every ${listWords(list.map((one) => weekdays[Number(one)] ?? ''))}`;
}

/** Only steps that divide the range: others leave a shorter gap at its end. */
function intervalWords(field: string, whole: number, unit: string): string | undefined {
  const step = Number(/^\*\/(\d{1,2})$/.exec(field)?.[1]);
  return step > 1 && whole % step === 0 ? `every ${step} ${unit}` : undefined;
}

function isNumber(text: string, most: number): boolean {
  return /^\d{1,2}$/.test(text) && Number(text) <= most;
}

function two(text: string): string {
  return text.padStart(2, '0');
}

function listWords(items: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(items);
}
