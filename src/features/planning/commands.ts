import { defineCommands, type ObeyedCommand } from '../../conversation/commands/definition.ts';
import type { GivenCommand } from '../../conversation/commands/given-command.ts';
import { unknownWordWords } from '../../conversation/commands/help.ts';
import { lineOfPage, numbered, pageNumber, pageOf, rowsOfPage } from '../../conversation/commands/pages.ts';
import type { WaitingMatter } from '../../conversation/commands/reports/waiting-matter.ts';
import type { Effect } from '../../conversation/effects.ts';
import { firstWord, type Origin } from '../../engine/message.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { escapeMarkdown, oneLine } from '../../lib/plain-text.ts';
import type { Reader } from '../../lib/time-words.ts';
import { actingButton, inRows } from '../../words/command-buttons.ts';
import type { ChangingParts } from './changing.ts';
import { type RunNowParts, runScheduleNow, stampIn, stampOf } from './run-now.ts';
import type { KeptSchedule, ScheduleStore, Wanted } from './tables.ts';
import { planningWords } from './words.ts';

export const planningCommands = defineCommands(planningWords, {
  schedules: { section: 'yours', order: 138, isOften: true },
});

interface PlannedParts extends Pick<FeatureCore, 'accounts' | 'clock'>, RunNowParts, ChangingParts {
  readonly schedules: Pick<ScheduleStore, 'ofPerson' | 'cancel' | 'change' | 'find' | 'runNow'>;
}

/** So many entries have room for two buttons each. */
const entriesOfPage = 8;

/** `/schedules` lists a person's own tasks and reminders, runs them now, and cancels them. */
export function obeyedPlanningCommands(parts: PlannedParts): readonly ObeyedCommand[] {
  return planningCommands.obeyed({ schedules: (given) => manage(given, parts) });
}

async function manage(given: GivenCommand, parts: PlannedParts): Promise<void> {
  const { argument, origin, answer, list, obey, reader } = given;
  const { language } = reader;
  const words = planningWords[language];
  const { word, rest } = firstWord(argument);
  if (word === 'edit' || word === 'time') {
    const { id, text } = written(argument);
    const change = { wanted: wantedBy(id, origin, parts), text, whatOf };
    const { changeText, changeTime } = await import('./changing.ts');
    return word === 'edit' ? changeText(change, given, parts) : changeTime(change, given, parts);
  }
  if (word === 'cancel' || word === 'run') {
    const named = firstWord(rest);
    if (named.word === '') return answer(words.usage);
    const wanted = wantedBy(named.word.toLowerCase(), origin, parts);
    if (word === 'run')
      return runScheduleNow({ wanted, stamp: stampIn(named.rest.trim()) ?? origin.key, whatOf }, given, parts);
    return void (await obey(cancelling(wanted, origin, parts), (ended) =>
      ended === undefined ? words.noSuchSchedule : words.cancelled({ what: whatOf(ended) }),
    ));
  }
  if (word !== '' && pageNumber(word) === undefined)
    return answer(
      unknownWordWords({ command: 'schedules', word }, ['run', 'cancel', 'edit', 'time'], words.usage, language),
    );
  const own = await seenBy(origin, parts);
  const page = pageOf(own, pageNumber(word), entriesOfPage);
  const lines = await Promise.all(
    page.entries.map(async ([number, one]) => numbered(number, await lineOf(one, reader))),
  );
  const stamp = stampOf(parts.clock.now());
  const buttons = page.entries.flatMap(([number, { id }]) => [
    actingButton(words.buttonRunNumber({ number }), `schedules run ${id} ${stamp}`),
    actingButton(words.buttonCancelNumber({ number }), `schedules cancel ${id}`),
  ]);
  return list({
    markdown: words.plannedHere({ lines }),
    again: lineOfPage('schedules', page),
    rows: [...inRows(buttons, 4), ...rowsOfPage([], { ...page, command: 'schedules' }, language)],
  });
}

/** The ID in `edit ID TEXT`, and the text with its lines. */
function written(argument: string): { readonly id: string; readonly text: string } {
  const [, id = '', text = ''] = /^\S+\s+(\S+)\s*([\s\S]*)$/.exec(argument) ?? [];
  return { id: id.toLowerCase(), text };
}

/** The person's tasks and reminders in the waiting room. */
export async function plannedMatters(origin: Origin, parts: PlannedParts): Promise<readonly WaitingMatter[]> {
  const reader = parts.readers.forAnswer(origin);
  const { buttonCancel, buttonRun } = planningWords[reader.language];
  const stamp = stampOf(parts.clock.now());
  const own = await seenBy(origin, parts);
  return Promise.all(
    own.map(async (one) => ({
      id: `schedule:${one.id}`,
      markdown: await lineOf(one, reader),
      buttons: [
        actingButton(buttonRun, `schedules run ${one.id} ${stamp}`),
        actingButton(buttonCancel, `schedules cancel ${one.id}`),
      ],
    })),
  );
}

/** A group reads along: what was planned in other chats stays private. */
async function seenBy(
  { principal, conversation, conversationId }: Origin,
  { accounts, schedules }: PlannedParts,
): Promise<readonly KeptSchedule[]> {
  const all = await schedules.ofPerson(accounts.accountsOf(principal));
  return all.filter((one) => conversation.kind === 'direct' || one.conversationId === conversationId);
}

function wantedBy(
  id: string,
  { principal, conversation, conversationId }: Origin,
  { accounts }: Pick<PlannedParts, 'accounts'>,
): Wanted {
  const where = conversation.kind === 'direct' ? {} : { conversationId };
  return { id, accounts: accounts.accountsOf(principal), ...where };
}

function cancelling(
  wanted: Wanted,
  { principal }: Origin,
  { schedules }: PlannedParts,
): Effect<KeptSchedule | undefined> {
  return { name: 'cancel-schedule', apply: (doing) => schedules.cancel({ ...wanted, principal, at: doing.at }, doing) };
}

async function lineOf(schedule: KeptSchedule, { language }: Reader): Promise<string> {
  const { whenWords } = await import('./planned-time.ts');
  const { type } = schedule;
  return planningWords[language].scheduleLine({ type, what: whatOf(schedule), when: whenWords(schedule, language) });
}

function whatOf({ title, text }: Pick<KeptSchedule, 'title' | 'text'>): string {
  return escapeMarkdown(oneLine(title ?? text, 100));
}
