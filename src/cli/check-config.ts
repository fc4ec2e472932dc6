import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { resolveModels, resolveTranscription } from '../config/choose-model.ts';
import { ConfigError, type Fault, linesOf } from '../config/config-error.ts';
import { envFileOf } from '../config/environment.ts';
import { enabledChannels } from '../config/extension-settings.ts';
import { literalSecrets, secretWarnings } from '../config/last-good.ts';
import { type LoadedConfig, type LoadOptions, loadConfig } from '../config/load.ts';
import { lookAround, lookAtPorts } from '../config/look-around.ts';
import { playCalls } from '../config/played-tools.ts';
import { privateHint } from '../config/private-hint.ts';
import type { Config } from '../config/schema.ts';
import { parseSource, placeFaults, placeLate } from '../config/source.ts';
import { sandboxWarnings } from '../config/warnings.ts';
import { configWords } from '../config/words.ts';
import { playAccess } from '../conversation/access/played-access.ts';
import { features } from '../features/index.ts';
import { programOnPath } from '../lib/programs.ts';
import { type InLanguage, type Language, type Words, wordsIn } from '../lib/words.ts';
import { isDataLocked } from '../store/examine.ts';
import { leftFeaturesIn } from '../store/left-tables.ts';
import { storeWords } from '../store/words.ts';
import { unknownCommands } from './described-commands.ts';
import { type PlayedPolicy, policyTables } from './policy-table.ts';
import { cliWords, processLanguage } from './words.ts';

/** The result of `keyturn config check`. Contains no secret. */
interface ConfigReport {
  /** The config is unusable while there is one. */
  readonly faults: readonly SaidFault[];
  /** Allowed, but probably not intended. */
  readonly warnings: readonly string[];
  /** Intended, but worth knowing. */
  readonly notes: readonly string[];
  /** Undefined while there is a fault. */
  readonly policy?: PlayedPolicy;
  /** For people. */
  readonly language: Language;
}

/** A fault in the language of the report. */
export interface SaidFault extends Fault {
  readonly text: string;
}

/**
 * Checks a config as a start does, but continues after faults; looks whether what it names is there; and plays calls and
 * people against its rules. Starts, sends and writes nothing. `reader`: for whom it is said; default: as the process speaks.
 */
export async function checkConfig(options: LoadOptions, reader?: Language): Promise<ConfigReport> {
  try {
    const loaded = await loadConfig(options);
    const { config, environment, path } = loaded;
    const language = reader ?? processLanguage(options.env, config);
    const found = [
      () => checkBeforeStart(loaded, language),
      () => resolveModels(config, environment),
      () => resolveTranscription(config, environment),
    ].flatMap(faultsOf);
    found.push(...(await unknownCommands(loaded)));
    const faults = loaded.source === 'file' ? placeLate(parseSource(options.path, loaded.text), found) : found;
    const secretFiles = [...(literalSecrets(loaded.text).length > 0 ? [path] : []), envFileOf(dirname(path))];
    const open = loaded.source === 'file' ? secretFiles.flatMap(readableByOthers) : [];
    // A start finds out whether there is a sandbox; that it is off is known now.
    const bare =
      config.tools.shell.sandbox === 'off' ? [...sandboxWarnings(config, { holds: false, reason: 'off' })] : [];
    const missing = await missingThings(loaded, options, language);
    const notes = [
      ...options.parts.flatMap((part) => part.notes(config)),
      ...serviceNotes(loaded, language),
      ...privateLooking(config),
    ];
    const policy = faults.length === 0 ? await playedPolicy(loaded, language) : undefined;
    const left = await leftTables(config, language);
    const warnings = [...loaded.warnings, ...secretWarnings(loaded.text), ...bare, ...open, ...missing, ...left];
    const said = (words: Words): string => wordsIn(language, words);
    return { faults: saidIn(language, faults), warnings: warnings.map(said), notes: notes.map(said), policy, language };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const language = reader ?? processLanguage(options.env);
    return { faults: saidIn(language, error.faults), warnings: [], notes: [], language };
  }
}

function saidIn(language: Language, faults: readonly Fault[]): readonly SaidFault[] {
  return faults.map((fault) => ({ ...fault, text: wordsIn(language, fault.text) }));
}

