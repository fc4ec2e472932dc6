import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { findDataFolder } from '../config/data-folder.ts';
import { envFileOf, readEnvironment, secretVariables, substitute } from '../config/environment.ts';
import { systemClock } from '../lib/clock.ts';
import { valueAt } from '../lib/json.ts';
import type { Language } from '../lib/words.ts';
import type { Step } from '../store/database.ts';
import { readTables } from '../store/read-beside.ts';
import { type Redactor, redactor } from '../tools/guard/redact/redact.ts';
import type { CommandContext } from './commands/command.ts';
import { shortestSecret } from './explain-fault.ts';

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

/** Takes out what the config, its `.env` and the environment hold of secrets, also in a config that cannot be used. */
export async function knownSecrets({ place }: Pick<CommandContext, 'place'>): Promise<Redactor> {
  const { path, present } = await findDataFolder(place);
  const folder = dirname(path);
  const read = readEnvironment(folder, place.env, (file) => readFile(file));
  const environment = await read.then((found) => found.environment).catch(() => place.env);
  const { secrets } = substitute(present, environment, envFileOf(folder));
  return redactor([...secrets, ...secretVariables(environment)], shortestSecret);
}

/** Looks into the database of the config, whether or not a process works with it. Rejects with `StoreError` if there is none. */
export async function readData<Found>({ place }: Pick<CommandContext, 'place'>, look: Step<Found>): Promise<Found> {
  const { dataFolder } = await findDataFolder(place);
  return readTables(dataFolder, look);
}
