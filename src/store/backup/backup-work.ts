import { giveWay } from '../../lib/give-way.ts';
import { type Language, languages } from '../../lib/words.ts';
import { workerFunction } from '../../tools/guard/worker/run-in-worker.ts';
import { StoreError } from '../store-error.ts';
import { type BackupOrder, type MadeBackup, makeBackup } from './make-backup.ts';

/** What came of a backup, as another process tells it. */
export type BackupOutcome =
  | { readonly type: 'made'; readonly made: MadeBackup }
  | { readonly type: 'refused'; readonly words: Readonly<Partial<Record<Language, string>>> };

/** Makes a backup; to be called in a process of its own. */
export async function backUp(order: BackupOrder): Promise<BackupOutcome> {
  giveWay();
  try {
    return { type: 'made', made: await makeBackup(order) };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const words = Object.fromEntries(languages.map((language) => [language, error.saidIn(language)]));
    return { type: 'refused', words };
  }
}

/** The same, for a daemon that must not wait for it. */
export const backupWork = workerFunction<typeof backUp>(import.meta.url, './backup-work', 'backUp');
