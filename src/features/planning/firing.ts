import type { OutboundMessage } from '../../contract.ts';
import { noticeTo } from '../../engine/message.ts';
import type { CronReading } from '../../lib/cron-slots.ts';
import { escapeMarkdown, nameCode, oneLine, personWords } from '../../lib/plain-text.ts';
import { durationWords, isTimeZone, zonedWords } from '../../lib/time-words.ts';
import { zoneName } from '../../lib/time-zone-names.ts';
import { eventTag, oneName, quotation } from '../../words/model-words.ts';
import { whenWords } from './planned-time.ts';
import type { DueSchedule, Firing } from './tables.ts';

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
  const { id, type, timeZone } = schedule;
  const ending = { schedule, at: now };
  // A new version of the time zone database may lack an old zone.
  const zoneFault = isTimeZone(timeZone) ? undefined : `there is no time zone ${timeZone}.`;
  const fault = cron?.valid === false ? cron.fault : zoneFault;
  if (fault !== undefined) return { ...ending, result: 'broken', notice: brokenNotice(schedule, fault) };
  if (!isWelcome)
    return { ...ending, result: 'revoked', told: { principals: owners, markdown: revokedWords(schedule) } };

  const slots = cron?.valid === true ? cron.slots : undefined;
  const slot = Math.max(schedule.nextAt, slots?.newest(now) ?? 0);
  const going = { ...ending, nextAt: slots?.next(now) };
  const isTooLate = now - slot > Math.max(facts.catchUp, onTime);
  if (isTooLate && cron !== undefined) return { ...going, result: 'skipped' };
  const due: Due = {
    ...schedule,
    slot: `${zonedWords(slot, timeZone)}, ${zoneName(timeZone)}`,
    late: now - slot <= onTime ? undefined : durationWords(now - slot),
  };
  const event = (kind: string, lines: readonly string[]) => ({
    key: `schedule:${id}:${slot}`,
    text: `<${eventTag} kind="${kind}" schedule="${id}">\n${[...lines, quotation(schedule.text)].join('\n')}\n</${eventTag}>`,
    wantsAnswer: kind === 'scheduled_task',
  });
  if (isTooLate)
    return { ...going, result: 'missed', event: event('schedule_missed', missedLines(due)), notice: missedNotice(due) };
  if (type === 'task') return { ...going, result: 'fired', event: event('scheduled_task', taskLines(due)) };
  return { ...going, result: 'fired', event: event('reminder', reminderLines(due)), notice: reminderNotice(due) };
}

interface Due extends DueSchedule {
  /** The due time in words, with its time zone. */
  readonly slot: string;
  /** The delay in words, if it is late. */
  readonly late: string | undefined;
}

/** Asks the model to do a due task. The task is quoted as its maker's words. */
function taskLines(due: Due): readonly string[] {
  const { title, slot, late } = due;
  const name = oneName(due.name);
  return [
    `It is time for ${title === undefined ? 'a task' : `the task "${oneName(title)}"`} that ${name} has planned here: ${whenWords(due)}.`,
    `Planned for ${slot}.${late === undefined ? '' : ` It is ${late} late, since Keyturn was away.`}`,
    `${name} wants it done now, and asked for it in these words, which count as if they were said just now:`,
  ];
}

/** Tells the model about a delivered reminder, as context for replies. */
function reminderLines({ name, slot }: Due): readonly string[] {
  return [`Keyturn has said the reminder that ${oneName(name)} had planned for ${slot}:`];
}

/** Tells the model about an entry that was missed because Keyturn was away too long. */
function missedLines({ name, slot }: Due): readonly string[] {
  return [`Keyturn was away at ${slot}, and has told people that this was missed, which ${oneName(name)} had planned:`];
}

/** Names its person in a group. Several lines are quoted, so that they cannot pass for Keyturn's own words. */
function reminderNotice({ conversation, principal, name, text, slot, late }: Due): OutboundMessage {
  const whom = conversation.kind === 'direct' ? '' : `${personWords({ principal, name })}: `;
  const lateness = late === undefined ? '' : `\n\n(I am ${late} late: this was for ${escapeMarkdown(slot)}.)`;
  const head = `⏰ ${whom}`;
  const said = text.includes('\n') ? `${head.trimEnd()}\n\n${text.replaceAll(/^/gm, '> ')}` : `${head}${text}`;
  return { ...noticeTo({}, `${said}${lateness}`), kind: 'for_user' };
}

/** The notice about a one-time entry that was missed. */
function missedNotice({ type, text, slot }: Due): OutboundMessage {
  const what = `${type} for ${escapeMarkdown(slot)}`;
  return noticeTo({}, `⚠️ I was away, and have missed the ${what}. It is too late for it now: ${quoted(text)}`);
}

function brokenNotice({ type, title, text }: DueSchedule, fault: string): OutboundMessage {
  const why = `its times can no longer be read: ${escapeMarkdown(fault)} Please plan it again.`;
  return noticeTo({}, `⚠️ The ${type} ${quoted(title ?? text)} has ended, because ${why}`);
}

/** The notice to owners about an entry whose maker may no longer talk there. Leaves out its text, which is private. */
function revokedWords(schedule: DueSchedule): string {
  const { type, name, principal, conversation } = schedule;
  const { kind, title, channel } = conversation;
  const group = title === undefined ? 'a group' : nameCode(title);
  const place = `${kind === 'direct' ? 'a direct chat' : group} on ${channel}`;
  const when = escapeMarkdown(whenWords(schedule));
  return `A ${type} that ${personWords({ principal, name })} had planned in ${place} (${when}) has ended: ${nameCode(name)} may no longer talk there.`;
}

function quoted(text: string): string {
  return `“${escapeMarkdown(oneLine(text, 300))}”`;
}
