import { isDeepStrictEqual } from 'node:util';
import { resolveModels, resolveTranscription } from '../config/choose-model.ts';
import { ConfigError, type Fault } from '../config/config-error.ts';
import { enabledChannels } from '../config/extension-settings.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { parseSource, placeLate } from '../config/source.ts';
import type { Channel, ChannelAdapter } from '../contract.ts';
import type { ChannelEdit } from '../daemon/channels.ts';
import type { Setup } from '../daemon/services.ts';
import { anywhere } from '../daemon/shared-parts.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Network } from '../lib/network/network.ts';
import { openNetwork } from '../lib/network/open-network.ts';
import { ModelError } from '../models/language-model.ts';
import { openModels } from '../models/open-models.ts';
import type { Transcriber } from '../models/transcriber.ts';
import { type CommandShell, findShell } from '../tools/guard/process/command-shell.ts';
import type { SandboxState } from '../tools/guard/process/sandbox.ts';
import { findWrapper, trySandbox } from '../tools/guard/process/sandbox-trial.ts';
import { sandboxWords } from '../tools/guard/process/words.ts';
import { WorkspaceFolderError, workspaceFinder } from '../tools/guard/workspace/workspace.ts';
import { checkBeforeStart } from './check-config.ts';
import { unknownCommands } from './described-commands.ts';
import { processLanguage } from './words.ts';

export type ChannelLoaders = Readonly<Record<string, () => Promise<Channel>>>;

export interface OpenParts {
  readonly loaders: ChannelLoaders;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
}

/** A config with everything it names opened: models, channels, the sandbox. */
export interface OpenSetup {
  readonly loaded: LoadedConfig;
  readonly setup: Setup;
  /** The channels that changed; at start, all. */
  readonly channels: ChannelEdit;
  readonly madeOf: MadeOf;
}

/** The part of the config that each part was made from: a part is reused while it is equal. */
type MadeOf = ReturnType<typeof wantedOf> & {
  /** By name; only enabled channels. */
  readonly channels: ReadonlyMap<string, unknown>;
};

/** Opens what a config names, reusing running parts that have not changed. Connects nothing. Throws `ConfigError`. */
export async function openSetup(loaded: LoadedConfig, parts: OpenParts, running?: OpenSetup): Promise<OpenSetup> {
  try {
    checkBeforeStart(loaded, processLanguage(parts.environment, loaded.config));
    const unknown = await unknownCommands(loaded);
    if (unknown.length > 0) throw placed(unknown, loaded);
    return await openAll(loaded, parts, running);
  } catch (error) {
    if (!(error instanceof ModelError || error instanceof WorkspaceFolderError)) throw error;
    throw new ConfigError([{ key: '', text: (language) => error.saidIn(language) }], { cause: error });
  }
}

async function openAll(loaded: LoadedConfig, parts: OpenParts, running?: OpenSetup): Promise<OpenSetup> {
  const { workspace } = loaded.config;
  if (workspace !== running?.loaded.config.workspace && !workspace.includes('{')) workspaceFinder(workspace)(anywhere);
  const { config, secrets } = loaded;
  const before = running?.madeOf;
  const wanted = wantedOf(loaded);
  const isKept = (part: keyof typeof wanted): boolean => isDeepStrictEqual(wanted[part], before?.[part]);
  const old = running?.setup;
  // What an update of the system has brought, or taken away, counts from the next edit on.
  const shell = findShell(parts.environment.PATH);
  const isSameWay = isKept('network');
  const network = old?.network !== undefined && isSameWay ? old.network : await openNetwork(wanted.network);
  // The trial of the sandbox is another process, which runs while this one loads.
  const [sandbox, models, transcriber, channels] = await Promise.all([
    old !== undefined && isKept('sandbox') ? old.sandbox : sandboxOf(wanted.sandbox, shell, parts.environment),
    old !== undefined && isSameWay && isKept('models') ? old.models : openModels(wanted.models, { ...parts, network }),
    old !== undefined && isSameWay && isKept('transcriber')
      ? old.transcriber
      : openTranscriber(wanted.transcriber, parts.clock, network),
    openChannels(config, { loaders: parts.loaders, network, isSameWay }, before?.channels ?? new Map()),
  ]);
  const { worksWith, ...edit } = channels;
  // Previous secrets stay secret after an edit removes them.
  const allSecrets = [...new Set([...secrets, ...(old?.secrets ?? [])])];
  return {
    loaded,
    setup: {
      config,
      models,
      transcriber,
      network,
      secrets: allSecrets,
      sandbox,
      warnings: loaded.warnings,
      shell: await shell,
    },
    channels: edit,
    madeOf: { ...wanted, channels: worksWith },
  };
}

/** Throws `ConfigError`, with file and line, if a model has no key. */
function wantedOf({ config, environment, network, source, path, text }: LoadedConfig) {
  const { sandbox: kind, allowed_domains } = config.tools.shell;
  try {
    return {
      network: network.proxies,
      models: resolveModels(config, environment),
      transcriber: resolveTranscription(config, environment),
      sandbox: { kind, needsNetwork: allowed_domains.length > 0 },
    };
  } catch (error) {
    if (!(error instanceof ConfigError) || source !== 'file') throw error;
    throw placed(error.faults, { path, source, text }, error);
  }
}

/** With file and line, if there is a file. */
function placed(
  faults: readonly Fault[],
  { source, path, text }: Pick<LoadedConfig, 'source' | 'path' | 'text'>,
  cause?: ConfigError,
): ConfigError {
  return new ConfigError(source === 'file' ? placeLate(parseSource(path, text), faults) : faults, { cause });
}

interface Ways {
  readonly loaders: ChannelLoaders;
  readonly network: Network;
  /** The network is that of the running channels. */
  readonly isSameWay: boolean;
}

/** Makes the channels that are new, or whose adapters need other settings or another network. */
async function openChannels(
  config: Config,
  { loaders, network, isSameWay }: Ways,
  before: ReadonlyMap<string, unknown>,
) {
  const worksWith = new Map<string, unknown>();
  const made = new Map<string, ChannelAdapter>();
  const names = [...enabledChannels(config.channels).keys()];
  const loaded = await Promise.all(names.map(async (name) => [name, await loaders[name]?.()] as const));
  // In the order of the config, in which they are connected.
  for (const [name, channel] of loaded) {
    if (channel === undefined) continue;
    const settings = channel.worksWith(config.channels[name]);
    worksWith.set(name, settings);
    const isReached = isSameWay || channel.isLocal === true;
    if (!before.has(name) || !isReached || !isDeepStrictEqual(settings, before.get(name)))
      made.set(name, channel.create(config.channels[name], network));
  }
  return { made, gone: [...before.keys()].filter((name) => !worksWith.has(name)), worksWith };
}

async function openTranscriber(
  description: MadeOf['transcriber'],
  clock: Clock,
  network: Network,
): Promise<Transcriber | undefined> {
  return description && (await import('../models/transcriber.ts')).openAiTranscriber(description, clock, network);
}

async function sandboxOf(
  { kind, needsNetwork }: MadeOf['sandbox'],
  shell: Promise<CommandShell>,
  environment: NodeJS.ProcessEnv,
): Promise<SandboxState> {
  const isOff = kind === 'off';
  const state: SandboxState = isOff
    ? { holds: false, reason: (language) => sandboxWords[language].isOff }
    : await trySandbox({ environment, needsNetwork, shell: await shell });
  const wrapper = state.holds ? undefined : await findWrapper(environment, !isOff);
  return wrapper === undefined || state.holds ? state : { ...state, wrapper };
}
