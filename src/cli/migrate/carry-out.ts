import { join } from 'node:path';
import type { FeatureDefinition, IntakeOf, IntakePlace } from '../../feature-points.ts';
import { lockData } from '../../store/examine.ts';
import { openDatabase } from '../../store/open.ts';
import type { Left } from './findings.ts';
import type { Plan, Planned } from './plan.ts';
import { replaceFile } from './replace-file.ts';
import { migrateWords } from './words.ts';

/** What did not fit, and the file that could not be written, if there is one. */
export interface CarriedOut {
  readonly left: readonly Left[];
  readonly unwritten?: { readonly file: string; readonly code: string };
}

/**
 * Does what the plan says, while no daemon runs: rejects with `DataLockedError` otherwise, and has changed nothing. Killed in
 * between, it has done a part, and the next time does the rest: the config, which brings all to life, comes last.
 */
export async function carryOut(plan: Plan, features: readonly FeatureDefinition[]): Promise<CarriedOut> {
  const unlock = lockData(plan.dataFolder);
  try {
    const left = await takeIn(plan, features);
    for (const { file, text, mostMode } of writingsOf(plan)) {
      const code = await replaceFile(file, text, mostMode);
      if (code !== undefined) return { left, unwritten: { file, code } };
    }
    return { left };
  } finally {
    unlock();
  }
}

interface Writing {
  readonly file: string;
  readonly text: string;
  readonly mostMode: number;
}

function writingsOf({ configFile, configText, envFile, envText, settings, secrets }: Plan): readonly Writing[] {
  return [
    ...(secrets.length > 0 ? [{ file: envFile, text: envText, mostMode: 0o600 }] : []),
    ...(settings.some(({ state }) => state === 'free')
      ? [{ file: configFile, text: configText, mostMode: 0o666 }]
      : []),
  ];
}

/** All memories and tasks in one transaction. */
async function takeIn(plan: Plan, features: readonly FeatureDefinition[]): Promise<readonly Left[]> {
  const { memories, schedules, dataFolder, config, order } = plan;
  if ([...memories, ...schedules].every(({ isKnown }) => isKnown)) return [];
  const database = openDatabase(join(dataFolder, 'keyturn.db'), features);
  try {
    const place = { database, config, at: order.now };
    return await database.write(() => [
      ...storeAll(memories, order.intake.memory, place).map(
        ({ text, file }): Left => ({
          what: text.slice(0, 40),
          file,
          why: (language) => migrateWords[language].longMemory,
        }),
      ),
      ...storeAll(schedules, order.intake.schedule, place).map(
        ({ title = '', file }): Left => ({
          what: title,
          file,
          why: (language) => migrateWords[language].manySchedules,
        }),
      ),
    ]);
  } finally {
    await database.close();
  }
}

/** Returns what did not fit. */
function storeAll<Matter, Own extends Matter>(
  planned: readonly Planned<Own>[],
  intake: IntakeOf<Matter> | undefined,
  place: IntakePlace,
): readonly Own[] {
  const matters = planned.map(({ matter }) => matter);
  if (intake === undefined) return matters;
  return matters.filter((matter) => !intake.isKnown(matter, place.database) && intake.store(matter, place) === 'full');
}
