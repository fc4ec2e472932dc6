import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Node } from 'jsonc-parser';
import type { z } from 'zod';
import { isJsonObject, type JsonValue } from '../lib/json.ts';
import { withPluggedChannels } from './channel-plugin-settings.ts';
import { ConfigError, describeFault, type Fault, foundValue, type KeyPath, type PlacedFault } from './config-error.ts';
import { crossFaults } from './cross-checks.ts';
import { type Environment, envFileOf, type ReadFile, readEnvironment, readIfThere } from './environment.ts';
import { explainIssues } from './explain-issue.ts';
import { neededPlaces, withoutBlocks } from './needed-places.ts';
import { type RenamedKey, renamedKeys, withNamesOfToday } from './renamed-keys.ts';
import { type ChannelSettings, type Config, configSchema } from './schema.ts';
import { parseSource, placeFaults, type Source } from './source.ts';
import { type Substitution, secretVariables, substitute } from './substitute.ts';
import { toolFaults } from './tool-faults.ts';
import { warningsOf } from './warnings.ts';

export interface LoadOptions {
  /** Absolute, or relative to `cwd`. Messages spell it like this. */
  readonly path: string;
  /** Whether the operator named it: then it must exist. */
  readonly explicit: boolean;
  readonly env: Environment;
  readonly channels: ChannelSettings;
  readonly cwd?: string;
  readonly readFile?: ReadFile;
  /** Default: `renamedKeys`. */
  readonly renamed?: readonly RenamedKey[];
}

/** A valid config, with all defaults and absolute paths. */
export interface LoadedConfig {
  readonly config: Config;
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
  /** Allowed, but important enough to show at start. */
  readonly warnings: readonly string[];
  /** Lines of `.env` that set nothing: warnings at start, faults when the config is checked. */
  readonly envFaults: readonly Fault[];
}

/**
 * Reads the config. Throws `ConfigError` with all faults. A missing file that the operator did not name counts as
 * empty.
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { path: name, explicit, env, channels, cwd = process.cwd(), readFile: read = readFileNow } = options;
  const path = resolve(cwd, name);
  const text = await readText(path, name, read);
  if (text === undefined && explicit) throw new ConfigError([{ file: name, key: '', text: 'there is no such file.' }]);
  const folder = text === undefined ? cwd : dirname(path);
  const { environment, faults: envFaults } = await readEnvironment(folder, env, read);
  const { source, notices } = withNamesOfToday(parseSource(name, text ?? ''), options.renamed ?? renamedKeys);
  const { config: written, faults: found, secrets } = understand(source, { channels, environment, folder });
  const ofTools = written === undefined ? [] : await toolFaults(written, source.tree);
  const faults = hideSecrets(placeFaults(source, [...found, ...ofTools]), secrets);
  if (written === undefined || faults.length > 0) throw new ConfigError(faults);
  const config = withAbsolutePaths(written, folder);
  return {
    config,
    path,
    source: text === undefined ? 'defaults' : 'file',
    text: text ?? '',
    environment,
    secrets: [...new Set([...secrets, ...secretVariables(environment)])],
    warnings: [...notices, ...warningsOf(config, path), ...envFaults.map(describeFault)],
    envFaults,
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
  const substitution = substitute(tree, environment, envFileOf(folder));
  const known = withPluggedChannels(channels, substitution.value);
  const isNeeded = neededPlaces(substitution.value, known);
  const faults = [
    ...source.faults,
    ...substitution.faults,
    ...substitution.missing.filter(({ path }) => isNeeded(path)),
    ...crossFaults(substitution.value, tree, Object.keys(channels)),
  ];
  return { ...validate(substitution, faults, configSchema(known), tree), secrets: substitution.secrets };
}

/** The valid part of the config; undefined if too little is valid for further checks. */
function validate(
  { value, unset }: Substitution,
  found: readonly PlacedFault[],
  schema: ReturnType<typeof configSchema>,
  tree: Node | undefined,
) {
  const result = schema.safeParse(value);
  const issues = result.success ? [] : result.error.issues.filter((issue) => !isUnset(issue.path, unset));
  const faults = [...found, ...onePerKey(explainIssues(issues.slice(0, mostIssues), schema, tree))];
  if (result.success) return { config: result.data, faults };
  const used = withoutBlocks(value, unset);
  if (faults.length === 0) return { config: schema.parse(used), faults };
  return { config: schema.safeParse(withoutKeys(used, result.error.issues)).data, faults };
}

/** Without the top-level keys that have issues; undefined if the tools can't be understood without them. */
function withoutKeys(value: JsonValue, issues: z.ZodError['issues']): JsonValue | undefined {
  const keys = new Set(
    issues.flatMap((issue) => issue.path[0] ?? (issue.code === 'unrecognized_keys' ? issue.keys : [])),
  );
  if (['tools', 'custom_tools', 'composed_tools'].some((key) => keys.has(key)) || !isJsonObject(value))
    return undefined;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.has(key)));
}

/** Each costs a search in the text, and nobody reads more. */
const mostIssues = 200;

/** Keeps the last fault of each value: the most specific. */
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

/** Our own messages contain no variable's value, but those of a channel's settings might. */
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

/** Synchronous: starting threads costs more than reading two small files. */
async function readFileNow(path: string): Promise<Uint8Array> {
  return readFileSync(path);
}

/** Relative paths start at the folder, `~/` at the home folder. */
function withAbsolutePaths(config: Config, folder: string): Config {
  const absolute = (path: string): string => absolutePath(path, folder);
  const inFolder = <Hook extends { readonly working_dir: string }>(hook: Hook): Hook => ({
    ...hook,
    working_dir: absolute(hook.working_dir),
  });
  return {
    ...config,
    data_dir: absolute(config.data_dir),
    workspace: absolute(config.workspace),
    plugins: { ...config.plugins, plugin_dirs: config.plugins.plugin_dirs.map(absolute) },
    tool_modules: config.tool_modules.map(absolute),
    channel_plugins: mapped(config.channel_plugins, ({ path, from, ...plugin }) => ({
      ...{ ...plugin, from: absolute(from) },
      ...(path !== undefined && { path: absolute(path) }),
    })),
    hooks: {
      before_tool_call: config.hooks.before_tool_call.map(inFolder),
      after_tool_call: config.hooks.after_tool_call.map(inFolder),
    },
    mcp_servers: mapped(config.mcp_servers, (server) => ({ ...server, cwd: absolute(server.cwd ?? '.') })),
    agents: mapped(config.agents, (agent) =>
      agent.workspace === undefined ? agent : { ...agent, workspace: absolute(agent.workspace) },
    ),
  };
}

function mapped<Block>(blocks: Readonly<Record<string, Block>>, change: (block: Block) => Block) {
  return Object.fromEntries(Object.entries(blocks).map(([name, block]) => [name, change(block)]));
}

/** Relative to the folder, unless it begins with `/` or `~/`. */
export function absolutePath(path: string, folder: string): string {
  if (path === '~' || path.startsWith('~/')) return resolve(homedir(), path.slice(2));
  return resolve(folder, path);
}
