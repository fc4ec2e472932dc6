import { resolveModels } from '../../config/choose-model.ts';
import { ConfigError } from '../../config/config-error.ts';
import { findDataFolder } from '../../config/data-folder.ts';
import { type LoadedConfig, loadConfig } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { trustCertificates } from '../../lib/network/certificates/certificates.ts';
import { openNetwork } from '../../lib/network/open-network.ts';
import { isDataLocked } from '../../store/examine.ts';
import { findShell } from '../../tools/guard/process/command-shell.ts';
import { type CheckContext, runChecks } from '../doctor/check.ts';
import { checks } from '../doctor/index.ts';
import { doctorText, examineInstallation } from '../doctor.ts';
import { loadOptionsOf } from '../place.ts';
import { processLanguage } from '../words.ts';
import { type CommandContext, exitCodes } from './command.ts';

/** `doctor`: the versions that it runs with, and all checks. */
export async function doctor({ program, place, asJson, print }: CommandContext): Promise<number> {
  const { env, versions } = program.process;
  const options = await loadOptionsOf(place, program);
  const { loaded, faults } = await readConfig(options);
  const language = processLanguage(env, loaded?.config);
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
  const [installation, reports] = await Promise.all([
    examineInstallation({
      now: systemClock.now(),
      versions,
      shell: await findShell(env.PATH),
      place: options,
      language,
    }),
    runChecks(checks, context, language),
  ]);
  print(doctorText({ ...installation, checks: reports }, asJson, language).trimEnd());
  const isFaulty =
    installation.faults.length > 0 || reports.some(({ problems }) => problems.some(({ fault }) => fault));
  return isFaulty ? exitCodes.failed : exitCodes.done;
}

interface ReadConfig {
  readonly loaded: LoadedConfig | undefined;
  readonly faults: number;
}

/** With the keys of its models, without which no start goes on. */
async function readConfig(options: Parameters<typeof loadConfig>[0]): Promise<ReadConfig> {
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
