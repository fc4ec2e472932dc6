import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { sleep } from '../../../lib/clock.ts';
import type { BareCommand, BoundedCommand } from './bounds.ts';
import { type ChildEnvironmentRequest, childEnvironment } from './child-environment.ts';
import { endAll, endGently } from './end-family.ts';
import type { ProcessGuardDependencies } from './process.ts';
import { ProcessFamily } from './process-family.ts';

/** The folder that it works in must exist. The id is of this process alone. */
export interface LongLivedRequest extends Omit<BareCommand, 'environment'>, ChildEnvironmentRequest {}

/** How a process came to its end, by itself or not. */
export interface ProcessEnding {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A process that is talked with. Its output has to be read. */
export interface LongLivedProcess {
  /** What is written after its end is lost. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves at once when it has ended: what it said may not be read yet. Never rejects. */
  readonly exited: Promise<ProcessEnding>;
  /** Resolves when it has ended, what it said was read, and nothing that it started is left. Never rejects. */
  readonly ended: Promise<ProcessEnding>;
  /** What it was refused by its bounds, in sentences, given what it printed as errors. */
  refusals(stderr: string): readonly string[];
  /**
   * Ends it with all that it started: no more input, SIGTERM, and after the grace (in milliseconds, 500 if not said) SIGKILL.
   * Resolves when nothing is left.
   */
  stop(grace?: number): Promise<void>;
}

/** Starts what lives on. Rejects if it can't be started, with `BoundsError` where it can't be kept in its bounds. */
export type LongLivedGuard = (request: LongLivedRequest) => Promise<LongLivedProcess>;

/** How long output is awaited that is still in the pipes when the process has ended, in milliseconds. */
const drain = 100;

/** Makes the guard: what holds for a command of the `ProcessGuard` holds here, but for the time that it may take. */
export function longLivedGuard(dependencies: ProcessGuardDependencies): LongLivedGuard {
  return (request) => start(request, dependencies);
}

async function start(request: LongLivedRequest, dependencies: ProcessGuardDependencies): Promise<LongLivedProcess> {
  const environment = childEnvironment(dependencies.environment, request);
  const bounded = await dependencies.bounds({ ...request, environment });
  const child = spawn(bounded.file, bounded.args, {
    cwd: request.directory,
    env: bounded.environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // Node throws away what nobody reads when the process ends, which may be before anybody knows of it.
  const stdout = child.stdout.pipe(new PassThrough());
  const stderr = child.stderr.pipe(new PassThrough());
  const exited = new Promise<ProcessEnding>((resolve) =>
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal })),
  );
  // Who has closed its input, or is gone, is noticed by its end.
  child.stdin.on('error', () => {});
  await spawned(child);
  const family = await ProcessFamily.of(child.pid ?? Number.NaN, request.callId, bounded.endsAsOne);
  return talkedWith(child, { bounded, family, dependencies, exited, stdout, stderr });
}

interface Started {
  readonly bounded: BoundedCommand;
  readonly family: ProcessFamily;
  readonly dependencies: ProcessGuardDependencies;
  readonly exited: Promise<ProcessEnding>;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
}

function talkedWith(child: ChildProcessWithoutNullStreams, started: Started): LongLivedProcess {
  const { bounded, family, dependencies, exited, stdout, stderr } = started;
  const { clock, grace: usualGrace = 500 } = dependencies;
  const read = Promise.all([isRead(stdout), isRead(stderr)]).then(() => {});
  const drained = (): Promise<void> => Promise.race([read, sleep(clock, drain)]);
  const ended = exited.then(async (ending) => {
    await drained();
    await endAll(family, clock);
    await drained();
    child.stdout.destroy();
    child.stderr.destroy();
    stdout.end();
    stderr.end();
    return ending;
  });
  return {
    stdin: child.stdin,
    stdout,
    stderr,
    exited,
    ended,
    refusals: (stderr) => bounded.refusals(stderr),
    async stop(grace = usualGrace) {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) {
        await endGently(family, clock, grace);
        await endAll(family, clock);
      }
      await ended;
    },
  };
}

/** Resolves when all of it was read, and no more comes. */
function isRead(stream: PassThrough): Promise<void> {
  return new Promise((resolve) => stream.once('end', () => resolve()));
}

function spawned(child: ChildProcessWithoutNullStreams): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.on('error', (cause) => reject(new Error('The process could not be started', { cause })));
  });
}
