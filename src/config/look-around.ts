/*
 * Looks at what the config names outside of itself: programs, files, folders, ports and local servers. It only looks:
 * nothing is started, written or sent, and no other machine is asked.
 */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { isJsonObject } from '../lib/json.ts';
import { mayRun, programOnPath } from '../lib/programs.ts';
import type { InLanguage, Language } from '../lib/words.ts';
import type { Finding, KeyPath } from './config-error.ts';
import type { Environment } from './environment.ts';
import { enabledChannels } from './extension-settings.ts';
import type { Config } from './schema.ts';
import { type Brought, broughtBy, type SettingsPart } from './settings-part.ts';
import { isOff } from './tool-rules.ts';
import { configWords } from './words.ts';

/** What is missing or taken, each with its place in the config and what to do. The config's paths are absolute. */
export async function lookAround(
  config: Config,
  environment: Environment,
  parts: readonly SettingsPart[],
): Promise<readonly Finding[]> {
  const { PATH: path = '' } = environment;
  const found = await Promise.all([
    folderFindings(config),
    customFindings(config, path),
    sandboxFindings(config, path),
    addressFindings(config, broughtBy(parts, config)),
    ...parts.map((part) => part.missing(config, environment)),
  ]);
  return found.flat();
}

/** The folders that Keyturn and its tools write to. A missing one is made at a start, in the nearest one above it. */
function folderFindings({ data_dir, workspace, agents }: Config): readonly Finding[] {
  const folders: readonly (readonly [KeyPath, string])[] = [
    [['data_dir'], data_dir],
    [['workspace'], workspace],
    ...Object.entries(agents).map(
      ([name, agent]) => [['agents', name, 'workspace'], agent.workspace ?? workspace] as const,
    ),
  ];
  return folders.flatMap(([path, template]) => {
    const folder = nearestFolder(resolve(template.replace(/[^/]*\{.*$/, '')));
    if (canUse(folder, constants.W_OK | constants.X_OK)) return [];
    return [{ path, text: (language: Language) => configWords[language].cannotWrite({ folder }) }];
  });
}

function nearestFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

function canUse(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Whether there is such a folder. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** What is wrong where it is not. */
export function noFolder(folder: string): InLanguage {
  return (language) => configWords[language].noFolder({ folder });
}

/** Why a program cannot be started; undefined if it can. */
export function missingProgram(program: string, folder: string, path: string): InLanguage | undefined {
  if (!program.includes('/')) {
    if (programOnPath(program, path) !== undefined) return undefined;
    return (language) => configWords[language].noProgram({ program });
  }
  const file = resolve(folder, program);
  if (mayRun(file)) return undefined;
  if (!existsSync(file)) return (language) => configWords[language].noFile({ file });
  return (language) => configWords[language].notExecutable({ file });
}

/** They run in the workspace, whose own programs may come later. */
async function customFindings({ custom_tools }: Config, path: string): Promise<readonly Finding[]> {
  const found = await Promise.all(
    custom_tools.map(async ({ command, env }, index) => {
      const text = await missingIn(command, undefined, env.PATH ?? path);
      return text === undefined ? [] : [{ path: ['custom_tools', index, 'command'], text }];
    }),
  );
  return found.flat();
}

/** Why the first program of a shell command cannot be started; undefined if it can, or that is not known. */
export async function missingIn(
  command: string,
  folder: string | undefined,
  path: string,
): Promise<InLanguage | undefined> {
  const { readCommands } = await import('../tools/guard/command/read-commands.ts');
  const [first] = readCommands(command).commands;
  const { programPath = '', assignments = [] } = first ?? {};
  if (programPath === '' || programPath.includes('{') || ownWords.has(programPath) || assignments.length > 0)
    return undefined;
  if (programPath.includes('/') && !programPath.startsWith('/') && folder === undefined) return undefined;
  return missingProgram(programPath, folder ?? '/', path);
}

/** The words that a shell obeys itself. */
const ownWords: ReadonlySet<string> = new Set(
  `. : [ alias bg break cd command continue echo eval exec exit export false fg getopts hash jobs kill let local printf pwd
  read readonly return set shift source test times trap true type typeset ulimit umask unalias unset wait`.split(/\s+/),
);

/** Programs of the sandbox, where the config relies on it. */
function sandboxFindings(config: Config, path: string): readonly Finding[] {
  const { sandbox, allowed_domains, allow } = config.tools.shell;
  if (isOff(config, 'shell') || sandbox === 'off' || process.platform !== 'linux') return [];
  const key = sandbox === 'required' ? 'sandbox' : allowed_domains.length > 0 ? 'allowed_domains' : 'allow';
  if (sandbox !== 'required' && allowed_domains.length + allow.length === 0) return [];
  const needed = ['bwrap', ...(allowed_domains.length > 0 ? ['socat'] : [])];
  const missing = needed.filter((name) => programOnPath(name, path) === undefined);
  if (missing.length === 0) return [];
  return [{ path: ['tools', 'shell', key], text: (language) => configWords[language].needsSandbox({ missing }) }];
}

/** Servers of this machine that do not listen. */
async function addressFindings(
  { models, transcription, tools, channels }: Config,
  { servers }: Brought,
): Promise<readonly Finding[]> {
  const { web_search } = tools;
  const addresses: readonly (readonly [KeyPath, unknown])[] = [
    ...Object.entries(models).map(([name, { base_url }]) => [['models', name, 'base_url'], base_url] as const),
    [['transcription', 'base_url'], transcription?.base_url],
    [['tools', 'web_search', 'base_url'], web_search.enabled ? web_search.base_url : undefined],
    ...servers.map(({ path, address }) => [path, address] as const),
    ...[...enabledChannels(channels).keys()].flatMap((name) =>
      Object.entries(Object(channels[name]))
        .filter(([key]) => /_(?:url|root)$/.test(key))
        .map(([key, value]) => [['channels', name, key], value] as const),
    ),
  ];
  const found = await Promise.all(
    addresses.map(async ([path, address]) => {
      const url = typeof address === 'string' ? URL.parse(address) : null;
      if (url === null || !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)) return [];
      const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
      if (await doesListen(url.hostname.replace(/^\[|\]$/g, ''), port)) return [];
      return [{ path, text: (language: Language) => configWords[language].nothingListens({ address: url.origin }) }];
    }),
  );
  return found.flat();
}

/** In ms, for a server of this machine. */
const patience = 1_000;

function doesListen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: patience });
    const end = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    // It may be busy.
    socket.once('timeout', () => end(true));
  });
}

