import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { boundsWords } from '../approval/bounds-words.ts';
import { resolveModels } from '../config/choose-models.ts';
import { resolveTranscription } from '../config/choose-transcription.ts';
import { ConfigError } from '../config/config-error.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { sandboxWarnings } from '../config/sandbox-warnings.ts';
import type { Config } from '../config/schema.ts';
import type { Channel, ChannelAdapter } from '../contract.ts';
import { WorkspaceFolderError } from '../conversation/workspaces.ts';
import { createDaemon, type Daemon } from '../daemon/daemon.ts';
import { approvalSettingsOf, enabledChannels } from '../daemon/settings.ts';
import { systemClock } from '../lib/clock.ts';
import type { CrashPoints } from '../lib/crash-points.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { ownVersion } from '../lib/own-version.ts';
import { ModelError } from '../model/language-model.ts';
import { DataLockedError } from '../store/data-lock.ts';
import { StoreError } from '../store/store-error.ts';
import { type SandboxState, trySandbox } from '../tools/guard/process/sandbox-trial.ts';
import { readArguments, usage } from './arguments.ts';
import { createLog } from './create-log.ts';
import { giveBackMemory } from './give-back-memory.ts';
import { greeting } from './greeting.ts';
import { openModels, openTranscriber } from './open-model.ts';

export interface RunOptions {
  readonly process: NodeJS.Process;
  readonly channelLoaders: Readonly<Record<string, () => Promise<Channel>>>;
  readonly channelSettings: Readonly<Record<string, z.ZodType>>;
  readonly crashPoint: CrashPoints;
}

/** How long the end may take before it is forced, in milliseconds. */
const longestEnd = 4_800;

/** Runs Keyturn as this process, until it is told to end. Explains in words what keeps it from starting. */
export async function runDaemon(options: RunOptions): Promise<void> {
  const { process } = options;
  const request = readArguments(process.argv.slice(2));
  switch (request.type) {
    case 'help':
      process.stdout.write(usage);
      return;
    case 'version':
      process.stdout.write(`${ownVersion()}\n`);
      return;
    case 'wrong':
      process.stderr.write(`${request.reason}\n\n${usage}`);
      process.exitCode = 2;
      return;
    case 'run':
      try {
        await start(options, request.configPath, request.isExplicit);
      } catch (error) {
        process.stderr.write(explain(error));
        process.exitCode = 1;
      }
  }
}

