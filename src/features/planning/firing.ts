import type { OutboundMessage } from '../../contract.ts';
import { noticeTo } from '../../engine/message.ts';
import type { CronReading } from '../../lib/cron-slots.ts';
import { escapeMarkdown, nameCode, oneLine, personWords } from '../../lib/plain-text.ts';
import { durationWords, isTimeZone, zonedWords } from '../../lib/time-words.ts';
import type { DueSchedule, Firing, ScheduleType } from '../../store/schedules.ts';
import { eventTag, oneName, quotation } from '../../words/model-words.ts';
import { whenWords } from './planned-time.ts';

interface FiringFacts {
  readonly now: number;
  /** Its parsed cron expression; left out for a one-time entry. */
  readonly cron?: CronReading;
  /** Whether its maker may still talk there. */
  readonly isWelcome: boolean;
  /** How late it may still run, in ms. */
  readonly catchUp: number;
  /** Who is notified if it ended because its maker may no longer talk there. */
  readonly owners: readonly string[];
}

/** A delay up to this does not count as late, in ms. */
const onTime = 60_000;

/** What a due entry does. Only the newest missed slot counts, and the next is later than now: none fires twice. */
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
  const going = { ...ending, nextAt };
  const thing = thingOf(schedule, slot, now);
  if (now - slot <= Math.max(facts.catchUp, onTime))
    return { ...going, result: 'fired', ...doing(schedule, slot, thing) };
  if (cron !== undefined) return { ...going, result: 'skipped' };
  const event = { key: keyOf(schedule, slot), text: missedEvent(thing), wantsAnswer: false };
  return { ...going, result: 'missed', event, notice: missedNotice(schedule, thing) };
}

/** A new version of the time zone database may lack an old zone. */
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
    ...{ id, name, title, text },
    slot: `${zonedWords(slot, timeZone)}, ${timeZone}`,
    when: whenWords(schedule),
    late: now - slot <= onTime ? undefined : durationWords(now - slot),
  };
}

/** Names its person in a group. Several lines are quoted, so that they cannot pass for Keyturn's own words. */
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

/** The notice about a one-time entry that was missed. */
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

/** The notice to owners about an entry whose maker may no longer talk there. Leaves out its text, which is private. */
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
  readonly title?: string | undefined;
  readonly text: string;
  /** The due time in words, with its time zone. */
  readonly slot: string;
  /** Its schedule in words. */
  readonly when: string;
  /** The delay in words, if it is late. */
  readonly late?: string | undefined;
}

/** Asks the model to do a due task. The task is quoted as its maker's words. */
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
  return eventOf('scheduled_task', id, lines);
}

/** Tells the model about a delivered reminder, as context for replies. */
function reminderEvent({ id, name, slot, text }: PlannedThing): string {
  const lines = [`Keyturn has said the reminder that ${oneName(name)} had planned for ${slot}:`, quotation(text)];
  return eventOf('reminder', id, lines);
}

/** Tells the model about an entry that was missed because Keyturn was away too long. */
function missedEvent({ id, name, slot, text }: PlannedThing): string {
  const lines = [
    `Keyturn was away at ${slot}, and has told people that this was missed, which ${oneName(name)} had planned:`,
    quotation(text),
  ];
  return eventOf('schedule_missed', id, lines);
}

function eventOf(kind: string, id: string, lines: readonly string[]): string {
  return `<${eventTag} kind="${kind}" schedule="${id}">\n${lines.join('\n')}\n</${eventTag}>`;
}
