import { ConfigError, type Fault } from '../config/config-error.ts';
import { type LacksSecrets, lastGood, listedKeys, secretWarnings, wasKept } from '../config/last-good.ts';
import { type LoadedConfig, type LoadOptions, loadConfig } from '../config/load.ts';
import { clockTime, dayWords, machineZone, type Reader } from '../lib/time-words.ts';
import type { Language, Words } from '../lib/words.ts';
import { emptyFile } from './follow-config.ts';
import { cliWords, processLanguage } from './words.ts';

export interface StartConfig<Opened> {
  readonly opened: Opened;
  /** The fault of the config's file, if the last config that worked is used instead. */
  readonly fault?: ConfigError;
  /** The same for people, with the time of that config. */
  readonly warnings: readonly Words[];
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
  // The config that cannot be used may say another one.
  const language = processLanguage(place.env);
  const say = cliWords[language];
  try {
    const loaded = await loadConfig(place);
    // Either a config of only defaults, or the rest of one after a deletion or on a full disk.
    if (loaded.text.trim() === '' && (await wasKept(place)))
      throw new ConfigError([
        loaded.source === 'file' ? emptyFile(place.path, language) : goneFile(place.path, language),
      ]);
    return { opened: await open(loaded), warnings: secretWarnings(loaded.text) };
  } catch (error) {
    if (!(error instanceof ConfigError) || onFault === 'strict') throw error;
    const good = await lastGood(place, open);
    if (good === undefined) throw error;
    if ('lacking' in good) throw new ConfigError([...error.faults, lackingSecrets(good, language)], { cause: error });
    if (onFault === 'by-terminal' && hasTerminal) {
      const hint = say.lastGoodHint({ kept: keptWords(good, language) });
      throw new ConfigError([...error.faults, { key: '', text: hint }], { cause: error });
    }
    const warning = say.lastGoodUsed({ kept: keptWords(good, language) });
    return { opened: good.opened, fault: error, warnings: [warning, ...error.in(language).split('\n')] };
  }
}

function goneFile(file: string, language: Language): Fault {
  return { file, key: '', text: cliWords[language].goneConfig };
}

function lackingSecrets({ keptAt, lacking }: LacksSecrets, language: Language): Fault {
  const text = cliWords[language].lackingSecrets({
    kept: keptWords({ keptAt }, language),
    keys: listedKeys(lacking, language),
  });
  return { key: '', text };
}

function keptWords({ keptAt }: { readonly keptAt: number }, language: Language): string {
  const reader: Reader = { ...machineZone(), language };
  return cliWords[language].keptAt({ day: dayWords(keptAt, reader), time: clockTime(keptAt, reader) });
}
