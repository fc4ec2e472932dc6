import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { resolveModels, resolveTranscription } from '../config/choose-model.ts';
import { ConfigError, describeFault, type Fault } from '../config/config-error.ts';
import { envFileOf } from '../config/environment.ts';
import { type LoadedConfig, type LoadOptions, loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { sandboxWarnings } from '../config/warnings.ts';
import { enabledChannels } from '../daemon/settings.ts';

/** What `keyturn config check` found. Holds no secret. */
interface ConfigReport {
  /** The file can't be used while there is one. */
  readonly faults: readonly Fault[];
  /** What is allowed, and probably not meant. */
  readonly warnings: readonly string[];
  /** What is as it is written, and worth knowing. */
  readonly notes: readonly string[];
}

/** Looks at a config as a start does, and goes on where a start would end. Nothing is opened or written. */
export async function checkConfig(options: LoadOptions): Promise<ConfigReport> {
  try {
    const loaded = await loadConfig(options);
    const { config, environment, envFaults, path } = loaded;
    const faults = [
      () => checkBeforeStart(loaded),
      () => resolveModels(config, environment),
      () => resolveTranscription(config, environment),
    ].flatMap(faultsOf);
    const open = loaded.source === 'file' ? [path, envFileOf(dirname(path))].flatMap(readableByOthers) : [];
    // Whether there is a sandbox is found out at a start; that it is off is not.
    const bare =
      config.tools.shell.sandbox === 'off' ? sandboxWarnings(config, { holds: false, reason: 'it is off' }) : [];
    const isFault = new Set(envFaults.map(describeFault));
    const warnings = [...loaded.warnings.filter((warning) => !isFault.has(warning)), ...bare, ...open];
    return { faults: [...faults, ...envFaults], warnings, notes: serverNotes(config) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { faults: error.faults, warnings: [], notes: [] };
  }
}

/** Throws `ConfigError` if nobody could talk with it, or there is no place for its files. Changes nothing. */
export function checkBeforeStart({ config }: LoadedConfig): void {
  const { workspace, data_dir } = config;
  const faults = Object.entries({ workspace, data_dir }).flatMap(([key, path]) => unusableFolder(key, path));
  const text = 'no channel is enabled, so nobody could talk with it. Enable one: "terminal": { "enabled": true }.';
  if (enabledChannels(config).size === 0) faults.unshift({ file: 'config', key: 'channels', text });
  if (faults.length > 0) throw new ConfigError(faults);
}

/** A folder that is not there is made at a start: then the nearest one above it tells. */
function unusableFolder(key: string, path: string): readonly Fault[] {
  const folder = path.replace(/[^/]*\{.*$/, '');
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined && dirname(folder) !== folder) return unusableFolder(key, dirname(folder));
  if (found?.isDirectory() === true) return [];
  return [{ file: 'config', key, text: `${folder} is no folder.` }];
}

/** For people: a line each. As JSON: one object, for programs. */
export function reportText({ faults, warnings, notes }: ConfigReport, asJson: boolean): string {
  if (asJson) return `${JSON.stringify({ valid: faults.length === 0, faults, warnings, notes }, undefined, 2)}\n`;
  const lines = [
    ...(faults.length === 0 ? [] : [new ConfigError(faults).message]),
    ...warnings.map((warning) => `Warning  ${warning}`),
    ...notes.map((note) => `Note     ${note}`),
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

type Server = Config['mcp_servers'][string];

/** What the rules know of the tools of each MCP server, as far as that is known before it is asked. */
function serverNotes({ mcp_servers }: Config): readonly string[] {
  const on = Object.entries(mcp_servers).filter(([, { enabled }]) => enabled);
  return on.flatMap(([name, server]) => {
    const { category, tools, trust_annotations } = server;
    // What a server says of itself counts less than the operator's word for it; that something is destroyed is believed.
    const rest =
      category ??
      (trust_annotations ? `${defaultCategory}, or network_read where they say that they only read` : defaultCategory);
    const all = `${rest}, or destructive where they say so`;
    return [
      `mcp_servers.${name}: its tools are ${all}; ${toolWords(server)}.`,
      ...Object.entries(tools).map(([pattern, tool]) =>
        tool.enabled
          ? `mcp_servers.${name}, ${pattern}: ${tool.category ?? all}; ${toolWords({ ...server, ...given(tool) })}.`
          : `mcp_servers.${name}, ${pattern}: off.`,
      ),
    ];
  });
}

/** What a tool says for itself, in place of what all of its server have. */
function given(tool: Server['tools'][string]): Partial<Server['tools'][string]> {
  return Object.fromEntries(Object.entries(tool).filter(([, value]) => value !== undefined));
}

/** What the rules of taint go by. */
function toolWords({ outbound = true, trusted = false, ...said }: Partial<Omit<Server, 'category'>>): string {
  const targets = said.targets === undefined ? 'by the names of their parameters' : said.targets.join(', ') || 'none';
  return `private: ${said.private ?? 'by category'}, outbound: ${outbound}, trusted: ${trusted}, targets: ${targets}`;
}

/** Of a tool that nobody has said anything about: it asks. */
const defaultCategory = 'network_write';

/** Windows has no such bits: there Node makes them up. */
function readableByOthers(path: string): readonly string[] {
  const mode = process.platform === 'win32' ? undefined : statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & 0o044) === 0) return [];
  return [`${path} can be read by other users of this machine, and may hold secrets. Run: chmod 600 "${path}"`];
}
