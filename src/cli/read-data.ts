import { join } from 'node:path';
import { findDataFolder } from '../config/data-folder.ts';
import { systemClock } from '../lib/clock.ts';
import { valueAt } from '../lib/json.ts';
import type { Language } from '../lib/words.ts';
import { readDatabase } from '../store/read-only.ts';
import type { Sql } from '../store/sql.ts';
import type { CommandContext } from './commands/command.ts';

/** For whom a command prints, and when. */
export interface Shown {
  readonly language: Language;
  readonly now: number;
  /** The config's, for costs. */
  readonly currency: string;
}

/** How what was read is shown. */
export async function shownFor({ place, language }: Pick<CommandContext, 'place' | 'language'>): Promise<Shown> {
  const { present } = await findDataFolder(place);
  const currency = valueAt(present, ['budget', 'currency']);
  const isCurrency = typeof currency === 'string' && /^[A-Z]{3}$/.test(currency);
  return { language, now: systemClock.now(), currency: isCurrency ? currency : 'USD' };
}

/** Looks into the database of the config, whether or not a process works with it. Rejects with `StoreError` if there is none. */
export async function readData<Found>(
  { place }: Pick<CommandContext, 'place'>,
  look: (sql: Sql) => Found,
): Promise<Found> {
  const { dataFolder } = await findDataFolder(place);
  return readDatabase(join(dataFolder, 'keyturn.db'), look);
}
