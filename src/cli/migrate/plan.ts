/*
 * What would become of the findings here: which keys of the config, which variables, which memories and tasks; what is there
 * already, and what stands in the way. To make a plan changes nothing.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findDataFolder } from '../../config/data-folder.ts';
import { loadConfig } from '../../config/load.ts';
import { peopleIn } from '../../config/schema.ts';
import type { FeatureDefinition, Intake, IntakeOf } from '../../feature-points.ts';
import { isDataLocked } from '../../store/examine.ts';
import { readTables } from '../../store/read-beside.ts';
import type { Sql } from '../../store/sql.ts';
import { type ConfigPlan, type ConfigSurroundings, configPlanOf } from './config-plan.ts';
import type { Findings } from './findings.ts';
import { type Matters, mattersOf } from './matters.ts';
import { keyedModels, ownersOf, settingsOf } from './settings.ts';

/** Where it is to go, and for whom. */
export interface PlanOrder extends ConfigSurroundings {
  readonly findings: Findings;
  /** An account, if one was named. */
  readonly named: string | undefined;
  readonly intake: Intake;
  readonly now: number;
}

export interface Plan extends ConfigPlan {
  readonly order: PlanOrder;
  readonly dataFolder: string;
  /** Whether a process works with the data. */
  readonly isRunning: boolean;
  /** Whose memories and tasks they become; undefined if nobody can tell. */
  readonly person: string | undefined;
  /** Who becomes an owner. */
  readonly owners: readonly string[];
  readonly memories: readonly Planned<Matters['memories'][number]>[];
  readonly schedules: readonly Planned<Matters['schedules'][number]>[];
}

export interface Planned<Matter> {
  readonly matter: Matter;
  readonly isKnown: boolean;
}

/** Throws `ConfigError` if the config that is there cannot be used, and `StoreError` if the data cannot be read. */
export async function planOf(order: PlanOrder): Promise<Plan> {
  const { former, findings, named, options, now } = order;
  const { config: before, environment } = await loadConfig({ ...options, explicit: false });
  const { dataFolder } = await findDataFolder(options);
  const owners = before.owners.length > 0 ? before.owners : ownersOf(findings, named);
  const { models, left: keyless } = keyedModels(findings.models, environment);
  const plan = await configPlanOf(settingsOf({ ...findings, models }, owners), order);
  const hasOwners = before.owners.length > 0 || plan.settings.some(({ path }) => path[0] === 'owners');
  const isAlone = findings.channels.every(({ tokens }) => Object.keys(tokens).length === 0);
  const person = hasOwners ? (named ?? owners[0]) : isAlone ? localPerson : undefined;
  const own = peopleIn(plan.config).find((group) => person !== undefined && group.accounts.includes(person));
  const accounts = [...new Set([...(person === undefined ? [] : [person]), ...(own?.accounts ?? [])])];
  const matters = await mattersOf(findings, { former, person, accounts, now });
  const isNew = plan.settings.some(({ path, state }) => path[0] === 'owners' && state === 'free');
  const left = [...findings.left, ...keyless, ...matters.left, ...plan.left];
  return {
    ...plan,
    ...(await lookedUp(matters, dataFolder, order.intake)),
    left: [...new Map(left.map((one) => [`${one.what}\n${one.file}\n${one.why('en')}`, one])).values()],
    order,
    dataFolder,
    isRunning: isDataLocked(dataFolder),
    person,
    owners: isNew ? owners : [],
  };
}

/** The person at the terminal, who owns every Keyturn that they can start: where there is no other place to talk. */
const localPerson = 'terminal:local';

async function lookedUp(
  matters: Matters,
  dataFolder: string,
  intake: Intake,
): Promise<Pick<Plan, 'memories' | 'schedules'>> {
  return existsSync(join(dataFolder, 'keyturn.db'))
    ? await readTables(dataFolder, (sql) => known(matters, intake, sql))
    : known(matters, intake, undefined);
}

async function known(
  { memories, schedules }: Matters,
  { memory, schedule }: Intake,
  sql: Sql | undefined,
): Promise<Pick<Plan, 'memories' | 'schedules'>> {
  return { memories: await planned(memories, memory, sql), schedules: await planned(schedules, schedule, sql) };
}

async function planned<Matter, Own extends Matter>(
  matters: readonly Own[],
  intake: IntakeOf<Matter> | undefined,
  sql: Sql | undefined,
): Promise<readonly Planned<Own>[]> {
  const all: Planned<Own>[] = [];
  for (const matter of matters)
    all.push({ matter, isKnown: sql !== undefined && (await intake?.isKnown(matter, sql)) === true });
  return all;
}

/** What the features that are there take in. */
export async function intakeOf(features: readonly FeatureDefinition[]): Promise<Intake> {
  const all = await Promise.all(features.map(async ({ intake }) => (await intake?.()) ?? {}));
  return Object.assign({}, ...all);
}
