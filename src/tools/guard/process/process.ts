import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { type Clock, sleep } from '../../../lib/clock.ts';
import type { BareCommand, BoundedCommand, CommandBounds } from './bounds.ts';
import { type ChildEnvironmentRequest, childEnvironment } from './child-environment.ts';
import { endAll, endGently } from './end-family.ts';
import { type CapturedOutput, OutputCapture } from './output-capture.ts';
import { ProcessFamily } from './process-family.ts';

/** The folder that it works in must exist. */
export interface ProcessRequest extends Omit<BareCommand, 'environment'>, ChildEnvironmentRequest {
  /** In milliseconds. */
  readonly timeout: number;
  /** How much is kept of both streams together, in bytes. */
  readonly maxOutput: number;
  /** What it reads. Left out: nothing. */
  readonly input?: string;
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

type Child = ChildProcessByStdio<Writable | null, Readable, Readable>;

/** How long output is awaited that is still in the pipes when the command has ended, in milliseconds. */
const drain = 100;

/**
 * Makes the guard. A command runs in its own process group, and with an environment that holds none of our secrets. When it ends, is aborted or takes too long, all that it started ends too: SIGTERM, and SIGKILL after the
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
  const child = start(bounded, request);
  const capture = new OutputCapture(request.maxOutput);
  child.stdout.on('data', (chunk: Buffer) => capture.push('stdout', chunk));
  child.stderr.on('data', (chunk: Buffer) => capture.push('stderr', chunk));
  const closed = once(child, 'close');
  await spawned(child);

  const family = await ProcessFamily.of(child.pid ?? Number.NaN, request.callId, bounded.endsAsOne);
  const interruption = await ended(child, request, dependencies.clock);
  const drained = (): Promise<void> => Promise.race([closed, sleep(dependencies.clock, drain)]);
  if (interruption === undefined) await drained();
  else await endGently(family, dependencies.clock, dependencies.grace ?? 500);
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

function start({ file, args, environment }: BoundedCommand, { directory, input }: ProcessRequest): Child {
  const options = { cwd: directory, env: environment, detached: true } as const;
  if (input === undefined) return spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const child = spawn(file, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  // It need not read it.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return child;
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
