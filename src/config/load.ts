import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type InLanguage, type Language, type Words, wordsIn } from '../lib/words.ts';
import { ConfigError, type Fault } from './config-error.ts';
import { absolutePath } from './data-folder.ts';
import {
  type Environment,
  envFileOf,
  type ReadFile,
  readEnvironment,
  readIfThere,
  secretVariables,
  substitute,
} from './environment.ts';
import { looseSettings } from './loose-settings.ts';
import { type NetworkSettings, readNetwork } from './network-settings.ts';
import type { ChannelSettings, Config } from './schema.ts';
import type { Brought, SettingsPart } from './settings-part.ts';
import { parseSource, placeFaults } from './source.ts';
import { validate } from './validate.ts';
import { warningsOf } from './warnings.ts';
import { configWords } from './words.ts';

export interface LoadOptions {
  /** Absolute, or relative to `cwd`. Messages spell it like this. */
  readonly path: string;
  /** Whether the operator named it: then it must exist. */
  readonly explicit: boolean;
  readonly env: Environment;
  readonly channels: ChannelSettings;
  /** The settings of the features. */
  readonly parts: readonly SettingsPart[];
  readonly cwd?: string;
  readonly readFile?: ReadFile;
}

/** A valid config, with all defaults and absolute paths. */
export interface LoadedConfig {
  readonly config: Config;
  /** What the features bring, as far as the config says. */
  readonly brought: Brought;
  /** Absolute, even if there is no file. */
  readonly path: string;
  readonly source: 'file' | 'defaults';
  /** As written. */
  readonly text: string;
  /** The variables of the process, then those of `.env`: used by `resolveModel`. */
  readonly environment: Environment;
  /**
   * To redact: values under secret keys, and variables that the config uses or whose names look secret. Paths, numbers
   * and plain addresses are not included.
   */
  readonly secrets: readonly string[];
  readonly network: NetworkSettings;
  /** Allowed, but important enough to show at start. */
  readonly warnings: readonly Words[];
}

/**
 * Reads the config. Throws `ConfigError` with all faults. A missing file that the operator did not name counts as
 * empty.
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { path: name, explicit, env, channels, parts, cwd = process.cwd(), readFile: read = readFileNow } = options;
  const path = resolve(cwd, name);
  const text = await readText(path, name, read);
  if (text === undefined && explicit)
    throw new ConfigError([{ file: name, key: '', text: (language) => configWords[language].noConfigFile }]);
  const folder = text === undefined ? cwd : dirname(path);
  const { environment, malformed, warnings: ofLines } = await readEnvironment(folder, env, read);
  const source = parseSource(name, text ?? '');
  const substitution = substitute(source.value, environment, envFileOf(folder), malformed);
  const { secrets } = substitution;
  const absolute = (written: string): string => absolutePath(written, folder);
  const reading = await validate(source, substitution, { channels, parts, absolute, environment });
  if (!reading.valid) throw new ConfigError(hideSecrets(placeFaults(source, reading.findings), secrets));
  const { around } = reading;
  const { config, brought } = around;
  const network = await readNetwork(config, environment, read);
  if (network.findings.length + network.faults.length > 0)
    throw new ConfigError([...placeFaults(source, network.findings), ...network.faults]);
  return {
    config,
    brought,
    path,
    source: text === undefined ? 'defaults' : 'file',
    text: text ?? '',
    environment,
    secrets: [...new Set([...secrets, ...secretVariables(environment), ...network.secrets])],
    network: network.settings,
    warnings: [
      ...warningsOf(around, path),
      ...parts.flatMap((part) => part.warnings(config, around)),
      ...(await looseSettings(around)),
      ...network.warnings,
      ...ofLines,
    ],
  };
}

/** Our own messages contain no variable's value, but those of a channel's settings might. */
function hideSecrets(faults: readonly Fault[], secrets: readonly string[]): readonly Fault[] {
  const long = secrets.filter((secret) => secret.length >= 6).sort((a, b) => b.length - a.length);
  const hidden = (said: string, language: Language): string =>
    long.reduce((text, secret) => text.replaceAll(secret, configWords[language].notShown), said);
  return faults.map((fault) => ({
    ...fault,
    text: (language: Language) => hidden(wordsIn(language, fault.text), language),
  }));
}

async function readText(path: string, name: string, read: ReadFile): Promise<string | undefined> {
  const bytes = await readIfThere(path, read);
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const text: InLanguage = (language) => configWords[language].notUtf8;
    throw new ConfigError([{ file: name, key: '', text }], { cause: error });
  }
}

/** Synchronous: starting threads costs more than reading two small files. */
async function readFileNow(path: string): Promise<Uint8Array> {
  return readFileSync(path);
}
