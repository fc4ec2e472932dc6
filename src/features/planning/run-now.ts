/*
 * `/schedules run ID`: what is planned is done once more, now, in the chat where it was planned, with the rights of who
 * planned it. Its times stay.
 */

import type { GivenCommand } from '../../conversation/commands/given-command.ts';
import type { Effect } from '../../conversation/effects.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { isMakerWelcome, typesOn } from './scheduler.ts';
import type { DueSchedule, ExtraOutcome, ExtraRun, ScheduleStore, Wanted } from './tables.ts';
import { planningWords } from './words.ts';

export interface RunNowParts extends Pick<FeatureCore, 'adapters' | 'config' | 'readers' | 'rules' | 'wake'> {
  readonly schedules: Pick<ScheduleStore, 'find' | 'runNow'>;
}

/** What is to be run, and the stamp of the list below which it was pressed: one press of a list counts. */
export interface WantedRun {
  readonly wanted: Wanted;
  readonly stamp: string;
  readonly whatOf: (schedule: DueSchedule) => string;
}

/** The stamp of a list that is shown now. */
export function stampOf(now: number): string {
  return now.toString(36);
}

/** A stamp that was typed, if it is one. */
export function stampIn(word: string): string | undefined {
  return /^[a-z0-9]{1,12}$/.test(word) ? word : undefined;
}

/** Obeys it, or says why it cannot be run. */
export async function runScheduleNow(
  { wanted, stamp, whatOf }: WantedRun,
  { origin, answer, obey, reader }: GivenCommand,
  parts: RunNowParts,
): Promise<void> {
  const words = planningWords[reader.language];
  const schedule = await parts.schedules.find(wanted);
  if (schedule === undefined) return answer(words.noSuchSchedule);
  const what = whatOf(schedule);
  const why = hindrance(schedule, parts);
  if (why !== undefined) return answer(words.cannotRun({ why, what, channel: schedule.conversation.channel }));
  const { extraRunOf } = await import('./firing.ts');
  await parts.readers.prepare([schedule.conversationId]);
  const { language } = parts.readers.forConversation(schedule.conversationId);
  const extra = { schedule, ...extraRunOf(schedule, { stamp, language }) };
  const obeyed = await obey(running(extra, parts), (outcome) => {
    if (outcome === 'gone') return words.noSuchSchedule;
    if (outcome === 'repeated') return words.ranBefore({ what });
    return words.runs({ what, isElsewhere: schedule.conversationId !== origin.conversationId });
  });
  const hasBegun = obeyed.status === 'done' && obeyed.result === 'run';
  if (hasBegun && extra.event.wantsAnswer) parts.wake([schedule.conversationId]);
}

function hindrance(schedule: DueSchedule, parts: RunNowParts): 'off' | 'away' | 'unwelcome' | undefined {
  if (!typesOn(parts).includes(schedule.type)) return 'off';
  if (!parts.adapters.has(schedule.conversation.channel)) return 'away';
  return isMakerWelcome(schedule, parts) ? undefined : 'unwelcome';
}

function running(extra: Omit<ExtraRun, 'at' | 'principal'>, { schedules }: RunNowParts): Effect<ExtraOutcome> {
  return {
    name: 'run-schedule',
    apply(doing) {
      const { at, origin, conversationIds } = doing;
      conversationIds.push(extra.schedule.conversationId);
      return schedules.runNow({ ...extra, at, principal: origin.principal }, doing);
    },
  };
}
