import { z } from 'zod';
import type { FeatureCore } from '../../feature-points.ts';
import { newId } from '../../lib/ids.ts';
import { inlineCode, markdownLine, oneLine } from '../../lib/plain-text.ts';
import { machineTimeZone, zonedWords } from '../../lib/time-words.ts';
import type { Schedule } from '../../store/schedules.ts';
import { readableText, textInput } from '../../tools/arguments.ts';
import { error, llmOnly, readFrom, storing, type ToolOutput } from '../../tools/output.ts';
import { cleanText, withoutTurns } from '../../tools/text.ts';
import { defineTool, type Tool, type ToolContext } from '../../tools/tool.ts';
import { nowWords, plannedTime, type WantedTime, wantedWords, whenWords } from './planned-time.ts';

const timeZone = textInput(60, 'An IANA name such as "Europe/Berlin".').optional();

const scheduling = z
  .strictObject({
    action: z.enum(['create', 'list', 'cancel']),
    task: readableText(2000)
      .optional()
      .describe('For create: what to do each time, as a request to yourself that says all that is needed.'),
    cron: textInput(
      200,
      'For create, again and again: minute, hour, day of the month, month, day of the week. "0 9 * * 1-5"',
    ).optional(),
    at: textInput(
      60,
      'For create, once: "2026-03-30T09:00" in the time zone, or with an offset "2026-03-30T09:00+02:00".',
    ).optional(),
    time_zone: timeZone,
    title: textInput(80, 'For create: a few words to know it by.').optional(),
    id: textInput(40, 'For cancel: as list shows it.').optional(),
  })
  .superRefine(({ action, task, cron, at, id }, context) => {
    const refuse = (key: string, message: string): void => context.addIssue({ code: 'custom', path: [key], message });
    if (action === 'cancel' && id === undefined) refuse('id', 'say which one; list shows the ids');
    if (action !== 'create') return;
    if (task === undefined) refuse('task', 'say what to do');
    if (cron === undefined && at === undefined) refuse('at', 'say when: "at" for once, or "cron" for again and again');
    if (cron !== undefined && at !== undefined)
      refuse('at', 'give "at" for once or "cron" for again and again, not both');
  });

const reminding = z
  .strictObject({
    text: readableText(1000).describe('What to say then, in words for the person.'),
    at: textInput(60, '"2026-03-30T09:00" in the time zone, or with an offset "2026-03-30T09:00+02:00".').optional(),
    in_minutes: z.number().min(0.1).max(527_040).optional().describe('So many minutes from now.'),
    time_zone: timeZone,
  })
  .superRefine(({ at, in_minutes }, context) => {
    if ((at === undefined) !== (in_minutes === undefined)) return;
    const message = at === undefined ? 'say when: "at" or "in_minutes"' : 'give "at" or "in_minutes", not both';
    context.addIssue({ code: 'custom', path: ['at'], message });
  });

