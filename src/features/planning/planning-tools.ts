import { z } from 'zod';
import type { HeldZone } from '../../conversation/access/time-zones.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { newId } from '../../lib/ids.ts';
import { inlineCode, markdownLine, oneLine } from '../../lib/plain-text.ts';
import { zonedWords } from '../../lib/time-words.ts';
import { zoneName } from '../../lib/time-zone-names.ts';
import { readableText, textInput } from '../../tools/arguments.ts';
import { isBlank } from '../../tools/blank-arguments.ts';
import { error, llmOnly, readFrom, storing, type ToolOutput, type Within } from '../../tools/output.ts';
import { cleanText, withoutTurns } from '../../tools/text.ts';
import { conversationOf, defineBuiltin, type Tool, type ToolContext, type ToolScope } from '../../tools/tool.ts';
import { nowWords, plannedTime, type WantedTime, wantedWords, whenWords } from './planned-time.ts';
import { planningSettings } from './settings.ts';
import type { Schedule, ScheduleStore } from './tables.ts';
import { planningWords } from './words.ts';

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

interface PlanningTools {
  /** Plans a request for later in the same conversation, once or repeatedly. Also lists and cancels reminders. */
  readonly schedule: Tool;
  /** Delivers a text at a time, in the conversation it was requested in, without asking the model. */
  readonly remind: Tool;
}

interface PlanningContext {
  readonly core: FeatureCore;
  readonly schedules: Pick<ScheduleStore, 'add' | 'ofPerson' | 'cancel'>;
  /** Called after an entry was stored, with its due time. */
  readonly planned: (at: number) => void;
  /** The person's time zone; undefined where only the definitions are wanted. */
  readonly usual: HeldZone | undefined;
  /** A person must be asked again about a call that would mean another time by now. */
  readonly fingerprint: string | undefined;
}

/**
 * The tools that plan, for one person in one conversation. `planned`: called after an entry was stored, with its due time.
 * Without a scope: for their definitions.
 */
export function planningTools(
  core: FeatureCore,
  schedules: PlanningContext['schedules'],
  planned: PlanningContext['planned'],
  scope: ToolScope | undefined,
): PlanningTools {
  const usual = scope && core.timeZones.of(scope.sender.principal, conversationOf(scope));
  const fingerprint = usual === undefined || ['config', 'machine'].includes(usual.source) ? undefined : usual.timeZone;
  const planning: PlanningContext = { core, schedules, planned, usual, fingerprint };
  return { schedule: scheduleTool(planning), remind: remindTool(planning) };
}

function scheduleTool(planning: PlanningContext): Tool {
  return defineBuiltin({
    name: 'schedule',
    displayName: (language) => planningWords[language].names.schedule,
    category: 'memory',
    fingerprint: planning.fingerprint,
    description: [
      'Plans something that you are to do later in this chat, once or again and again; lists what the person has planned, and cancels it.',
      'Tasks and reminders both are listed and cancelled here. To only say something at a time, use remind.',
      'Times are in the usual time zone here unless time_zone says otherwise. The result names it and shows the dates: check them against what was wanted.',
    ].join(' '),
    input: scheduling,
    facets: ({ action }) => ({ writesMemory: action !== 'list', private: action === 'list', leavesNothing: true }),
    describeCall:
      ({ action, task = '', title, cron, at, time_zone, id = '' }) =>
      (language) => {
        const words = planningWords[language];
        if (action === 'list') return words.list;
        if (action === 'cancel') return words.cancel({ id: inlineCode(oneLine(id, 40)) });
        return words.plan({
          title: title === undefined ? undefined : inlineCode(oneLine(title, 80)),
          when: markdownLine(wantedWords({ cron, at, timeZone: zoneOf(time_zone, planning) }, language), 300),
          task: inlineCode(oneLine(task, 200)),
        });
      },
    async execute({ action, task = '', title, cron, at, time_zone, id = '' }, context) {
      if (action === 'list') return list(context, planning);
      if (action === 'cancel') return cancel(id, context, planning);
      const what = { type: 'task', title, text: cleanText(task).trim(), cron } as const;
      const wanted = { cron, at, timeZone: time_zone };
      return plan({ what, wanted, resultFor: taskResult }, context, planning);
    },
  });
}

function remindTool(planning: PlanningContext): Tool {
  return defineBuiltin({
    name: 'remind',
    displayName: (language) => planningWords[language].names.remind,
    category: 'memory',
    fingerprint: planning.fingerprint,
    description: [
      'Says a text in this chat at a time, once. You are not asked then: for what you have to do yourself, or what comes again and again, use schedule.',
      'Reminders are listed and cancelled with schedule.',
      'Times are in the usual time zone here unless time_zone says otherwise. The result names it and shows the date: check it.',
    ].join(' '),
    input: reminding,
    facets: ({ text }) => ({ writesMemory: true, leavesNothing: true, sends: [text] }),
    describeCall:
      ({ text, at, in_minutes: inMinutes, time_zone }) =>
      (language) =>
        planningWords[language].remind({
          when: markdownLine(wantedWords({ at, inMinutes, timeZone: zoneOf(time_zone, planning) }, language), 300),
          text: inlineCode(oneLine(text, 200)),
        }),
    execute({ text: written, at, in_minutes: inMinutes, time_zone }, context) {
      const what = { type: 'reminder', text: withoutTurns(cleanText(written)).trim() } as const;
      const wanted = { at, inMinutes, timeZone: time_zone };
      return plan({ what, wanted, resultFor: reminderResult }, context, planning);
    },
  });
}

