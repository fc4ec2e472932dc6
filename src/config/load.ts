import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { channelPluginFaults } from './channel-plugin-faults.ts';
import { withPluggedChannels } from './channel-plugin-settings.ts';
import { ConfigError, type Fault } from './config-error.ts';
import { crossFaults } from './cross-checks.ts';
import { customToolFaults } from './custom-tool-faults.ts';
import { type Environment, envFileOf, type ReadFile, readEnvironment, readIfThere } from './environment.ts';
import { explainIssue } from './explain-issue.ts';
import { foundValue } from './found-value.ts';
import { neededPlaces, withoutBlocks } from './needed-places.ts';
import { withAbsolutePaths } from './paths.ts';
import type { KeyPath, PlacedFault } from './placed-fault.ts';
import { type ChannelSettings, type Config, configSchema } from './schema.ts';
import { secretVariables } from './secret-values.ts';
import { parseSource, placeFaults, type Source } from './source.ts';
import { type Substitution, substitute } from './substitute.ts';
import { warningsOf } from './warnings.ts';

/** Where the config is, and what it is read with. */
export interface LoadOptions {
  /** Relative to `cwd`, or absolute. Messages spell it as it is here. */
  readonly path: string;
  /** Whether the operator named it: then it must exist. */
  readonly explicit: boolean;
  readonly env: Environment;
  readonly channels: ChannelSettings;
  readonly cwd?: string;
  readonly readFile?: ReadFile;
}

/** A config that is valid, with all defaults in and absolute paths. */
export interface LoadedConfig {
  readonly config: Config;
  /** Absolute, whether there is a file or not. */
  readonly path: string;
  readonly source: 'file' | 'defaults';
  /** The variables of the process, and behind them those of `.env`: what `resolveModel` looks into. */
  readonly environment: Environment;
  /**
   * What nobody may read: what stands under secret keys, values of variables that the config names or whose names look
   * secret. Paths, numbers and plain addresses are not among them.
   */
  readonly secrets: readonly string[];
  /** What is allowed, and worth saying loudly at start. */
  readonly warnings: readonly string[];
}

/** Reads the config. Throws `ConfigError` with all that is wrong with it; a missing file that nobody named is an empty one. */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { path: name, explicit, env, channels, cwd = process.cwd(), readFile: read = readFileNow } = options;
  const path = resolve(cwd, name);
  const text = await readText(path, name, read);
  if (text === undefined && explicit) throw new ConfigError([{ file: name, key: '', text: 'there is no such file.' }]);
  const folder = text === undefined ? cwd : dirname(path);
  const environment = await readEnvironment(folder, env, read);
  const source = parseSource(name, text ?? '');
  const { config: written, secrets } = understand(source, { channels, environment, folder });
  const faults = hideSecrets(placeFaults(source, await customToolFaults(written, source.tree)), secrets);
  if (faults.length > 0) throw new ConfigError(faults);
  const config = withAbsolutePaths(written, folder);
  return {
    config,
    path,
    source: text === undefined ? 'defaults' : 'file',
    environment,
    secrets: [...new Set([...secrets, ...secretVariables(environment)])],
    warnings: warningsOf(config, path),
  };
}

interface Surroundings {
  readonly channels: ChannelSettings;
  readonly environment: Environment;
  readonly folder: string;
}

function understand(source: Source, { channels, environment, folder }: Surroundings) {
  const { tree } = source;
  if (tree === undefined && source.faults.length > 0) throw new ConfigError(placeFaults(source, source.faults));
  if (tree !== undefined && tree.type !== 'object') throw new ConfigError(placeFaults(source, [wrongRoot(source)]));
  const variables = { environment, envFile: envFileOf(folder) };
  const draft = substitute(tree, { ...variables, isNeeded: () => false });
  const known = withPluggedChannels(channels, draft.value);
  const substitution = substitute(tree, { ...variables, isNeeded: neededPlaces(draft.value, known) });
  const taken = channelPluginFaults(draft.value, Object.keys(channels), tree);
  const { faults } = substitution;
  const config = validate(source, { ...substitution, faults: [...faults, ...taken] }, known);
  return { config, secrets: substitution.secrets };
}

function validate(source: Source, substitution: Substitution, channels: ChannelSettings): Config {
  const { tree } = source;
  const { value, unset } = substitution;
  const schema = configSchema(channels);
  const result = schema.safeParse(value);
  const issues = result.success ? [] : result.error.issues.filter((issue) => !isUnset(issue.path, unset));
  const faults: readonly PlacedFault[] = [
    ...source.faults,
    ...substitution.faults,
    ...crossFaults(value, tree),
    ...onePerKey(issues.slice(0, mostIssues).flatMap((issue) => explainIssue(issue, { schema, tree }))),
  ];
  if (faults.length > 0) throw new ConfigError(hideSecrets(placeFaults(source, faults), substitution.secrets));
  return result.success ? result.data : schema.parse(withoutBlocks(value, unset));
}

/** Each costs a search in the text, and nobody reads more. */
const mostIssues = 200;

/** What a schema says of one value is said in its last, narrowest words. */
function onePerKey(faults: readonly PlacedFault[]): readonly PlacedFault[] {
  return [...new Map(faults.map((fault) => [JSON.stringify(fault.path), fault])).values()];
}

function isUnset(path: readonly PropertyKey[], unset: readonly KeyPath[]): boolean {
  return unset.some((place) => place.length <= path.length && place.every((segment, index) => segment === path[index]));
}

function wrongRoot({ tree }: Source): PlacedFault {
  const found = tree === undefined || tree.type === 'string' ? 'a string' : foundValue(tree, []);
  return { offset: tree?.offset ?? 0, path: [], text: `expected one object, { "key": value, … }, but found ${found}.` };
}

/** Our own messages name no value that came from a variable; those of a channel's settings might. */
function hideSecrets(faults: readonly Fault[], secrets: readonly string[]): readonly Fault[] {
  const long = secrets.filter((secret) => secret.length >= 6).sort((a, b) => b.length - a.length);
  return faults.map((fault) => ({
    ...fault,
    text: long.reduce((text, secret) => text.replaceAll(secret, '(not shown)'), fault.text),
  }));
}

async function readText(path: string, name: string, read: ReadFile): Promise<string | undefined> {
  const bytes = await readIfThere(path, read);
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigError([{ file: name, key: '', text: 'the file is not UTF-8. Save it as UTF-8.' }], {
      cause: error,
    });
  }
}

/** Two small files, once: not worth the threads that reading them in the background would start. */
async function readFileNow(path: string): Promise<Uint8Array> {
  return readFileSync(path);
}
