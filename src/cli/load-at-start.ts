import { ConfigError, type Fault } from '../config/config-error.ts';
import { type LacksSecrets, lastGood, listedKeys, secretWarnings, wasKept } from '../config/last-good.ts';
import { type LoadedConfig, type LoadOptions, loadConfig } from '../config/load.ts';
import { clockTime, dayWords, machineZone } from '../lib/time-words.ts';
import { emptyFile } from './follow-config.ts';

export interface StartConfig<Opened> {
  readonly opened: Opened;
  /** The fault of the config's file, if the last config that worked is used instead. */
  readonly fault?: ConfigError;
  /** The same for people, with the time of that config. */
  readonly warnings: readonly string[];
}

/** `strict`: refuse an unusable config; `last-good`: use the last one that worked. */
export type OnFault = 'strict' | 'last-good' | 'by-terminal';

/**
 * Loads and opens the config at start. If it is unusable, a service starts with the last one that worked, so that it
 * stays reachable; at a terminal, a person can fix it. Throws `ConfigError` and whatever `open` throws.
 */
export async function loadAtStart<Opened>(
  place: LoadOptions,
  onFault: OnFault,
  hasTerminal: boolean,
  open: (loaded: LoadedConfig) => Promise<Opened>,
): Promise<StartConfig<Opened>> {
  try {
    const loaded = await loadConfig(place);
    // Either a config of only defaults, or the rest of one after a deletion or on a full disk.
    if (loaded.text.trim() === '' && (await wasKept(place)))
      throw new ConfigError([loaded.source === 'file' ? emptyFile(place.path) : goneFile(place.path)]);
    return { opened: await open(loaded), warnings: secretWarnings(loaded.text) };
  } catch (error) {
    if (!(error instanceof ConfigError) || onFault === 'strict') throw error;
    const good = await lastGood(place, open);
    if (good === undefined) throw error;
    if ('lacking' in good) throw new ConfigError([...error.faults, lackingSecrets(good)], { cause: error });
    if (onFault === 'by-terminal' && hasTerminal) {
      const hint = `To start with the last config that worked, from ${keptWords(good)}: --last-good`;
      throw new ConfigError([...error.faults, { key: '', text: hint }], { cause: error });
    }
    const warning = `The config file cannot be used. The last one that worked, from ${keptWords(good)}, is used instead.`;
    return { opened: good.opened, fault: error, warnings: [warning, ...error.message.split('\n')] };
  }
}

function goneFile(file: string): Fault {
  return { file, key: '', text: 'the file is gone. For a config of defaults alone, write {} to it.' };
}

function lackingSecrets({ keptAt, lacking }: LacksSecrets): Fault {
  const text = `The last config that worked, from ${keptWords({ keptAt })}, cannot be used in its place: it lacks ${listedKeys(lacking)}, which stood only in this file. Mend the file. To have a complete copy next time, write such values into .env as NAME=value, and "\${NAME}" in the config.`;
  return { key: '', text };
}

function keptWords({ keptAt }: { readonly keptAt: number }): string {
  const zone = machineZone();
  return `${dayWords(keptAt, zone)}, ${clockTime(keptAt, zone)}`;
}
