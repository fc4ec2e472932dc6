import { join } from 'node:path';
import { loadFeatures } from '../../../src/daemon/command-menu.ts';
import { createDailyBackup } from '../../../src/features/data/daily-backup.ts';
import { removeOld } from '../../../src/features/data/retention.ts';
import { createRetentionStore } from '../../../src/features/data/tables.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import type { Database } from '../../../src/store/database.ts';
import { lockData } from '../../../src/store/examine.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { workerProcesses } from '../../../src/tools/guard/worker/run-in-worker.ts';
import { workspaces } from '../../../src/tools/guard/workspace/workspace.ts';

/** What is older than this goes, in ms since 1970. */
export const keptFrom = 1_000_000;
/** The days of which backups are made, one after the other; one is kept. */
const days = ['2026-03-01', '2026-03-02'] as const;

/** What a daemon does with its data by itself, in the folder of its data and its `workspace`. */
export type Keeping = 'open' | 'retention' | 'rotation';

export function isKeeping(name: string | undefined): name is Keeping {
  return name === 'open' || name === 'retention' || name === 'rotation';
}

export async function keep(keeping: Keeping, folder: string): Promise<void> {
  switch (keeping) {
    case 'open':
      return opened(folder, async () => {});
    case 'retention':
      return opened(folder, (database) => retain(database, folder));
    case 'rotation':
      return rotate(join(folder, 'data'));
  }
}

/** As a start opens it. */
async function opened(folder: string, work: (database: Database) => Promise<void>): Promise<void> {
  const features = await loadFeatures();
  const data = join(folder, 'data');
  const unlock = lockData(data);
  try {
    const database = openDatabase(join(data, 'keyturn.db'), features);
    await work(database);
    await database.close();
  } finally {
    unlock();
  }
}

async function retain(database: Database, folder: string): Promise<void> {
  await removeOld(keptFrom, {
    retention: createRetentionStore(database),
    workspaceOf: () => join(folder, 'workspace'),
    workspaceAt: workspaces(),
    clock: systemClock,
    log: silentLog,
    ending: new AbortController().signal,
  });
}

async function rotate(dataFolder: string): Promise<void> {
  const faults: string[] = [];
  const backup = createDailyBackup({
    dataFolder,
    most: () => 1,
    clock: systemClock,
    ending: new AbortController().signal,
    redact: (text) => text,
    tellOwners: (words) => faults.push(String(words)),
    log: silentLog,
    runInWorker: workerProcesses({ clock: systemClock, most: 1 }),
  });
  for (const day of days) await backup.make(day);
  if (faults.length > 0) throw new Error(`The backups were not made: ${faults.length} faults`);
}