function zoneOf(wanted: string | undefined, { usual }: PlanningContext): string {
  return wanted ?? usual?.timeZone ?? 'UTC';
}

interface WantedEntry {
  readonly what: Pick<Schedule, 'type' | 'title' | 'text' | 'cron'>;
  readonly wanted: Partial<WantedTime>;
  /** For the model, given the first due times. */
  readonly resultFor: (entry: Schedule, first: readonly number[]) => string;
}

function taskResult(entry: Schedule, first: readonly number[]): string {
  const dates = first.map((instant) => zonedWords(instant, entry.timeZone)).join('; ');
  return `Planned as ${entry.id}: ${whenWords(entry)}. Due: ${dates}${entry.cron === undefined ? '' : '; and so on'}.`;
}

function reminderResult(entry: Schedule): string {
  return `The reminder ${entry.id} is set: ${whenWords(entry)}.`;
}

/** Stores an entry. */
async function plan(
  { what, wanted, resultFor }: WantedEntry,
  { conversationId, sender }: ToolContext,
  planning: PlanningContext,
): Promise<ToolOutput> {
  const { core, planned, usual } = planning;
  const now = core.clock.now();
  const time = await plannedTime({ ...wanted, timeZone: zoneOf(wanted.timeZone, planning) }, now);
  if ('fault' in time) return error(`Not planned. ${time.fault}`);
  const { nextAt, first, timeZone } = time;
  const entry: Schedule = { ...what, timeZone, id: newId(6), conversationId, ...sender, nextAt, createdAt: now };
  const isGuess = wanted.timeZone === undefined && wanted.inMinutes === undefined && usual?.source === 'machine';
  const timed = { entry, writtenZone: wanted.timeZone, isGuess, result: resultFor(entry, first) };
  return storing({ apply: (within) => keep(timed, planning, within), stored: () => planned(nextAt) });
}

interface TimedEntry {
  readonly entry: Schedule;
  /** As the model wrote it. */
  readonly writtenZone: string | undefined;
  /** Nobody has said in which zone the time is meant. */
  readonly isGuess: boolean;
  readonly result: string;
}

async function keep(
  { entry, writtenZone, isGuess, result }: TimedEntry,
  { core, schedules }: PlanningContext,
  within: Within,
): Promise<ToolOutput> {
  const { timeZone, createdAt: now } = entry;
  const { max_entries: most } = core.settings(planningSettings).tools.schedule;
  const accounts = core.accounts.accountsOf(entry.principal);
  if ((await schedules.add(entry, { most, accounts }, within)) === 'full')
    return error(
      `Not planned: this person has ${most} tasks and reminders, which is the limit. Use schedule with the action list, and cancel what is no longer needed.`,
    );
  const ask = isGuess && (await core.store.timeZones.askOnce(accounts, now, within)) ? [whereWords(timeZone)] : [];
  return llmOnly([result, ...readWords(writtenZone, timeZone), nowWords(now, timeZone), ...ask].join(' '));
}

async function list({ kind, conversationId, sender }: ToolContext, planning: PlanningContext): Promise<ToolOutput> {
  const { core, schedules } = planning;
  const all = await schedules.ofPerson(core.accounts.accountsOf(sender.principal));
  // A group reads along: entries of other chats stay private.
  const here = all.filter((entry) => kind === 'direct' || entry.conversationId === conversationId);
  const elsewhere = all.length - here.length;
  const lines = here.map((entry) => lineOf(entry, conversationId));
  if (lines.length === 0) lines.push('Nothing is planned here by this person.');
  if (elsewhere > 0) lines.push(`What was planned in other chats (${elsewhere}) is listed there.`);
  return readFrom(here, 'plans', [...lines, nowWords(core.clock.now(), zoneOf(undefined, planning))].join('\n'));
}

function cancel(
  id: string,
  { sender: { principal }, kind, conversationId }: ToolContext,
  { core, schedules }: PlanningContext,
): ToolOutput {
  const where = kind === 'direct' ? {} : { conversationId };
  const asked = { id, principal, accounts: core.accounts.accountsOf(principal), ...where, at: core.clock.now() };
  return storing({
    async apply(within) {
      const ended = await schedules.cancel(asked, within);
      if (ended === undefined)
        return error(
          `Nothing that this person has planned here has the id ${JSON.stringify(id)}. The action list shows the ids.`,
        );
      const words = `Cancelled ${ended.id}, the ${ended.type} ${whenWords(ended)}: ${oneLine(ended.text, 200)}`;
      return readFrom([ended], 'plans', words);
    },
  });
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