/** The tools that plan. `planned`: called after an entry was stored, with its due time. */
export function planningTools(
  { store: { schedules }, accounts, clock, config }: FeatureCore,
  planned: (at: number) => void,
): { readonly schedule: Tool; readonly remind: Tool } {
  return {
    /** Plans a request for later in the same conversation, once or repeatedly. Also lists and cancels reminders. */
    schedule: defineTool({
      name: 'schedule',
      displayName: 'Schedule',
      category: 'memory',
      description: [
        'Plans something that you are to do later in this chat, once or again and again; lists what the person has planned, and cancels it.',
        'Tasks and reminders both are listed and cancelled here. To only say something at a time, use remind.',
        'Times are in the usual time zone here unless time_zone says otherwise. The result names it and shows the dates: check them against what was wanted.',
      ].join(' '),
      input: scheduling,
      facets: ({ action }) => ({ writesMemory: action !== 'list', private: action === 'list', leavesNothing: true }),
      describeCall: ({ action, task = '', title, cron, at, time_zone, id = '' }) => {
        if (action === 'list') return 'list what is planned';
        if (action === 'cancel') return `cancel what is planned as ${inlineCode(oneLine(id, 40))}`;
        const named = title === undefined ? '' : ` ${inlineCode(oneLine(title, 80))}`;
        const when = markdownLine(wantedWords({ cron, at, timeZone: zoneOf(time_zone) }), 300);
        return `plan the task${named}, ${when}: ${inlineCode(oneLine(task, 200))}`;
      },
      async execute({ action, task = '', title, cron, at, time_zone, id = '' }, context) {
        const timeZone = zoneOf(time_zone);
        if (action === 'list') return list(timeZone, context);
        if (action === 'cancel') return cancel(id, context);
        const what = { type: 'task', title, text: cleanText(task).trim(), cron, timeZone } as const;
        return plan(what, { cron, at, timeZone }, context, (entry, first) => {
          const dates = first.map((instant) => zonedWords(instant, timeZone)).join('; ');
          return `Planned as ${entry.id}: ${whenWords(entry)}. Due: ${dates}${cron === undefined ? '' : '; and so on'}.`;
        });
      },
    }),
    /** Delivers a text at a time, in the conversation it was requested in, without asking the model. */
    remind: defineTool({
      name: 'remind',
      displayName: 'Remind',
      category: 'memory',
      description: [
        'Says a text in this chat at a time, once. You are not asked then: for what you have to do yourself, or what comes again and again, use schedule.',
        'Reminders are listed and cancelled with schedule.',
        'Times are in the usual time zone here unless time_zone says otherwise. The result names it and shows the date: check it.',
      ].join(' '),
      input: reminding,
      facets: ({ text }) => ({ writesMemory: true, leavesNothing: true, sends: [text] }),
      describeCall: ({ text, at, in_minutes: inMinutes, time_zone }) =>
        `remind here, ${markdownLine(wantedWords({ at, inMinutes, timeZone: zoneOf(time_zone) }), 300)}: ${inlineCode(oneLine(text, 200))}`,
      execute({ text: written, at, in_minutes: inMinutes, time_zone }, context) {
        const timeZone = zoneOf(time_zone);
        const what = { type: 'reminder', text: withoutTurns(cleanText(written)).trim(), timeZone } as const;
        return plan(what, { at, inMinutes, timeZone }, context, (entry) => {
          return `The reminder ${entry.id} is set: ${whenWords(entry)}.`;
        });
      },
    }),
  };

  /** By default, that of the config or of this machine, whose first lookup takes some ms. */
  function zoneOf(wanted: string | undefined): string {
    return wanted ?? config.tools.schedule.time_zone ?? machineTimeZone();
  }

  /** Stores an entry. `words`: the result for the model, given the first due times. */
  async function plan(
    what: Pick<Schedule, 'type' | 'title' | 'text' | 'cron' | 'timeZone'>,
    wanted: WantedTime,
    { conversationId, sender }: ToolContext,
    words: (entry: Schedule, first: readonly number[]) => string,
  ): Promise<ToolOutput> {
    const now = clock.now();
    const time = await plannedTime(wanted, now);
    if ('fault' in time) return error(`Not planned. ${time.fault}`);
    const { nextAt, first } = time;
    const entry: Schedule = { ...what, id: newId(6), conversationId, ...sender, nextAt, createdAt: now };
    return storing({
      apply() {
        const { max_entries: most } = config.tools.schedule;
        if (schedules.add(entry, most, accounts.accountsOf(entry.principal)) === 'added')
          return llmOnly(`${words(entry, first)} ${nowWords(now, entry.timeZone)}`);
        return error(
          `Not planned: this person has ${most} tasks and reminders, which is the limit. Use schedule with the action list, and cancel what is no longer needed.`,
        );
      },
      stored: () => planned(nextAt),
    });
  }

  async function list(timeZone: string, { kind, conversationId, sender }: ToolContext): Promise<ToolOutput> {
    const all = await schedules.ofPerson(accounts.accountsOf(sender.principal));
    // A group reads along: entries of other chats stay private.
    const here = all.filter((entry) => kind === 'direct' || entry.conversationId === conversationId);
    const elsewhere = all.length - here.length;
    const lines = here.map((entry) => lineOf(entry, conversationId));
    if (lines.length === 0) lines.push('Nothing is planned here by this person.');
    if (elsewhere > 0) lines.push(`What was planned in other chats (${elsewhere}) is listed there.`);
    return readFrom(here, 'plans', [...lines, nowWords(clock.now(), timeZone)].join('\n'));
  }

  function cancel(id: string, { sender: { principal }, kind, conversationId }: ToolContext): ToolOutput {
    const where = kind === 'direct' ? {} : { conversationId };
    const asked = { id, principal, accounts: accounts.accountsOf(principal), ...where, at: clock.now() };
    return storing({
      apply() {
        const ended = schedules.cancel(asked);
        if (ended === undefined)
          return error(
            `Nothing that this person has planned here has the id ${JSON.stringify(id)}. The action list shows the ids.`,
          );
        const words = `Cancelled ${ended.id}, the ${ended.type} ${whenWords(ended)}: ${oneLine(ended.text, 200)}`;
        return readFrom([ended], 'plans', words);
      },
    });
  }
}

function lineOf(entry: Schedule, here: string): string {
  const { id, type, title, text, timeZone, nextAt, cron, conversationId } = entry;
  const next = cron === undefined ? '' : ` · next ${zonedWords(nextAt, timeZone)}`;
  const named = title === undefined ? '' : ` · ${oneLine(title, 80)}`;
  const where = conversationId === here ? '' : ' · in another chat';
  return `- ${id} · ${type}${named} · ${whenWords(entry)}${next}${where} · ${oneLine(text, 200)}`;
}
