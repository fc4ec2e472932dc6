import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { Background } from '../../lib/background.ts';
import { sleep } from '../../lib/clock.ts';
import { machineZone, offsetAt } from '../../lib/time-words.ts';
import { wordsIn } from '../../lib/words.ts';
import { workerProcesses } from '../../tools/guard/worker/run-in-worker.ts';
import { createDailyBackup, type DailyBackup } from './daily-backup.ts';
import { removeOld } from './retention.ts';
import { dataSettings } from './settings.ts';
import { createRetentionStore, dataTables, type RetentionStore } from './tables.ts';

/** Keeps the data: one backup a day, and nothing for longer than the operator wants. */
export const data: FeatureDefinition = { name: 'data', settings: dataSettings, tables: dataTables, make: makeData };

/** How often it is looked whether something is due, in ms. */
const pace = 11 * 60_000;
/** The hour of the day from which on it is done, by the machine's clock: few people talk then. */
const quietHour = 3;

function makeData(core: FeatureCore): Feature {
  const values = core.settings(dataSettings);
  const context: DataContext = {
    ...core,
    backup: createDailyBackup({
      ...core,
      dataFolder: core.config.data_dir,
      most: () => values.data.backups,
      runInWorker: workerProcesses({ clock: core.clock, most: 1 }),
    }),
    retention: createRetentionStore(core.database),
    keepDays: () => values.data.keep_days,
    removedOn: new LastDay(),
  };
  const background = new Background(core.log);
  return {
    async start() {
      background.run('the data could not be kept in order', () => keep(context));
    },
    stop: () => background.settled(),
    async troubles(origin) {
      const fault = core.owners.isOwner(origin.principal) ? context.backup.fault() : undefined;
      return fault === undefined ? [] : [wordsIn(core.readerOf(origin).language, fault)];
    },
  };
}

interface DataContext extends Pick<FeatureCore, 'clock' | 'log' | 'ending' | 'workspaceOf' | 'workspaceAt'> {
  readonly backup: DailyBackup;
  readonly retention: RetentionStore;
  /** 0: all is kept. */
  readonly keepDays: () => number;
  readonly removedOn: LastDay;
}

/** The last day on which all that was too old was removed. */
class LastDay {
  day = '';
}

/** Looks again and again, whatever goes wrong in between. */
async function keep(context: DataContext): Promise<void> {
  const { clock, ending, log } = context;
  for (;;) {
    await sleep(clock, pace, ending);
    if (ending.aborted) return;
    // For example if the disk is full: the next look tries again.
    await look(context).catch((err: unknown) => log.warn({ err }, 'the data could not be kept in order'));
  }
}

async function look(context: DataContext): Promise<void> {
  const { clock, ending, backup } = context;
  const local = new Date(clock.now() + offsetAt(clock.now(), machineZone().timeZone));
  if (local.getUTCHours() < quietHour) return;
  const day = local.toISOString().slice(0, 10);
  try {
    await backup.make(day);
  } finally {
    if (!ending.aborted) await removeDaily(day, context);
  }
}

/** Removes what is too old, once a day. */
async function removeDaily(day: string, context: DataContext): Promise<void> {
  const { clock, keepDays, removedOn } = context;
  if (keepDays() === 0 || removedOn.day === day) return;
  const before = clock.now() - keepDays() * 86_400_000;
  const removed = await removeOld(before, context);
  if (removed === undefined) return;
  removedOn.day = day;
  if (removed > 0) context.log.info({ removed, days: keepDays() }, 'removed what was older than it is kept');
}
