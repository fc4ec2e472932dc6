import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { resolveModels, resolveTranscription } from '../config/choose-model.ts';
import { ConfigError, type Fault } from '../config/config-error.ts';
import { envFileOf } from '../config/environment.ts';
import { type LoadedConfig, type LoadOptions, loadConfig } from '../config/load.ts';
import { enabledChannels } from '../daemon/settings.ts';

/** What `keyturn config check` found. Holds no secret. */
interface ConfigReport {
  /** The file can't be used while there is one. */
  readonly faults: readonly Fault[];
  /** What is allowed, and probably not meant. */
  readonly warnings: readonly string[];
}

/** Looks at a config as a start does, and goes on where a start would end. Nothing is opened or written. */
export async function checkConfig(options: LoadOptions): Promise<ConfigReport> {
  try {
    const loaded = await loadConfig(options);
    const { config, environment, path, warnings } = loaded;
    const faults = [
      () => noChannel(loaded),
      () => resolveModels(config, environment),
      () => resolveTranscription(config, environment),
    ].flatMap(faultsOf);
    const open = loaded.source === 'file' ? [path, envFileOf(dirname(path))].flatMap(readableByOthers) : [];
    return { faults, warnings: [...warnings, ...open] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { faults: error.faults, warnings: [] };
  }
}

/** Throws `ConfigError` if nobody could talk with it. */
export function noChannel({ config }: LoadedConfig): void {
  if (enabledChannels(config).size > 0) return;
  const text = 'no channel is enabled, so nobody could talk with it. Enable one: "terminal": { "enabled": true }.';
  throw new ConfigError([{ file: 'config', key: 'channels', text }]);
}

/** For people: a line each. As JSON: one object, for programs. */
export function reportText({ faults, warnings }: ConfigReport, asJson: boolean): string {
  if (asJson) return `${JSON.stringify({ valid: faults.length === 0, faults, warnings }, undefined, 2)}\n`;
  const lines = [
    ...(faults.length === 0 ? [] : [new ConfigError(faults).message]),
    ...warnings.map((warning) => `Warning  ${warning}`),
    faults.length === 0 ? 'The config can be used.' : 'The config cannot be used.',
  ];
  return `${lines.join('\n')}\n`;
}

function faultsOf(look: () => unknown): readonly Fault[] {
  try {
    look();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

/** Windows has no such bits: there Node makes them up. */
function readableByOthers(path: string): readonly string[] {
  const mode = process.platform === 'win32' ? undefined : statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & 0o044) === 0) return [];
  return [`${path} can be read by other users of this machine, and may hold secrets. Run: chmod 600 ${path}`];
}
