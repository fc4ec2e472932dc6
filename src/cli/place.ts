import { join } from 'node:path';
import type { ConfigPlace } from '../config/data-folder.ts';
import type { LoadOptions } from '../config/load.ts';
import { ownFolder } from '../lib/own-version.ts';
import { homeFolder } from './home-folder.ts';
import type { Program } from './program.ts';

/** Where this Keyturn keeps its config, its data and its files. */
export interface Place extends ConfigPlace {
  /** Whether the operator named the config: then it must exist. */
  readonly explicit: boolean;
  readonly cwd: string;
  readonly home: string;
}

/** The named config file, else the one in the home folder. */
export function placeOf(process: NodeJS.Process, configPath: string | undefined): Place {
  const { env, platform } = process;
  const cwd = process.cwd();
  const home = homeFolder({ packageFolder: ownFolder(), env, cwd, platform });
  return {
    // Short in messages if it is in the current folder.
    path: configPath ?? (home === cwd ? 'config.json' : join(home, 'config.json')),
    explicit: configPath !== undefined,
    env,
    home,
    cwd: configPath === undefined ? home : cwd,
  };
}

/** What `loadConfig` wants. Loads the settings of all channels and features. */
export async function loadOptionsOf(place: Place, program: Program): Promise<LoadOptions & Place> {
  const { settings } = await program.channels();
  const { settingsOfFeatures } = await import('../features/index.ts');
  return { ...place, channels: settings, parts: await settingsOfFeatures() };
}

/** Where a set-up keeps the text of a config that it changes. It may have secrets, as the config may. */
export function configBefore(path: string): string {
  return `${path}.bak`;
}
