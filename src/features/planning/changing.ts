/* `/schedules edit ID TEXT` and `/schedules time ID WHEN`: what is planned gets another text or other times, in the same chat. */

import type { GivenCommand } from '../../conversation/commands/given-command.ts';
import type { Effect } from '../../conversation/effects.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { cleanText, withoutTurns } from '../../tools/text.ts';
import { plannedTime, whenWords } from './planned-time.ts';
import type { KeptSchedule, ScheduleChange, ScheduleStore, ScheduleType, Wanted } from './tables.ts';
import { planningWords } from './words.ts';

export interface ChangingParts extends Pick<FeatureCore, 'clock'> {
  readonly schedules: Pick<ScheduleStore, 'find' | 'change'>;
  /** Called once an entry has another time. */
  readonly planned: (at: number) => void;
}

export interface WantedChange {
  readonly wanted: Wanted;
  /** As the person wrote it. */
  readonly text: string;
  readonly whatOf: (schedule: KeptSchedule) => string;
}

/** As long as the tools let it be, in characters. */
const longest: Readonly<Record<ScheduleType, number>> = { task: 2000, reminder: 1000 };

export async function changeText(change: WantedChange, given: GivenCommand, parts: ChangingParts): Promise<void> {
  const words = planningWords[given.reader.language];
  if (change.text === '') return given.answer(words.usage);
  const found = await parts.schedules.find(change.wanted);
  if (found === undefined) return given.answer(words.noSuchSchedule);
  const cleaned = cleanText(change.text).trim();
  const text = found.type === 'reminder' ? withoutTurns(cleaned).trim() : cleaned;
  const { length } = Array.from(text);
  const most = longest[found.type];
  if (length > most) return given.answer(words.tooLong({ length, most }));
  await store(change, { text }, given, parts);
}

export async function changeTime(change: WantedChange, given: GivenCommand, parts: ChangingParts): Promise<void> {
  const words = planningWords[given.reader.language];
  if (change.text === '') return given.answer(words.usage);
  const found = await parts.schedules.find(change.wanted);
  if (found === undefined) return given.answer(words.noSuchSchedule);
  const written = change.text.trim();
  const isCron = written.split(/\s+/).length === 5;
  const wanted = isCron ? { cron: written } : { at: written };
  const time = await plannedTime({ ...wanted, timeZone: found.timeZone }, parts.clock.now());
  if ('fault' in time) return given.answer(words.unreadableTime({ time: inlineCode(oneLine(written, 60)) }));
  await store(change, { cron: isCron ? written : undefined, nextAt: time.nextAt }, given, parts);
}

async function store(
  { wanted, whatOf }: WantedChange,
  to: ScheduleChange['to'],
  { origin: { principal }, obey, reader: { language } }: GivenCommand,
  { schedules, planned }: ChangingParts,
): Promise<void> {
  const words = planningWords[language];
  const effect: Effect<KeptSchedule | undefined> = {
    name: 'change-schedule',
    apply: (doing) => schedules.change({ ...wanted, to, principal, at: doing.at }, doing),
  };
  const obeyed = await obey(effect, (changed) =>
    changed === undefined
      ? words.noSuchSchedule
      : words.changed({ what: whatOf(changed), when: whenWords(changed, language) }),
  );
  if (obeyed.status === 'done' && obeyed.result !== undefined) planned(obeyed.result.nextAt);
}
