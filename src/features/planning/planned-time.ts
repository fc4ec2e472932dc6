import { type CronSlots, readCron } from '../../lib/cron-slots.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';
import { dateFault, readInstant, zonedWords } from '../../lib/time-words.ts';
import { readTimeZone, zoneFault, zoneName } from '../../lib/time-zone-names.ts';
import type { Language } from '../../lib/words.ts';
import { cronPlan } from './cron-plan.ts';
import type { Schedule } from './tables.ts';
import { planningWords } from './words.ts';

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
export function whenWords(
  { cron, timeZone, nextAt }: Pick<Schedule, 'cron' | 'timeZone' | 'nextAt'>,
  language: Language = 'en',
): string {
  const words = planningWords[language];
  const zone = zoneName(timeZone);
  if (cron !== undefined) return words.again({ plan: cronPlan(cron), zone });
  return words.once({ time: words.instant({ at: nextAt, clock: { timeZone, isNamed: false } }), zone });
}

/** The same for a time that the model asked for and nobody has validated. */
export function wantedWords({ cron, at, inMinutes, timeZone }: WantedTime, language: Language): string {
  const words = planningWords[language];
  const reading = readTimeZone(timeZone);
  const zone = escapeMarkdown(reading.type === 'zone' ? zoneName(reading.timeZone) : timeZone);
  if (cron !== undefined) return words.again({ plan: cronPlan(cron), zone });
  if (at === undefined) return words.inMinutes({ minutes: inMinutes ?? 0 });
  const hasOffset = /(?:Z|[+-]\d\d:?\d\d)$/i.test(at);
  const time = escapeMarkdown(at.replace(/(\d)T(\d)/i, '$1 $2'));
  return words.once({ time, zone: hasOffset ? undefined : zone });
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
