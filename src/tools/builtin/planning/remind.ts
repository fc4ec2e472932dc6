import { z } from 'zod';
import { newId } from '../../../lib/ids.ts';
import { inlineCode, markdownLine, oneLine } from '../../../lib/plain-text.ts';
import { error, llmOnly } from '../../output.ts';
import { readableText } from '../../readable-text.ts';
import { cleanText, withoutTurns } from '../../text.ts';
import { defineTool, type Tool } from '../../tool.ts';
import { nowWords, type PlanningDependencies, plannedTime, wantedWords, whenWords } from './planned-time.ts';
import { fullWords } from './schedule.ts';
import type { Schedule } from './schedule-store.ts';

const input = z
  .strictObject({
    text: readableText(1000).describe('What to say then, in words for the person.'),
    at: z
      .string()
      .min(1)
      .max(60)
      .optional()
      .describe('"2026-03-30T09:00" in the time zone, or with an offset "2026-03-30T09:00+02:00".'),
    in_minutes: z.number().min(0.1).max(527_040).optional().describe('So many minutes from now.'),
    time_zone: z.string().min(1).max(60).optional().describe('An IANA name such as "Europe/Berlin".'),
  })
  .superRefine(({ at, in_minutes }, context) => {
    if ((at === undefined) !== (in_minutes === undefined)) return;
    const message = at === undefined ? 'say when: "at" or "in_minutes"' : 'give "at" or "in_minutes", not both';
    context.addIssue({ code: 'custom', path: ['at'], message });
  });

/** Says something at a time, in the conversation where it was asked for. The model is not asked then. */
export function remind(dependencies: PlanningDependencies): Tool {
  const { store, accountsOf, clock, settings, planned } = dependencies;
  const wanted = ({ at, in_minutes, time_zone }: z.output<typeof input>) => ({
    at,
    inMinutes: in_minutes,
    timeZone: time_zone ?? settings.timeZone(),
  });
  return defineTool({
    name: 'remind',
    displayName: 'Remind',
    category: 'memory',
    description: [
      'Says a text in this chat at a time, once. You are not asked then: for what you have to do yourself, or what comes again and again, use schedule.',
      'Reminders are listed and cancelled with schedule.',
      'Times are in the usual time zone here unless time_zone says otherwise. The result names it and shows the date: check it.',
    ].join(' '),
    input,
    facets: () => ({ writesMemory: true }),
    describeCall: (args) =>
      `remind here, ${markdownLine(wantedWords(wanted(args)), 300)}: ${inlineCode(oneLine(args.text, 200))}`,
    execute: async (args, { conversationId, sender }) => {
      const now = clock.now();
      const { timeZone, ...time } = wanted(args);
      const found = await plannedTime({ ...time, timeZone }, now);
      if (!found.valid) return error(`Not planned. ${found.fault}`);
      const entry: Schedule = {
        id: newId(6),
        type: 'reminder',
        conversationId,
        ...sender,
        text: withoutTurns(cleanText(args.text)).trim(),
        timeZone,
        nextAt: found.nextAt,
        createdAt: now,
      };
      const added = await store.add(entry, settings.maxEntries, accountsOf(entry.principal));
      if (added === 'full') return error(fullWords(settings.maxEntries));
      planned(entry.nextAt);
      return llmOnly(`The reminder ${entry.id} will be said: ${whenWords(entry)}. ${nowWords(now, timeZone)}`);
    },
  });
}