async function start(options: RunOptions, configPath: string, isExplicit: boolean): Promise<void> {
  const { process, channelLoaders, channelSettings, crashPoint } = options;
  const loaded = await loadConfig({
    path: configPath,
    explicit: isExplicit,
    env: process.env,
    channels: channelSettings,
  });
  const { config } = loaded;
  // Tried beside what follows: it takes as long as starting a program does.
  const trying = sandboxOf(config, process.env);
  const isAtTerminal =
    process.stdin.isTTY === true && process.stdout.isTTY === true && enabledChannels(config).has('terminal');
  // Lines of the log would stand between the lines of the talk.
  const isTerminalAlone = enabledChannels(config).size === 1 && enabledChannels(config).has('terminal');
  const level = (isAtTerminal || isTerminalAlone) && config.log.level === 'info' ? 'warn' : config.log.level;
  const log = await createLog({ level, isPretty: process.stderr.isTTY === true, secrets: loaded.secrets });
  const choice = resolveModels(config, loaded.environment);
  const models = await openModels(choice, { clock: systemClock, log });
  const transcriber = await openTranscriber(resolveTranscription(config, loaded.environment), systemClock);
  const adapters = await openChannels(loaded, channelLoaders);
  const claimCode = newId(8);
  const sandbox = await trying;

  const ending = Promise.withResolvers<void>();
  // From here on, before anybody can read that it runs, it ends in order when it is told to.
  watchProcess(process, log, ending.resolve);
  const daemon = await createDaemon({
    config,
    models,
    ...(transcriber === undefined ? {} : { transcriber }),
    adapters,
    clock: systemClock,
    log,
    crashPoint,
    environment: process.env,
    secrets: loaded.secrets,
    sandbox,
    privatePaths: [loaded.path, join(dirname(loaded.path), '.env')],
    claimCode,
    stopRequested: () => ending.resolve(),
  });
  const needsClaim = daemon.isUnclaimed && [...adapters.values()].some(({ localOwner }) => localOwner === undefined);
  const words = greeting({
    version: ownVersion(),
    configPath: loaded.path,
    hasConfig: loaded.source === 'file',
    model: models.of(undefined).label,
    isOffline: choice.models.get(choice.defaultName)?.provider === 'offline',
    why: choice.why,
    workspace: config.workspace,
    channels: [...adapters].map(([name, { capabilities }]) => ({
      name,
      commandPrefix: capabilities.commandPrefix ?? '/',
    })),
    policy: config.approval.enabled ? config.approval.policy : 'off: nothing asks',
    ...(config.tools.shell.enabled ? { shell: shellLine(config, sandbox) } : {}),
    ...(config.gateway.enabled ? { devices: `http://${config.gateway.host}:${config.gateway.port}` } : {}),
    ...(needsClaim ? { claimCode } : {}),
    isAtTerminal,
    warnings: [...loaded.warnings, ...sandboxWarnings(config, sandbox)],
  });
  // What is piped out of Keyturn is the answers.
  (process.stdout.isTTY === true ? process.stdout : process.stderr).write(words);
  // No timer and no paused input of ours keeps a process alive: this does.
  const alive = setInterval(() => {}, 2 ** 30);
  try {
    await daemon.start();
    giveBackMemory();
    await ending.promise;
  } catch (error) {
    process.stderr.write(explain(error));
    process.exitCode = 1;
  } finally {
    clearInterval(alive);
  }
  await end(process, daemon, log);
}

async function sandboxOf({ tools }: Config, environment: NodeJS.ProcessEnv): Promise<SandboxState> {
  const { sandbox, allowed_domains } = tools.shell;
  if (sandbox === 'off') return { holds: false, reason: 'tools.shell.sandbox is "off"' };
  return trySandbox({ environment, needsNetwork: allowed_domains.length > 0 });
}

function shellLine(config: Config, sandbox: SandboxState): string {
  const isRequired = config.tools.shell.sandbox === 'required';
  return boundsWords({ settings: approvalSettingsOf(config), sandbox, isRequired });
}

async function openChannels(
  { config }: LoadedConfig,
  loaders: RunOptions['channelLoaders'],
): Promise<ReadonlyMap<string, ChannelAdapter>> {
  const names = [...enabledChannels(config).keys()];
  if (names.length === 0) {
    throw new ConfigError([
      {
        file: 'config',
        key: 'channels',
        text: 'no channel is enabled, so nobody could talk with it. Enable one: "terminal": { "enabled": true }.',
      },
    ]);
  }
  const open = async (name: string) => {
    const channel = await loaders[name]?.();
    return channel === undefined ? [] : [[name, channel.create(config.channels[name])] as const];
  };
  return new Map((await Promise.all(names.map(open))).flat());
}

function watchProcess(process: NodeJS.Process, log: Log, stop: () => void): void {
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.once('SIGHUP', stop);
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'a fault in Keyturn was not caught'));
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'a fault in Keyturn ends the process; all that was accepted is stored');
    process.exit(1);
  });
}

async function end(process: NodeJS.Process, daemon: Daemon, log: Log): Promise<void> {
  const force = setTimeout(() => {
    log.warn({}, 'the end took too long and was forced; what is left goes on at the next start');
    process.exit(process.exitCode ?? 0);
  }, longestEnd);
  await daemon.stop();
  clearTimeout(force);
  process.exit(process.exitCode ?? 0);
}

function explain(error: unknown): string {
  const isExpected = [ConfigError, DataLockedError, StoreError, WorkspaceFolderError, ModelError].some(
    (kind) => error instanceof kind,
  );
  if (isExpected && error instanceof Error) return `${error.message}\n`;
  return `Keyturn could not start, and that is a fault of its own. Please report this:\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`;
}
