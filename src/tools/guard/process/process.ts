import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { type Clock, sleep } from '../../../lib/clock.ts';
import type { BoundedCommand, CommandBounds } from './bounds.ts';
import { type CapturedOutput, OutputCapture } from './output-capture.ts';
import { callVariable, ProcessFamily } from './process-family.ts';

export interface ProcessRequest {
  /** What `/bin/sh -c` runs. */
  readonly command: string;
  /** The directory that it runs in; it must exist. */
  readonly directory: string;
  readonly callId: string;
  /** In milliseconds. */
  readonly timeout: number;
  /** How much is kept of both streams together, in bytes. */
  readonly maxOutput: number;
  /** Variables of our environment that it may have besides the harmless ones. */
  readonly passedVariables?: readonly string[];
  /** Ends it, with all that it started. */
  readonly signal: AbortSignal;
}

export interface ProcessResult extends CapturedOutput {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** What it was refused by its bounds, in sentences. */
  readonly refusals: readonly string[];
}

/** Runs a command, and leaves nothing of it behind. */
export type ProcessGuard = (request: ProcessRequest) => Promise<ProcessResult>;

export interface ProcessGuardDependencies {
  readonly clock: Clock;
  /** What keeps a command from the rest of the machine. */
  readonly bounds: CommandBounds;
  /** Ours, of which commands get only what is allowed. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How long those that got SIGTERM have before SIGKILL, in milliseconds. Default 500. */
  readonly grace?: number;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

const harmless = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TERM', 'TMPDIR', 'USER', 'SHELL', 'TZ'];

/** How long output is awaited that is still in the pipes when the command has ended, in milliseconds. */
const drain = 100;

/** How often is looked whether those that were told to end have done so, in milliseconds: at first sooner. */
const look = 25;

const mostKills = 40;

/**
 * Makes the guard. A command runs in its own process group, without input, and with an environment that holds none of our
 * secrets. When it ends, is aborted or takes too long, all that it started ends too: SIGTERM, and SIGKILL after the
 * grace; only SIGKILL where it ended by itself. Rejects if the signal has aborted already, or the shell can't be started;
 * with `BoundsError` where the command can't be kept in its bounds, and has not run.
 */
export function processGuard(dependencies: ProcessGuardDependencies): ProcessGuard {
  return (request) => run(request, dependencies);
}

async function run(request: ProcessRequest, dependencies: ProcessGuardDependencies): Promise<ProcessResult> {
  request.signal.throwIfAborted();
  const environment = childEnvironment(dependencies.environment, request);
  const bounded = await dependencies.bounds({ ...request, environment });
  request.signal.throwIfAborted();
  const child = start(bounded, request.directory);
  const capture = new OutputCapture(request.maxOutput);
  child.stdout.on('data', (chunk: Buffer) => capture.push('stdout', chunk));
  child.stderr.on('data', (chunk: Buffer) => capture.push('stderr', chunk));
  const closed = once(child, 'close');
  await spawned(child);

  const family = await ProcessFamily.of(child.pid ?? Number.NaN, request.callId, bounded.endsAsOne);
  const interruption = await ended(child, request, dependencies.clock);
  const drained = (): Promise<void> => Promise.race([closed, sleep(dependencies.clock, drain)]);
  if (interruption === undefined) await drained();
  else await endGently(family, dependencies);
  await endAll(family, dependencies.clock);
  await drained();
  child.stdout.destroy();
  child.stderr.destroy();
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const output = capture.read();
  return {
    ...output,
    refusals: bounded.refusals(output.stderr),
    exitCode: child.exitCode,
    signal: child.signalCode,
    timedOut: interruption === 'timed-out',
  };
}

function start({ file, args, environment }: BoundedCommand, directory: string): Child {
  return spawn(file, args, {
    cwd: directory,
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function childEnvironment(
  environment: ProcessGuardDependencies['environment'],
  { passedVariables = [], callId }: ProcessRequest,
): Record<string, string> {
  const passed = [...harmless, ...passedVariables].flatMap((name): [string, string][] => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries([...passed, [callVariable, callId]]);
}

/** Resolves when the shell runs; rejects if it could not be started. */
function spawned(child: Child): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.on('error', (cause) => reject(new Error('The shell could not be started', { cause })));
  });
}

function once(child: Child, event: 'exit' | 'close'): Promise<void> {
  return new Promise((resolve) => child.once(event, () => resolve()));
}

/** Resolves when the command has ended by itself, or must be made to. */
function ended(child: Child, request: ProcessRequest, clock: Clock): Promise<'stopped' | 'timed-out' | undefined> {
  return new Promise((resolve) => {
    const settle = (interruption?: 'stopped' | 'timed-out'): void => {
      cancel();
      request.signal.removeEventListener('abort', stop);
      child.removeListener('exit', exit);
      resolve(interruption);
    };
    const stop = (): void => settle('stopped');
    const exit = (): void => settle();
    const cancel = clock.after(request.timeout, () => settle('timed-out'));
    request.signal.addEventListener('abort', stop, { once: true });
    child.once('exit', exit);
    if (child.exitCode !== null || child.signalCode !== null) settle();
    if (request.signal.aborted) settle('stopped');
  });
}

async function endGently(family: ProcessFamily, { clock, grace = 500 }: ProcessGuardDependencies): Promise<void> {
  const deadline = clock.now() + grace;
  await family.signal('SIGTERM');
  while (clock.now() < deadline && (await family.isAlive())) await sleep(clock, look);
}

/** Repeats until none is left: a process that is killed may have started another meanwhile. */
async function endAll(family: ProcessFamily, clock: Clock): Promise<void> {
  for (let kills = 0; kills < mostKills; kills++) {
    if ((await family.signal('SIGKILL')) === 0) return;
    // What is killed is gone in no time, and the end of a sandbox comes by itself.
    await sleep(clock, Math.min(2 ** kills, look));
  }
}