/** The features that have stored something, and are not there any longer. */
async function leftTables({ data_dir }: Config, language: Language): Promise<readonly string[]> {
  const present = await Promise.all(features.map((load) => load()));
  const left = await leftFeaturesIn(join(data_dir, 'keyturn.db'), present);
  return left.map((feature) => storeWords[language].left({ feature }));
}

/** What the config names and is not there, each with file, line and column. */
async function missingThings(
  { config, brought, environment, text }: LoadedConfig,
  { path, env, parts }: LoadOptions,
  language: Language,
): Promise<readonly string[]> {
  const findings = [
    ...(await lookAround(config, { ...environment, PATH: env.PATH }, parts)),
    ...(await lookAtPorts(config, brought, () => isDataLocked(config.data_dir))),
  ];
  return findings.length === 0 ? [] : linesOf(placeFaults(parseSource(path, text), findings), language);
}

async function playedPolicy({ config, brought, environment }: LoadedConfig, language: Language): Promise<PlayedPolicy> {
  const isConfined =
    config.tools.shell.sandbox !== 'off' &&
    process.platform === 'linux' &&
    programOnPath('bwrap', environment.PATH) !== undefined;
  return { people: playAccess(config), calls: await playCalls(config, brought, { isConfined, language }) };
}

function serviceNotes({ config: { channels }, brought }: LoadedConfig, language: Language): readonly string[] {
  const enabled = [...enabledChannels(channels).keys()];
  const isAlone = brought.listeners.length === 0 && enabled.length > 0 && enabled.every((name) => name === 'terminal');
  return isAlone ? [cliWords[language].onlyTerminal] : [];
}

/** Throws `ConfigError` if no channel is enabled, or a folder can't be used. Changes nothing. */
export function checkBeforeStart({ config }: LoadedConfig, language: Language): void {
  const { workspace, data_dir } = config;
  const faults = Object.entries({ workspace, data_dir }).flatMap(([key, path]) => unusableFolder(key, path, language));
  const text = cliWords[language].noChannel;
  if (enabledChannels(config.channels).size === 0) faults.unshift({ file: 'config', key: 'channels', text });
  if (faults.length > 0) throw new ConfigError(faults);
}

/** A missing folder is made at start, so its nearest existing parent is checked. */
function unusableFolder(key: string, path: string, language: Language): readonly Fault[] {
  const folder = path.replace(/[^/]*\{.*$/, '');
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined && dirname(folder) !== folder) return unusableFolder(key, dirname(folder), language);
  if (found?.isDirectory() === true) return [];
  return [{ file: 'config', key, text: cliWords[language].notAFolder({ folder }) }];
}

/** One line per item for people; as JSON, one object for programs. */
export function reportText(report: ConfigReport, asJson: boolean, language: Language = 'en'): string {
  const { faults, warnings, notes, policy } = report;
  const say = cliWords[language];
  if (asJson)
    return `${JSON.stringify({ valid: faults.length === 0, faults, warnings, notes, policy: policy && policyForPrograms(policy) }, undefined, 2)}\n`;
  const lines = [
    ...linesOf(faults, language),
    ...warnings.map((text) => say.warning({ text })),
    ...notes.map((text) => say.note({ text })),
    ...(policy === undefined ? [] : [...policyTables(policy, language), '']),
    faults.length === 0 ? say.usable : say.unusable,
  ];
  return `${lines.join('\n')}\n`;
}

/** The names of keys that programs know. */
function policyForPrograms({ people, ...rest }: NonNullable<ConfigReport['policy']>): object {
  return { ...rest, people: people.map(({ where, ...heard }) => ({ ...heard, place: where })) };
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

/** What you know of tools, and does not say whether what they read is private, which their names suggest. */
function privateLooking({ security }: Config): readonly InLanguage[] {
  return Object.entries(security.tools)
    .filter(([, tool]) => tool.private === undefined)
    .flatMap(([tool]) => privateHint(`security.tools.${tool}`, tool));
}

/** Not on Windows: it has no such bits, and Node makes them up. */
function readableByOthers(path: string): readonly InLanguage[] {
  const mode = process.platform === 'win32' ? undefined : statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & 0o044) === 0) return [];
  return [(language) => configWords[language].openFile({ path })];
}
