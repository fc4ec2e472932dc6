import { join } from 'node:path';
import type { FeatureDefinition, IntakeOf, IntakePlace } from '../../feature-points.ts';
import { type ReplaceOptions, replaceWhole } from '../../lib/replace-whole.ts';
import { giveBack, ownedBefore } from '../../store/backup/ownership.ts';
import { lockData } from '../../store/examine.ts';
import { openDatabase } from '../../store/open.ts';
import type { Left } from './findings.ts';
import { type Plan, type Planned, type PlanOrder, planOf } from './plan.ts';
import { migrateWords } from './words.ts';

/** What did not fit, and the file that could not be written, if there is one. */
export interface CarriedOut {
  /** As it was when nobody else could work with the data any more. */
  readonly plan: Plan;
  readonly left: readonly Left[];
  readonly unwritten?: Unwritten;
}

/** `code`: the system's; undefined if somebody has changed the file meanwhile. */
interface Unwritten {
  readonly file: string;
  readonly code: string | undefined;
}

/**
 * Plans, and does what the plan says, while no daemon runs: rejects with `DataLockedError` otherwise, and has changed nothing.
 * Killed in between, it has done a part, and the next time does the rest: the config, which brings all to life, comes last.
 * What root makes belongs to the owner of what was there.
 */
export async function carryOut(
  order: PlanOrder,
  dataFolder: string,
  features: readonly FeatureDefinition[],
): Promise<CarriedOut> {
  const owned = ownedBefore(dataFolder);
  const unlock = lockData(dataFolder);
  try {
    giveBack(owned);
    const plan: Plan = { ...(await planOf(order)), isRunning: false };
    const left = await takeIn(plan, features);
    for (const writing of writingsOf(plan)) {
      const unwritten = await write(writing);
      if (unwritten !== undefined) return { plan, left, unwritten };
    }
    return { plan, left };
  } finally {
    unlock();
    giveBack(owned);
  }
}

interface Writing {
  readonly file: string;
  readonly text: string;
  readonly options: ReplaceOptions;
}

function writingsOf(plan: Plan): readonly Writing[] {
  const { configFile, configText, envFile, envText, former, settings, secrets } = plan;
  const added = settings.filter(({ state }) => state === 'free');
  // What no rule takes for a secret may be one: not everybody on this machine is to read it.
  const isPrivate = added.some(({ path }) => path[0] === 'mcp_servers' || path[0] === 'agent');
  const env = { mostMode: 0o600, unchangedFrom: { bytes: former.env } };
  const config = { mostMode: isPrivate ? 0o640 : 0o666, unchangedFrom: { bytes: former.config } };
  return [
    ...(secrets.length > 0 ? [{ file: envFile, text: envText, options: env }] : []),
    ...(added.length > 0 ? [{ file: configFile, text: configText, options: config }] : []),
  ];
}

async function write({ file, text, options }: Writing): Promise<Unwritten | undefined> {
  try {
    const { type } = await replaceWhole(file, text, options);
    return type === 'changed' ? { file, code: undefined } : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { file, code: String(error.code) };
    throw error;
  }
}

/** All memories and tasks in one transaction. */
async function takeIn(plan: Plan, features: readonly FeatureDefinition[]): Promise<readonly Left[]> {
  const { memories, schedules, dataFolder, config, order } = plan;
  if ([...memories, ...schedules].every(({ isKnown }) => isKnown)) return [];
  const database = openDatabase(join(dataFolder, 'keyturn.db'), features);
  try {
    return await database.write(async (sql) => [
      ...(await storeAll(memories, order.intake.memory, { sql, config, at: order.now })).map(
        ({ text, file }): Left => ({
          what: text.slice(0, 40),
          file,
          why: (language) => migrateWords[language].longMemory,
        }),
      ),
      ...(await storeAll(schedules, order.intake.schedule, { sql, config, at: order.now })).map(
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
async function storeAll<Matter, Own extends Matter>(
  planned: readonly Planned<Own>[],
  intake: IntakeOf<Matter> | undefined,
  place: IntakePlace,
): Promise<readonly Own[]> {
  const matters = planned.map(({ matter }) => matter);
  if (intake === undefined) return matters;
  const left: Own[] = [];
  for (const matter of matters) {
    const isNew = !(await intake.isKnown(matter, place.sql));
    if (isNew && (await intake.store(matter, place)) === 'full') left.push(matter);
  }
  return left;
}
