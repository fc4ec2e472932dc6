import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { linesOf } from '../../../config/config-error.ts';
import { marked } from '../../../config/differences.ts';
import { keepGood } from '../../../config/last-good.ts';
import { loadConfig } from '../../../config/load.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { JsonValue } from '../../../lib/json.ts';
import type { Language } from '../../../lib/words.ts';
import { checkConfig, type SaidFault } from '../../check-config.ts';
import { loadOptionsOf } from '../../place.ts';
import type { PlayedPolicy } from '../../policy-table.ts';
import type { CommandContext } from '../command.ts';
import type { ConfigFile } from './config-file.ts';

/** What `config check` would say if this were the config. */
export interface CheckedText {
  readonly faults: readonly SaidFault[];
  /** The faults, a line each. */
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
  /** Undefined while there are faults. */
  readonly policy: PlayedPolicy | undefined;
  /** With all defaults, and marks in the place of secrets. Empty while there are faults. */
  readonly config: JsonValue;
}

/** Checks a text in the place of the config, with its `.env` and the files that it names. `reader`: see `checkConfig`. */
export async function checkText(
  bytes: Uint8Array,
  { place, program, language }: Pick<CommandContext, 'place' | 'program' | 'language'>,
  reader?: Language,
): Promise<CheckedText> {
  const options = await loadOptionsOf(place, program);
  const path = resolve(place.cwd, place.path);
  const readHere = { ...options, readFile: async (file: string) => (file === path ? bytes : readFile(file)) };
  const { faults, warnings, notes, policy } = await checkConfig(readHere, reader);
  const config = faults.length > 0 ? {} : marked((await loadConfig(readHere)).config);
  return { faults, lines: linesOf(faults, language), warnings, notes, policy, config };
}

/**
 * Keeps the config as it is now among the versions that one can go back to. False if it cannot be used, or if nothing is
 * stored here yet: a data folder with versions alone would look like one that has lost its database.
 */
export async function keepIfGood(
  { bytes }: Pick<ConfigFile, 'bytes'>,
  dataFolder: string,
  context: Pick<CommandContext, 'place' | 'program' | 'language'>,
): Promise<boolean> {
  if (bytes === undefined || !existsSync(join(dataFolder, 'keyturn.db'))) return false;
  const { faults } = await checkText(bytes, context);
  if (faults.length === 0) await keepGood(dataFolder, bytes.toString('utf8'), systemClock.now());
  return faults.length === 0;
}
