import { resolveModels } from '../../config/choose-model.ts';
import { ConfigError } from '../../config/config-error.ts';
import { findDataFolder } from '../../config/data-folder.ts';
import { type LoadedConfig, type LoadOptions, loadConfig } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { trustCertificates } from '../../lib/network/certificates/certificates.ts';
import { openNetwork } from '../../lib/network/open-network.ts';
import { isDataLocked } from '../../store/examine.ts';
import { loadOptionsOf, type Place } from '../place.ts';
import type { Program } from '../program.ts';
import type { CheckContext } from './check.ts';

/** What the checks look at, and how the config was found. */
export interface Examined {
  readonly context: CheckContext;
  readonly options: LoadOptions & Place;
}

/** Reads what the checks need. A config that cannot be used is no error here. */
export async function examined({
  program,
  place,
}: {
  readonly program: Program;
  readonly place: Place;
}): Promise<Examined> {
  const options = await loadOptionsOf(place, program);
  const { loaded, faults } = await readConfig(options);
  const { dataFolder } = await findDataFolder(place);
  if (loaded !== undefined) trustCertificates(loaded.network.certificates);
  const network = await openNetwork(loaded?.network.proxies ?? {});
  const context: CheckContext = {
    place,
    loaded,
    faults,
    dataFolder,
    isRunning: isLocked(dataFolder),
    fetch: network.fetch,
    clock: systemClock,
  };
  return { context, options };
}

interface ReadConfig {
  readonly loaded: LoadedConfig | undefined;
  readonly faults: number;
}

/** With the keys of its models, without which no start goes on. */
async function readConfig(options: LoadOptions): Promise<ReadConfig> {
  try {
    const loaded = await loadConfig(options);
    resolveModels(loaded.config, loaded.environment);
    return { loaded, faults: 0 };
  } catch (error) {
    if (error instanceof ConfigError) return { loaded: undefined, faults: error.faults.length };
    throw error;
  }
}

function isLocked(folder: string): boolean {
  try {
    return isDataLocked(folder);
  } catch {
    // A folder that cannot be read is reported by the check of its permissions.
    return false;
  }
}
