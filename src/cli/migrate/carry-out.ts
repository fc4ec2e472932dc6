import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FeatureDefinition, IntakeOf, IntakePlace } from '../../feature-points.ts';
import { lockData } from '../../store/examine.ts';
import { openDatabase } from '../../store/open.ts';
import type { Left } from './findings.ts';
import type { Plan, Planned } from './plan.ts';
import { replaceFile } from './replace-file.ts';
import { migrateWords } from './words.ts';

/**
 * Does what the plan says, while no daemon runs: rejects with `DataLockedError` otherwise, and has changed nothing. Killed in
 * between, it has done a part, and the next time does the rest: the config, which brings all to life, comes last. Resolves with
 * what did not fit.
 */
export async function carryOut(plan: Plan, features: readonly FeatureDefinition[]): Promise<readonly Left[]> {
  const { configFile, configText, envFile, envText, dataFolder, settings, secrets } = plan;
  const unlock = lockData(dataFolder);
  try {
    const left = await takeIn(plan, features);
    mkdirSync(dirname(configFile), { recursive: true });
    if (secrets.length > 0) await replaceFile(envFile, envText, 0o600);
    if (settings.some(({ state }) => state === 'free')) await replaceFile(configFile, configText, 0o666);
    return left;
  } finally {
    unlock();
  }
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
