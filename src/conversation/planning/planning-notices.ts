import type { PlannedThing } from '../../agent/daemon-event.ts';
import type { OutboundMessage } from '../../contract.ts';
import { escapeMarkdown, oneLine } from '../../lib/plain-text.ts';
import { whenWords } from '../../tools/builtin/planning/planned-time.ts';
import type { ScheduleType } from '../../tools/builtin/planning/schedule-store.ts';
import { noticeTo } from '../notice.ts';
import type { DueSchedule } from './due-store.ts';

/**
 * The reminder itself. In a group it says whom it is for. More than one line of it is a quotation: none of it can pass for
 * what Keyturn says itself.
 */
export function reminderNotice(
  { conversation, name, text }: DueSchedule,
  { slot, late }: PlannedThing,
): OutboundMessage {
  const whom = conversation.kind === 'direct' ? '' : `${shortened(name)}: `;
  const lateness = late === undefined ? '' : `\n\n(I am ${late} late: this was for ${escapeMarkdown(slot)}.)`;
  const head = `⏰ ${whom}`;
  const said = text.includes('\n') ? `${head.trimEnd()}\n\n${text.replaceAll(/^/gm, '> ')}` : `${head}${text}`;
  return { ...noticeTo({}, `${said}${lateness}`), kind: 'for_user' };
}

/** What was to be done or said once, and was missed by too much. */
export function missedNotice({ type, text }: DueSchedule, { slot }: PlannedThing): OutboundMessage {
  const what = `${noun(type)} for ${escapeMarkdown(slot)}`;
  return noticeTo({}, `⚠️ I was away, and have missed the ${what}. It is too late for it now: ${quoted(text)}`);
}

/** What can't be fired any more. */
export function brokenNotice({ type, title, text }: DueSchedule, fault: string): OutboundMessage {
  const what = `The ${noun(type)} ${quoted(title ?? text)} has ended`;
  return noticeTo(
    {},
    `⚠️ ${what}, because its times can no longer be read: ${escapeMarkdown(fault)} Please plan it anew.`,
  );
}

/** What owners are told of what has ended because its maker may not talk there any more. What it says is not theirs. */
export function revokedWords(schedule: DueSchedule): string {
  const { type, name, principal, conversation } = schedule;
  const place = conversation.kind === 'direct' ? 'a direct chat' : shortened(conversation.title ?? 'a group');
  const when = escapeMarkdown(whenWords(schedule));
  const who = `${shortened(name)} (${escapeMarkdown(principal)})`;
  return `A ${noun(type)} that ${who} had planned in ${place} on ${conversation.channel} (${when}) has ended: ${shortened(name)} may no longer talk there.`;
}

function noun(type: ScheduleType): string {
  return type === 'task' ? 'task' : 'reminder';
}

function shortened(name: string): string {
  return escapeMarkdown(oneLine(name, 60));
}

function quoted(text: string): string {
  return `“${escapeMarkdown(oneLine(text, 300))}”`;
}
