import type { OutboundMessage } from '../../contract.ts';
import { noticeTo } from '../../engine/message.ts';
import type { CronReading } from '../../lib/cron-slots.ts';
import { escapeMarkdown, nameCode, oneLine, personWords } from '../../lib/plain-text.ts';
import { durationWords } from '../../lib/time-words.ts';
import { isTimeZone, zonedWords } from '../../lib/zoned-time.ts';
import type { DueSchedule, Firing, ScheduleType } from '../../store/schedules.ts';
import { eventTag, oneName, quotation } from '../../words/model-words.ts';
import { whenWords } from './planned-time.ts';

interface FiringFacts {
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

/**
 * The reminder itself. In a group it says whom it is for. More than one line of it is a quotation: none of it can pass for
 * what Keyturn says itself.
 */
function reminderNotice(
  { conversation, principal, name, text }: DueSchedule,
  { slot, late }: PlannedThing,
): OutboundMessage {
  const whom = conversation.kind === 'direct' ? '' : `${personWords({ principal, name })}: `;
  const lateness = late === undefined ? '' : `\n\n(I am ${late} late: this was for ${escapeMarkdown(slot)}.)`;
  const head = `⏰ ${whom}`;
  const said = text.includes('\n') ? `${head.trimEnd()}\n\n${text.replaceAll(/^/gm, '> ')}` : `${head}${text}`;
  return { ...noticeTo({}, `${said}${lateness}`), kind: 'for_user' };
}

/** What was to be done or said once, and was missed by too much. */
function missedNotice({ type, text }: DueSchedule, { slot }: PlannedThing): OutboundMessage {
  const what = `${noun(type)} for ${escapeMarkdown(slot)}`;
  return noticeTo({}, `⚠️ I was away, and have missed the ${what}. It is too late for it now: ${quoted(text)}`);
}

function brokenNotice({ type, title, text }: DueSchedule, fault: string): OutboundMessage {
  const what = `The ${noun(type)} ${quoted(title ?? text)} has ended`;
  return noticeTo(
    {},
    `⚠️ ${what}, because its times can no longer be read: ${escapeMarkdown(fault)} Please plan it again.`,
  );
}

/** What owners are told of what has ended because its maker may not talk there any more. What it says is not theirs. */
function revokedWords(schedule: DueSchedule): string {
  const { type, name, principal, conversation } = schedule;
  const place =
    conversation.kind === 'direct'
      ? 'a direct chat'
      : conversation.title === undefined
        ? 'a group'
        : nameCode(conversation.title);
  const when = escapeMarkdown(whenWords(schedule));
  const who = personWords({ principal, name });
  return `A ${noun(type)} that ${who} had planned in ${place} on ${conversation.channel} (${when}) has ended: ${nameCode(name)} may no longer talk there.`;
}

function noun(type: ScheduleType): string {
  return type === 'task' ? 'task' : 'reminder';
}

function quoted(text: string): string {
  return `“${escapeMarkdown(oneLine(text, 300))}”`;
}

interface PlannedThing {
  readonly id: string;
  readonly name: string;
  readonly title?: string;
  readonly text: string;
  /** For when: an instant in words, with its time zone. */
  readonly slot: string;
  /** How often or when it is due, in words. */
  readonly when: string;
  /** How long ago it was due, in words, if it is late. */
  readonly late?: string;
}

/** What the model is asked when a planned task is due. The task stands as a quotation of the one who planned it. */
function scheduledTaskEvent(task: PlannedThing): string {
  const { id, title, slot, when, late, text } = task;
  const name = oneName(task.name);
  const lateness = late === undefined ? '' : ` It is ${late} late, since Keyturn was away.`;
  const lines = [
    `It is time for ${title === undefined ? 'a task' : `the task "${oneName(title)}"`} that ${name} has planned here: ${when}.`,
    `Planned for ${slot}.${lateness}`,
    `${name} wants it done now, and asked for it in these words, which count as if they were said just now:`,
    quotation(text),
  ];
  return `<${eventTag} kind="scheduled_task" schedule="${id}">\n${lines.join('\n')}\n</${eventTag}>`;
}

/** What the model is told of a reminder that people have read, for what they say to it. */
function reminderEvent({ id, name, slot, text }: PlannedThing): string {
  const lines = [`Keyturn has said the reminder that ${oneName(name)} had planned for ${slot}:`, quotation(text)];
  return `<${eventTag} kind="reminder" schedule="${id}">\n${lines.join('\n')}\n</${eventTag}>`;
}

/** What the model is told of something that was not done, because Keyturn was away for too long. */
function missedEvent({ id, name, slot, text }: PlannedThing): string {
  const lines = [
    `Keyturn was away at ${slot}, and has told people that this was missed, which ${oneName(name)} had planned:`,
    quotation(text),
  ];
  return `<${eventTag} kind="schedule_missed" schedule="${id}">\n${lines.join('\n')}\n</${eventTag}>`;
}
