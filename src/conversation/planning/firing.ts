import { missedEvent, type PlannedThing, reminderEvent, scheduledTaskEvent } from '../../agent/daemon-event.ts';
import type { CronReading } from '../../lib/cron-slots.ts';
import { durationWords } from '../../lib/duration.ts';
import { isTimeZone, zonedWords } from '../../lib/zoned-time.ts';
import { whenWords } from '../../tools/builtin/planning/planned-time.ts';
import type { DueSchedule, Firing } from './due-store.ts';
import { brokenNotice, missedNotice, reminderNotice, revokedWords } from './planning-notices.ts';

/** What a firing depends on beside what is due. */
export interface FiringFacts {
  readonly now: number;
  /** What its cron expression says; left out where it is due once. */
  readonly cron?: CronReading;
  /** Its maker may still talk there. */
  readonly isWelcome: boolean;
  /** How late it may be done, in milliseconds. */
  readonly catchUp: number;
  /** Who is told of what ended because its maker may not talk any more. */
  readonly owners: readonly string[];
}

/** What is late by less than that is not late, and is never too late; in milliseconds. */
const onTime = 60_000;

/**
 * What happens to something that is due. Of all times that were missed, the newest alone counts, and what comes next is
 * later than now: so none ever fires twice.
 */
export function firingOf(schedule: DueSchedule, facts: FiringFacts): Firing {
  const { now, cron, isWelcome, owners } = facts;
  const ending = { schedule, at: now };
  const fault = cron?.valid === false ? cron.fault : zoneFault(schedule);
  if (fault !== undefined) return { ...ending, result: 'broken', notice: brokenNotice(schedule, fault) };
  if (!isWelcome) {
    const markdown = revokedWords(schedule);
    return { ...ending, result: 'revoked', told: { principals: owners, markdown } };
  }

  const slots = cron?.valid === true ? cron.slots : undefined;
  const slot = Math.max(schedule.nextAt, slots?.newest(now) ?? 0);
  const nextAt = slots?.next(now);
  const going = { ...ending, ...(nextAt === undefined ? {} : { nextAt }) };
  const thing = thingOf(schedule, slot, now);
  if (now - slot <= Math.max(facts.catchUp, onTime))
    return { ...going, result: 'fired', ...doing(schedule, slot, thing) };
  if (cron !== undefined) return { ...going, result: 'skipped' };
  const event = { key: keyOf(schedule, slot), text: missedEvent(thing), wantsAnswer: false };
  return { ...going, result: 'missed', event, notice: missedNotice(schedule, thing) };
}

/** A later version of the machine's time zones need not know all of an earlier one. */
function zoneFault({ timeZone }: DueSchedule): string | undefined {
  return isTimeZone(timeZone) ? undefined : `there is no time zone ${timeZone}.`;
}

function doing(schedule: DueSchedule, slot: number, thing: PlannedThing): Pick<Firing, 'event' | 'notice'> {
  const key = keyOf(schedule, slot);
  switch (schedule.type) {
    case 'task':
      return { event: { key, text: scheduledTaskEvent(thing), wantsAnswer: true } };
    case 'reminder':
      return {
        event: { key, text: reminderEvent(thing), wantsAnswer: false },
        notice: reminderNotice(schedule, thing),
      };
  }
}

function keyOf({ id }: DueSchedule, slot: number): string {
  return `schedule:${id}:${slot}`;
}

function thingOf(schedule: DueSchedule, slot: number, now: number): PlannedThing {
  const { id, name, title, text, timeZone } = schedule;
  return {
    id,
    name,
    text,
    ...(title === undefined ? {} : { title }),
    slot: `${zonedWords(slot, timeZone)}, ${timeZone}`,
    when: whenWords(schedule),
    ...(now - slot <= onTime ? {} : { late: durationWords(now - slot) }),
  };
}
