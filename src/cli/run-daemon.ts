import { existsSync, fstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { isatty } from 'node:tty';
import { ConfigError } from '../config/config-error.ts';
import { secretVariables } from '../config/environment.ts';
import { enabledChannels } from '../config/extension-settings.ts';
import type { LoadedConfig, LoadOptions } from '../config/load.ts';
import type { ChannelSettings } from '../config/schema.ts';
import type { Channel } from '../contract.ts';
import { newClaimCode } from '../conversation/commands/claiming.ts';
import { createDaemon, type Daemon } from '../daemon/daemon.ts';
import type { DaemonOptions } from '../daemon/services.ts';
import { settingsOfFeatures } from '../features/index.ts';
import { endsWithin, systemClock } from '../lib/clock.ts';
import type { CrashPoints } from '../lib/crash-points.ts';
import { type Signal, signal } from '../lib/live.ts';
import { type Log, type LogLevel, LogThreshold } from '../lib/log.ts';
import { trustCertificates } from '../lib/network/certificates/certificates.ts';
import { type Language, type Words, wordsIn } from '../lib/words.ts';
import { type Redactor, redactor } from '../tools/guard/redact/redact.ts';
import { makeFolder } from '../tools/guard/workspace/workspace.ts';
import { exitCodes } from './commands/command.ts';
import { createLog } from './create-log.ts';
import { createConfigDesk } from './desk/config-desk.ts';
import { type ExplainedFault, explainFault, shortestSecret } from './explain-fault.ts';
import { type ConfigFollower, createConfigFollower, type FollowParts, stateOfConfig } from './follow-config.ts';
import { giveBackMemory } from './give-back-memory.ts';
import { type GreetingFacts, type GreetingScreen, greeting } from './greeting.ts';
import { loadAtStart, type OnFault } from './load-at-start.ts';
import { type OpenParts, type OpenSetup, openSetup } from './open-setup.ts';
import type { Place } from './place.ts';
import { privatePathsOf } from './private-paths.ts';
import type { Program } from './program.ts';
import type { Supervisor } from './supervisor.ts';
import { cliWords, processLanguage } from './words.ts';

export interface RunOptions {
  readonly process: NodeJS.Process;
  /** What the process gives to the commands that it may give itself. */
  readonly program: Program;
  readonly channelLoaders: Readonly<Record<string, () => Promise<Channel>>>;
  readonly channelSettings: ChannelSettings;
  readonly crashPoint?: CrashPoints | undefined;
  readonly place: Place;
  /** What to do about a config that cannot be used. */
  readonly onFault: OnFault;
}

/** How long the end may take after the tools have ended before it is forced, in ms. */
const longestEnd = 2_300;

/** Runs Keyturn in this process until it is told to end. Explains why if it cannot start. */
export async function runDaemon(options: RunOptions): Promise<void> {
  const { process } = options;
  const language = processLanguage(process.env);
  const known: Known = { language, logLines: signal(), redact: redactor(secretVariables(process.env), shortestSecret) };
  try {
    await start(options, known);
  } catch (error) {
    const { text, code } = explain(error, process, known);
    process.stderr.write(text);
    process.exitCode = code;
  }
}

async function start(options: RunOptions, known: Known): Promise<void> {
  const { process, crashPoint, onFault } = options;
  const ending = Promise.withResolvers<void>();
  let follower: ConfigFollower | undefined;
  let supervisor: Supervisor | undefined;
  // Handled from here on, because by default it ends the process. A closed terminal sends it too, and is no TTY then.
  const isTerminalGone = (): boolean => process.stdin.isTTY === true && !isatty(0);
  process.on('SIGHUP', () => (isTerminalGone() ? ending.resolve() : follower?.readAgain(supervisor)));
  const place = { ...options.place, channels: options.channelSettings, parts: await settingsOfFeatures() };
  await prepareHome(place, process);
  const read = await stateOfConfig(resolve(place.cwd, place.path));
  const {
    opened: here,
    fault,
    warnings,
  } = await loadAtStart(place, onFault, process.stdin.isTTY === true, (loaded) => openHere(loaded, options, known));
  const { opened, isAtTerminal, threshold } = here;
  const [{ log }, { loaded }] = [here.parts, opened];
  const language = processLanguage(process.env, loaded.config);
  const hasInput = isAtTerminal || hasInputHere();
  if (!hasInput) refuseUnreachable(loaded, place.path, language);
  const claimCode = newClaimCode();
  supervisor = await supervisorOf(process, log, language);

  // Reading all that Node brings takes 15 ms.
  if (loaded.network.certificates.length > 0) trustAlso(loaded, log);
  // From before anybody can see that it runs, it ends cleanly when told to.
  watchProcess(process, log, ending.resolve);
  const startEnding = new AbortController();
  void ending.promise.then(() => startEnding.abort());
  const toolGrace = toolGraceOf(loaded.config.tools.stop_secs, process);
  const daemon = await createDaemon({
    ...opened.setup,
    clock: systemClock,
    log,
    logThreshold: threshold,
    crashPoint,
    claimCode,
    logLines: known.logLines,
    toolGrace,
    adapters: opened.channels.made,
    environment: process.env,
    privatePaths: privatePathsOf(loaded.path),
    configDesk: createConfigDesk({ place: options.place, program: options.program, entry: process.argv[1] ?? '' }),
    startEnding: startEnding.signal,
    dataInUse: (words) => sayAtTerminal(words(language), process),
    ...claimPrinters(opened, claimCode, { process, language }),
    stopRequested: (refusal) => {
      if (refusal !== undefined) refuseToRun(refusal, language, process, known);
      ending.resolve();
    },
  });
  void ending.promise.then(() => {
    daemon.toldToEnd();
    supervisor?.ending();
  });
  greet(process, { ...here, language, daemon, claimCode, hasInput, warnings });
  // Our timers and a paused input do not keep the process alive; this does.
  const alive = setInterval(() => {}, 2 ** 30);
  try {
    await daemon.start();
    supervisor?.started(daemon.answers);
    if (process.stdin.isTTY === true && process.stdout.isTTY === true) void showPage(daemon, process, language);
    giveBackMemory({ clock: systemClock, isWorking: daemon.isWorking, onRest: daemon.onRest });
    follower = followConfig({ place, read, running: opened, fault, daemon }, here, known);
    follower.begin();
    await ending.promise;
    // An edit in progress does not delay the end.
    await endsWithin(follower.stop(), { clock: systemClock, milliseconds: 500 });
  } catch (error) {
    process.stderr.write(explain(error, process, known).text);
    process.exitCode = exitCodes.failed;
  } finally {
    clearInterval(alive);
  }
  await end(process, daemon, log, toolGrace);
}

interface OpenedHere {
  readonly opened: OpenSetup;
  readonly parts: OpenParts;
  /** A person sits at the terminal, and may talk there. */
  readonly isAtTerminal: boolean;
  readonly threshold: LogThreshold;
}

/** Opens what a config names, with a log that does not appear within a chat in the terminal. */
async function openHere(
  loaded: LoadedConfig,
  { process, channelLoaders }: RunOptions,
  known: Known,
): Promise<OpenedHere> {
  const channels = enabledChannels(loaded.config.channels);
  const isAtTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true && channels.has('terminal');
  known.redact = redactor(loaded.secrets, shortestSecret);
  const threshold = new LogThreshold(logLevelOf(loaded, isAtTerminal));
  const log = createLog({ threshold, isPretty: process.stderr.isTTY === true, redact: (text) => logged(text, known) });
  const parts = { loaders: channelLoaders, environment: process.env, clock: systemClock, log };
  return { opened: await openSetup(loaded, parts), parts, isAtTerminal, threshold };
}

/** What is only news does not appear within a chat in the terminal, or in the answers of one that is piped. */
function logLevelOf({ config: { channels, log }, brought }: LoadedConfig, isAtTerminal: boolean): LogLevel {
  const enabled = enabledChannels(channels);
  const isTerminalAlone = enabled.size === 1 && enabled.has('terminal') && brought.listeners.length === 0;
  return (isAtTerminal || isTerminalAlone) && log.level === 'info' ? 'warn' : log.level;
}

/** Loaded only where somebody waits for notices. */
async function supervisorOf({ env }: NodeJS.Process, log: Log, language: Language): Promise<Supervisor | undefined> {
  if (env.NOTIFY_SOCKET === undefined) return undefined;
  const { createSupervisor } = await import('./supervisor.ts');
  return createSupervisor({ environment: env, language, clock: systemClock, log });
}

interface Printing {
  readonly process: NodeJS.Process;
  readonly language: Language;
}

/** Prints where an unclaimed Keyturn can be claimed, and then who has done so. */
function claimPrinters(
  { channels: { made } }: OpenSetup,
  claimCode: string,
  { process, language }: Printing,
): Pick<DaemonOptions, 'startLinkKnown' | 'claimed'> {
  return {
    startLinkKnown: (channel, link) => {
      const command = `${made.get(channel)?.capabilities.commandPrefix ?? '/'}claim ${claimCode}`;
      void import('./start-link.ts').then(({ startLinkText }) =>
        printLink(process, (columns) => startLinkText({ channel, link, command }, columns, language)),
      );
    },
    claimed: (principal) => {
      // A log says it by itself.
      if (process.stdout.isTTY === true) printLink(process, () => `${cliWords[language].claimed({ principal })}\n\n`);
    },
  };
}

/** Nobody waits for it. */
async function showPage(daemon: Daemon, process: NodeJS.Process, language: Language): Promise<void> {
  const { pageLinkText } = await import('./page-link.ts');
  const text = await pageLinkText(daemon, language);
  if (text !== undefined) printLink(process, () => text);
}

/** Prints where the first lines went: above the prompt, if there is one. */
function printLink({ stdout, stderr, env }: NodeJS.Process, textFor: (columns: number | undefined) => string): void {
  if (stdout.isTTY !== true) {
    stderr.write(textFor(undefined));
    return;
  }
  const knowsColours = env.NO_COLOR === undefined && env.TERM !== 'dumb';
  stdout.write(`\r\u001b[J${textFor(knowsColours ? stdout.columns : undefined)}`);
  // The prompt is drawn again.
  stdout.emit('resize');
}

/** Prints the first lines. */
function greet(process: NodeJS.Process, parts: Omit<GreetingFacts, 'isRoot' | 'screen'>): void {
  const screen = greetingScreen(process);
  const words = greeting({ ...parts, isRoot: process.getuid?.() === 0, screen });
  (screen === undefined ? process.stderr : process.stdout).write(words);
}

/** Undefined if the first lines go into a log: standard output is for answers when it is piped. */
function greetingScreen({ stdout, env }: NodeJS.Process): GreetingScreen | undefined {
  if (stdout.isTTY !== true) return undefined;
  // Some pseudo-terminals report 0 if unknown.
  return { columns: stdout.columns || 80, hasColor: !env.NO_COLOR && env.TERM !== 'dumb' };
}

/** Reads the config again as it is edited, and hands it to the daemon. */
function followConfig(
  running: Pick<FollowParts, 'place' | 'read' | 'running' | 'fault' | 'daemon'>,
  { parts, threshold, isAtTerminal }: OpenedHere,
  known: Known,
): ConfigFollower {
  return createConfigFollower({
    ...running,
    clock: systemClock,
    log: parts.log,
    open: (edited, before) => openSetup(edited, parts, before),
    holds(now) {
      threshold.configure(logLevelOf(now.loaded, isAtTerminal));
      trustAlso(now.loaded, parts.log);
      known.redact = redactor(now.setup.secrets, shortestSecret);
    },
  });
}

function sayAtTerminal(text: string, { stdout }: NodeJS.Process): void {
  if (stdout.isTTY === true) stdout.write(`${text}\n`);
}

/** A line of the log as it is written, which those who follow it get, too. */
function logged(text: string, { redact, logLines }: Known): string {
  const line = redact(text);
  logLines.tell(line);
  return line;
}

/** The process will end by itself, as no restart can help. */
function refuseToRun(refusal: Words, language: Language, process: NodeJS.Process, { redact }: Known): void {
  process.stderr.write(`${redact(wordsIn(language, refusal))}\n`);
  process.exitCode = exitCodes.wrongConfig;
}

/** From here on, every connection trusts the certificates that the config and the environment name. */
function trustAlso({ network }: OpenSetup['loaded'], log: Log): void {
  if (!trustCertificates(network.certificates))
    log.warn({}, 'this Node cannot take more certificates: update it, or set NODE_EXTRA_CA_CERTS before the start');
}

/** Whether anybody can write to the standard input. For services it is `/dev/null`: a device that is no terminal. */
function hasInputHere(): boolean {
  try {
    return isatty(0) || !fstatSync(0).isCharacterDevice();
  } catch {
    return false;
  }
}

/** Throws `ConfigError` if only the terminal is on: without an input, nobody could talk to it. */
function refuseUnreachable({ config: { channels }, brought }: LoadedConfig, file: string, language: Language): void {
  const isReachable =
    brought.listeners.length > 0 || [...enabledChannels(channels).keys()].some((name) => name !== 'terminal');
  if (!isReachable) throw new ConfigError([{ file, key: 'channels', text: cliWords[language].noChannelForService }]);
}

/** Makes the folder, and a first config for a service, if they are missing. Throws `ConfigError` if that fails. */
async function prepareHome(place: LoadOptions & Place, process: NodeJS.Process): Promise<void> {
  const folder = place.home;
  const language = processLanguage(process.env);
  try {
    if (folder !== process.cwd()) makeFolder(folder);
    if (process.stdin.isTTY === true || hasInputHere()) return;
    const { writeFirstConfig } = await import('./first-config.ts');
    const channels = await writeFirstConfig(place);
    if (channels !== undefined)
      process.stderr.write(`${cliWords[language].firstConfig({ file: resolve(place.cwd, place.path), channels })}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const text = cliWords[language].unusableHome({ folder, reason });
    throw new ConfigError([{ key: '', text }], { cause: error });
  }
}

function watchProcess(process: NodeJS.Process, log: Log, stop: () => void): void {
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'a fault in Keyturn was not caught'));
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'a fault in Keyturn ends the process; all that was accepted is stored');
    process.exit(1);
  });
}

async function end(process: NodeJS.Process, daemon: Daemon, log: Log, toolGrace: number): Promise<void> {
  const force = (): void => {
    log.warn({}, 'the end took too long and was forced; what is left goes on at the next start');
    process.exit(process.exitCode ?? 0);
  };
  let timer = setTimeout(force, toolGrace + longestEnd);
  // The grace period is for tools; a platform that does not answer gets less.
  await daemon.stop(() => {
    clearTimeout(timer);
    timer = setTimeout(force, longestEnd);
  });
  clearTimeout(timer);
  process.exit(process.exitCode ?? 0);
}

/** Removes the secrets known so far, however they are encoded, and what looks like one. */
interface Known {
  readonly language: Language;
  readonly logLines: Signal<string>;
  redact: Redactor;
}

function explain(error: unknown, { env }: NodeJS.Process, { redact, language }: Known): ExplainedFault {
  return explainFault(error, env, language, redact);
}

/** In ms. */
const supervised = 20_000;
const alone = 2_500;

/**
 * How long tools may continue when the process is told to end, in ms: as configured (in seconds); else long under a
 * supervisor, which waits, and short where a person waits.
 */
export function toolGraceOf(
  seconds: number | undefined,
  { env, stdin }: Pick<NodeJS.Process, 'env'> & { readonly stdin: { readonly isTTY?: boolean } },
): number {
  if (seconds !== undefined) return seconds * 1000;
  // A desktop terminal is a service of systemd too.
  return stdin.isTTY !== true && hasSupervisor(env) ? supervised : alone;
}

/** By the variables and files of systemd and container runtimes. */
function hasSupervisor(env: NodeJS.ProcessEnv): boolean {
  const variables = ['INVOCATION_ID', 'NOTIFY_SOCKET', 'KUBERNETES_SERVICE_HOST', 'container'];
  const files = ['/.dockerenv', '/run/.containerenv'];
  return variables.some((name) => env[name] !== undefined) || files.some((path) => existsSync(path));
}
