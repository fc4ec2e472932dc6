import { readFile } from 'node:fs/promises';
import { ConfigError, linesOf } from '../../../config/config-error.ts';
import { findDataFolder } from '../../../config/data-folder.ts';
import { type Difference, differencesOf, leavesOf, marked } from '../../../config/differences.ts';
import { type KeptVersion, keptVersions } from '../../../config/last-good.ts';
import { type LoadedConfig, type LoadOptions, loadConfig } from '../../../config/load.ts';
import { type JsonValue, valueAt } from '../../../lib/json.ts';
import { loadOptionsOf } from '../../place.ts';
import { knownSecrets } from '../../read-data.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { heldConfig } from './held.ts';
import { differenceLines, differencesForPrograms } from './shown.ts';
import { chosenVersion, whenKept, writtenValue } from './versions.ts';
import { configCommandWords } from './words.ts';

/** What the file was compared with, and how that came out. */
interface Comparison {
  readonly against: 'running' | 'version' | 'defaults';
  /** The number of the version. */
  readonly version?: number;
  /** What a person reads above the keys. */
  readonly title: string;
  /** Undefined: the file has a fault that hides its values. */
  readonly differences: readonly Difference[] | undefined;
}

/**
 * `config diff [VERSION]`: what differs between the file and what the process holds; the newest kept version if none runs; a kept
 * version; or, with `--defaults`, the defaults.
 */
export async function configDiff(context: CommandContext): Promise<number> {
  const { program, place, language, asJson, print } = context;
  const options = await loadOptionsOf(place, program);
  const file = await loaded(options);
  const comparison = await compare(options, file, context);
  const faults = 'config' in file ? [] : linesOf(file.faults, language);
  const redact = await knownSecrets(context);
  const { differences = [], title, ...rest } = comparison;
  if (asJson) {
    const told = { ...rest, valid: faults.length === 0, faults };
    print(JSON.stringify({ ...told, differences: differencesForPrograms(differences, redact) }, undefined, 2));
  } else {
    const say = configCommandWords[language];
    const lines = differenceLines(differences, { language, redact });
    const found = lines.length > 0 ? lines : comparison.differences === undefined ? [] : [say.nothingDiffers];
    const note = faults.length === 0 ? [] : [say.faulty, ...faults.map((line) => `  ${line}`)];
    print([...note, title, ...found].join('\n'));
  }
  return faults.length === 0 ? exitCodes.done : exitCodes.wrongConfig;
}

async function compare(
  options: LoadOptions,
  file: LoadedConfig | ConfigError,
  context: CommandContext,
): Promise<Comparison> {
  const {
    place,
    language,
    isOn,
    operands: [given],
  } = context;
  const say = configCommandWords[language];
  const { path, dataFolder } = await findDataFolder(place);
  const written = writtenValue(await readFile(path, 'utf8').catch(() => ''));
  if (isOn('defaults'))
    return {
      against: 'defaults',
      title: say.fromDefaults,
      differences: 'config' in file ? await besideDefaults(options, file, written ?? {}) : undefined,
    };
  const versions = await keptVersions(place);
  if (given !== undefined) return besideVersion(chosenVersion(given, versions), written, context);
  const held = await heldConfig(context, dataFolder);
  const [newest] = versions;
  if (held !== undefined && 'config' in file)
    return {
      against: 'running',
      title: say.fromRunning,
      differences: differencesOf(held.config, marked(file.config)),
    };
  // What it holds has all defaults: a file with a fault has none, so it is laid beside what was written.
  if (newest !== undefined) {
    const beside = besideVersion(newest, written, context);
    return held === undefined ? beside : { ...beside, title: say.fromRunning };
  }
  return { against: 'version', title: say.nothingKept, differences: undefined };
}

function besideVersion(
  version: KeptVersion,
  written: JsonValue | undefined,
  { language }: Pick<CommandContext, 'language'>,
): Comparison {
  const { number } = version;
  const title = configCommandWords[language].fromVersion({ number, at: whenKept(version, language) });
  const differences = written === undefined ? undefined : differencesOf(writtenValue(version.text), written);
  return { against: 'version', version: number, title, differences };
}

/** What the file sets to something else than the default. */
async function besideDefaults(
  options: LoadOptions,
  { config, path }: LoadedConfig,
  written: JsonValue,
): Promise<readonly Difference[]> {
  const read = options.readFile ?? ((file: string) => readFile(file));
  const bare = await loadConfig({
    ...options,
    explicit: false,
    readFile: async (file) => (file === path ? Buffer.from('{}') : read(file)),
  });
  const [defaults, present] = [marked(bare.config), marked(config)];
  const set = new Map(leavesOf(written).map(([keys, value]) => [JSON.stringify(keys), value]));
  return differencesOf(defaults, present).flatMap((difference) => {
    const value = set.get(JSON.stringify(difference.path));
    // As written: `${NAME}` says more than a mark.
    return value === undefined ? [] : [{ ...difference, old: valueAt(defaults, difference.path), now: value }];
  });
}

async function loaded(options: LoadOptions): Promise<LoadedConfig | ConfigError> {
  try {
    return await loadConfig(options);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}
