import { z } from 'zod';
import type { FeatureCore } from '../../feature-points.ts';
import { newId } from '../../lib/ids.ts';
import { inlineCode, markdownLine, oneLine } from '../../lib/plain-text.ts';
import { zonedWords } from '../../lib/time-words.ts';
import { zoneName } from '../../lib/time-zone-names.ts';
import { readableText, textInput } from '../../tools/arguments.ts';
import { isBlank } from '../../tools/blank-arguments.ts';
import { error, llmOnly, readFrom, storing, type ToolOutput } from '../../tools/output.ts';
import { cleanText, withoutTurns } from '../../tools/text.ts';
import { conversationOf, defineTool, type Tool, type ToolContext, type ToolScope } from '../../tools/tool.ts';
import { nowWords, plannedTime, type WantedTime, wantedWords, whenWords } from './planned-time.ts';
import { planningSettings } from './settings.ts';
import type { Schedule, ScheduleStore } from './tables.ts';

const timeZone = textInput(60, 'An IANA name such as "Europe/Berlin", a city, or an offset such as "UTC+8".')
  .refine((zone) => !isBlank(zone), 'expected a time zone')
  .optional();

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

/**
 * The tools that plan, for one person in one place. `planned`: called after an entry was stored, with its due time.
 * Without a scope: for their definitions.
 */
export function planningTools(
  { store: { timeZones: asked }, accounts, timeZones, clock, settings }: FeatureCore,
  schedules: Pick<ScheduleStore, 'add' | 'ofPerson' | 'cancel'>,
  planned: (at: number) => void,
  scope: ToolScope | undefined,
): { readonly schedule: Tool; readonly remind: Tool } {
  const values = settings(planningSettings);
  const usual = scope && timeZones.of(scope.sender.principal, conversationOf(scope));
  // A person must be asked again about a call that would mean another time by now.
  const fingerprint = usual === undefined || ['config', 'machine'].includes(usual.source) ? undefined : usual.timeZone;
  return {
    /** Plans a request for later in the same conversation, once or repeatedly. Also lists and cancels reminders. */
    schedule: defineTool({
      name: 'schedule',
      displayName: 'Schedule',
      category: 'memory',
      fingerprint,
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
        if (action === 'list') return list(zoneOf(undefined), context);
        if (action === 'cancel') return cancel(id, context);
        const what = { type: 'task', title, text: cleanText(task).trim(), cron } as const;
        return plan(what, { cron, at, timeZone: time_zone }, context, (entry, first) => {
          const dates = first.map((instant) => zonedWords(instant, entry.timeZone)).join('; ');
          return `Planned as ${entry.id}: ${whenWords(entry)}. Due: ${dates}${cron === undefined ? '' : '; and so on'}.`;
        });
      },
    }),
    /** Delivers a text at a time, in the conversation it was requested in, without asking the model. */
    remind: defineTool({
      name: 'remind',
      displayName: 'Remind',
      category: 'memory',
      fingerprint,
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
        const what = { type: 'reminder', text: withoutTurns(cleanText(written)).trim() } as const;
        return plan(what, { at, inMinutes, timeZone: time_zone }, context, (entry) => {
          return `The reminder ${entry.id} is set: ${whenWords(entry)}.`;
        });
      },
    }),
  };

  function zoneOf(wanted: string | undefined): string {
    return wanted ?? usual?.timeZone ?? 'UTC';
  }

  /** Stores an entry. `words`: the result for the model, given the first due times. */
  async function plan(
    what: Pick<Schedule, 'type' | 'title' | 'text' | 'cron'>,
    wanted: Partial<WantedTime>,
    { conversationId, sender }: ToolContext,
    words: (entry: Schedule, first: readonly number[]) => string,
  ): Promise<ToolOutput> {
    const now = clock.now();
    const time = await plannedTime({ ...wanted, timeZone: zoneOf(wanted.timeZone) }, now);
    if ('fault' in time) return error(`Not planned. ${time.fault}`);
    const { nextAt, first, timeZone } = time;
    const entry: Schedule = { ...what, timeZone, id: newId(6), conversationId, ...sender, nextAt, createdAt: now };
    const isGuess = wanted.timeZone === undefined && wanted.inMinutes === undefined && usual?.source === 'machine';
    return storing({
      apply() {
        const { max_entries: most } = values.tools.schedule;
        const own = accounts.accountsOf(entry.principal);
        if (schedules.add(entry, most, own) === 'added') {
          const ask = isGuess && asked.askOnce(own, now) ? [whereWords(timeZone)] : [];
          return llmOnly(
            [words(entry, first), ...readWords(wanted.timeZone, timeZone), nowWords(now, timeZone), ...ask].join(' '),
          );
        }
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

/** How a zone was read that is no IANA name. */
function readWords(written: string | undefined, timeZone: string): readonly string[] {
  if (written === undefined || written === timeZone || zoneName(timeZone) === written) return [];
  return [
    `${JSON.stringify(written)} was read as ${zoneName(timeZone)}${timeZone.includes('/') ? ', the IANA name' : ''}.`,
  ];
}

/** Has the model ask a person, once, where they are. */
function whereWords(timeZone: string): string {
  return `Nobody has said where this person is: ${zoneName(timeZone)} is only the time zone of the machine. Say so to them, ask whether it is right, and tell them that /timezone and a city, such as /timezone Shanghai, sets theirs. If it was wrong, plan this again.`;
}

function lineOf(entry: Schedule, here: string): string {
  const { id, type, title, text, timeZone, nextAt, cron, conversationId } = entry;
  const next = cron === undefined ? '' : ` · next ${zonedWords(nextAt, timeZone)}`;
  const named = title === undefined ? '' : ` · ${oneLine(title, 80)}`;
  const where = conversationId === here ? '' : ' · in another chat';
  return `- ${id} · ${type}${named} · ${whenWords(entry)}${next}${where} · ${oneLine(text, 200)}`;
}
