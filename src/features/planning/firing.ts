import type { OutboundMessage } from '../../contract.ts';
import { noticeTo } from '../../engine/message.ts';
import type { CronReading } from '../../lib/cron-slots.ts';
import { escapeMarkdown, nameCode, oneLine, personWords } from '../../lib/plain-text.ts';
import { durationWords, isTimeZone } from '../../lib/time-words.ts';
import { zoneName } from '../../lib/time-zone-names.ts';
import type { InLanguage, Language } from '../../lib/words.ts';
import { eventTag, oneName, quotation } from '../../words/model-words.ts';
import { whenWords } from './planned-time.ts';
import type { DueSchedule, ExtraRun, Firing } from './tables.ts';
import { planningWords } from './words.ts';

interface FiringFacts {
  readonly now: number;
  /** Its parsed cron expression; left out for a one-time entry. */
  readonly cron?: CronReading;
  /** Whether its maker may still talk there. */
  readonly isWelcome: boolean;
  /** How late it may still run, in ms. */
  readonly catchUp: number;
  /** Of those who read along there. */
  readonly language: Language;
  /** Who is notified if it ended because its maker may no longer talk there. */
  readonly owners: readonly { readonly principal: string; readonly language: Language }[];
}

/** A delay up to this does not count as late, in ms. */
const onTime = 60_000;

/** What a due entry does. Only the newest missed slot counts, and the next is later than now: none fires twice. */
export function firingOf(schedule: DueSchedule, facts: FiringFacts): Firing {
  const { now, cron, isWelcome, owners, language } = facts;
  const { id, type, timeZone } = schedule;
  const ending = { schedule, at: now };
  // A new version of the time zone database may lack an old zone.
  const zoneFault = isTimeZone(timeZone) ? undefined : planningWords[language].noZone({ zone: timeZone });
  const fault = cron?.valid === false ? cron.fault : zoneFault;
  if (fault !== undefined) return { ...ending, result: 'broken', notice: brokenNotice(schedule, fault, language) };
  if (!isWelcome) {
    const told = owners.map((owner) => ({
      principal: owner.principal,
      markdown: revokedWords(schedule, owner.language),
    }));
    return { ...ending, result: 'revoked', told };
  }

  const slots = cron?.valid === true ? cron.slots : undefined;
  const slot = Math.max(schedule.nextAt, slots?.newest(now) ?? 0);
  const going = { ...ending, nextAt: slots?.next(now) };
  const isTooLate = now - slot > Math.max(facts.catchUp, onTime);
  if (isTooLate && cron !== undefined) return { ...going, result: 'skipped' };
  const due: Due = {
    ...schedule,
    slotIn: slotIn(slot, timeZone),
    late: now - slot <= onTime ? undefined : now - slot,
  };
  const event = (kind: string, lines: readonly string[]) => ({
    key: `schedule:${id}:${slot}`,
    text: `<${eventTag} kind="${kind}" schedule="${id}">\n${[...lines, quotation(schedule.text)].join('\n')}\n</${eventTag}>`,
    wantsAnswer: kind === 'scheduled_task',
  });
  if (isTooLate)
    return {
      ...going,
      result: 'missed',
      event: event('schedule_missed', missedLines(due)),
      notice: missedNotice(due, language),
    };
  if (type === 'task') return { ...going, result: 'fired', event: event('scheduled_task', taskLines(due)) };
  return {
    ...going,
    result: 'fired',
    event: event('reminder', reminderLines(due)),
    notice: reminderNotice(due, language),
  };
}

/** What an entry does when a person wants it now, besides its times. `stamp`: the same for what is to be done only once. */
export function extraRunOf(
  schedule: DueSchedule,
  { stamp, language }: { readonly stamp: string; readonly language: Language },
): Pick<ExtraRun, 'event' | 'notice'> {
  const { id, type, text, timeZone, nextAt } = schedule;
  const isTask = type === 'task';
  const kind = isTask ? 'scheduled_task' : 'reminder';
  const lines = [...(isTask ? extraTaskLines(schedule) : extraReminderLines(schedule)), quotation(text)];
  const event = {
    key: `schedule:${id}:now:${stamp}`,
    text: `<${eventTag} kind="${kind}" schedule="${id}">\n${lines.join('\n')}\n</${eventTag}>`,
    wantsAnswer: isTask,
  };
  if (isTask) return { event };
  return {
    event,
    notice: reminderNotice({ ...schedule, slotIn: slotIn(nextAt, timeZone), late: undefined }, language),
  };
}