/** Ports that cannot be opened. `isOurs`: a running Keyturn of this data folder holds what is taken. */
export async function lookAtPorts(
  { channels }: Config,
  { listeners, ports }: Brought,
  isOurs: () => boolean,
): Promise<readonly Finding[]> {
  const places: readonly (readonly [KeyPath, unknown])[] = [
    ...[...listeners, ...ports].map((listener) => [[listener.key, 'port'], listener] as const),
    ...[...enabledChannels(channels).keys()].map((name) => {
      const block: unknown = channels[name];
      const isOpen = isJsonObject(block) && block.mode === 'http';
      return [['channels', name, 'http', 'port'], isOpen ? block.http : undefined] as const;
    }),
  ];
  const found = await Promise.all(
    places.map(async ([path, place]) => {
      const { host, port }: { host?: unknown; port?: unknown } = Object(place);
      if (typeof port !== 'number' || port === 0 || typeof host !== 'string') return [];
      const code = await portFault(host, port);
      if (code === undefined || (code === 'EADDRINUSE' && isOurs())) return [];
      return [{ path, text: portWords(code, host, port) }];
    }),
  );
  return found.flat();
}

function portWords(code: string, host: string, port: number): InLanguage {
  return (language) => {
    const say = configWords[language];
    if (code === 'EADDRINUSE') return say.portTaken({ host, port });
    if (code === 'EACCES') return say.portDenied({ port });
    return code === 'EADDRNOTAVAIL' ? say.noAddress({ host }) : say.cannotListen({ host, port, code });
  };
}

/** Why the port cannot be opened; undefined if it can. It is closed again at once. */
function portFault(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port }, () => server.close(() => resolve(undefined)));
  });
}