function extraTaskLines({ title, name, ...schedule }: DueSchedule): readonly string[] {
  const task = title === undefined ? 'a task' : `the task "${oneName(title)}"`;
  return [
    `${oneName(name)} has planned ${task} here: ${whenWords(schedule)}. They want it done now as well, once; its times stay.`,
    `${oneName(name)} asked for it in these words, which count as if they were said just now:`,
  ];
}

function extraReminderLines({ name }: DueSchedule): readonly string[] {
  return [`Keyturn has said this reminder now, because ${oneName(name)}, who had planned it, wanted to hear it:`];
}

/** The due time in words, with its time zone. */
function slotIn(slot: number, timeZone: string): InLanguage {
  return (language) => {
    const words = planningWords[language];
    const time = words.instant({ at: slot, clock: { timeZone, isNamed: false } });
    return words.slot({ time, zone: zoneName(timeZone) });
  };
}

interface Due extends DueSchedule {
  readonly slotIn: InLanguage;
  /** In ms, if it is late. */
  readonly late: number | undefined;
}

/** Asks the model to do a due task. The task is quoted as its maker's words. */
function taskLines(due: Due): readonly string[] {
  const { title, slotIn, late } = due;
  const name = oneName(due.name);
  return [
    `It is time for ${title === undefined ? 'a task' : `the task "${oneName(title)}"`} that ${name} has planned here: ${whenWords(due)}.`,
    `Planned for ${slotIn('en')}.${late === undefined ? '' : ` It is ${durationWords(late)} late, since Keyturn was away.`}`,
    `${name} wants it done now, and asked for it in these words, which count as if they were said just now:`,
  ];
}

/** Tells the model about a delivered reminder, as context for replies. */
function reminderLines({ name, slotIn }: Due): readonly string[] {
  return [`Keyturn has said the reminder that ${oneName(name)} had planned for ${slotIn('en')}:`];
}

/** Tells the model about an entry that was missed because Keyturn was away too long. */
function missedLines({ name, slotIn }: Due): readonly string[] {
  return [
    `Keyturn was away at ${slotIn('en')}, and has told people that this was missed, which ${oneName(name)} had planned:`,
  ];
}

/** Names its person in a group. Several lines are quoted, so that they cannot pass for Keyturn's own words. */
function reminderNotice(
  { conversation, principal, name, text, slotIn: slot, late }: Due,
  language: Language,
): OutboundMessage {
  const isLong = text.includes('\n');
  const markdown = planningWords[language].reminder({
    person: conversation.kind === 'direct' ? undefined : personWords({ principal, name }),
    text: isLong ? text.replaceAll(/^/gm, '> ') : text,
    isLong,
    late,
    slot: escapeMarkdown(slot(language)),
  });
  return { ...noticeTo({}, markdown), kind: 'for_user' };
}

/** The notice about a one-time entry that was missed. */
function missedNotice({ type, text, slotIn: slot }: Due, language: Language): OutboundMessage {
  const facts = { type, text: shown(text), slot: escapeMarkdown(slot(language)) };
  return noticeTo({}, planningWords[language].missed(facts));
}

function brokenNotice({ type, title, text }: DueSchedule, fault: string, language: Language): OutboundMessage {
  const facts = { type, text: shown(title ?? text), fault: escapeMarkdown(fault) };
  return noticeTo({}, planningWords[language].broken(facts));
}

/** The notice to owners about an entry whose maker may no longer talk there. Leaves out its text, which is private. */
function revokedWords(schedule: DueSchedule, language: Language): string {
  const { type, name, principal, conversation } = schedule;
  const { kind, title, channel } = conversation;
  return planningWords[language].revoked({
    type,
    person: personWords({ principal, name }),
    name: nameCode(name),
    channel,
    chat: { kind, title: title === undefined ? undefined : nameCode(title) },
    when: escapeMarkdown(whenWords(schedule, language)),
  });
}

function shown(text: string): string {
  return escapeMarkdown(oneLine(text, 300));
}
