import { type ChildProcessByStdio, execFile } from 'node:child_process';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type Clock, sleep } from '../../../lib/clock.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { type BareCommand, type BoundedCommand, type CommandBounds, startBounded } from './bounds.ts';
import { type CapturedOutput, OutputCapture } from './output-capture.ts';
import { type ChildEnvironmentRequest, childEnvironment, endAll, endGently, ProcessFamily } from './process-family.ts';

/*
 * Commands, and processes that are talked with, run in a process group of their own, in their bounds, and with an environment that
 * holds none of our secrets. When one ends, by itself or because it is told to, all that it started ends too: SIGTERM, and SIGKILL
 * after a grace; only SIGKILL where it ended by itself. `longLivedGuard` starts a process; `processGuard` starts one, waits for
 * its end within a time, and captures what it says.
 */

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

/** The folder that it works in must exist. The id is of this process alone. */
export interface LongLivedRequest extends Omit<BareCommand, 'environment'>, ChildEnvironmentRequest {}

/** How a process came to its end, by itself or not. */
export interface ProcessEnding {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Set if something that it has started could not be ended. */
  readonly goesOn?: boolean;
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

/** How long output is awaited that is still in the pipes when a process has ended, in milliseconds. */
const drain = 100;

type Child = ChildProcessByStdio<Writable | null, Readable, Readable>;

/** Makes the guard of what lives on: what holds for a command holds here, but for the time that it may take. */
export function longLivedGuard(parts: ProcessGuardDependencies): LongLivedGuard {
  return async (request) => {
    const environment = childEnvironment(parts.environment, request);
    return start(await parts.bounds({ ...request, environment }), request, 'pipe', parts);
  };
}

async function start(
  bounded: BoundedCommand,
  request: LongLivedRequest,
  input: 'pipe' | 'ignore',
  parts: ProcessGuardDependencies,
): Promise<LongLivedProcess> {
  try {
    return await started(bounded, request, input, parts);
  } catch (cause) {
    bounded.finished?.();
    throw cause;
  }
}

async function started(
  bounded: BoundedCommand,
  { directory, callId }: LongLivedRequest,
  input: 'pipe' | 'ignore',
  { clock, grace: usualGrace = 500 }: ProcessGuardDependencies,
): Promise<LongLivedProcess> {
  const child: Child = startBounded(bounded, input, { cwd: directory, detached: true });
  // Node throws away what nobody reads when the process ends, which may be before anybody knows of it.
  const stdout = child.stdout.pipe(new PassThrough());
  const stderr = child.stderr.pipe(new PassThrough());
  const exited = new Promise<ProcessEnding>((resolve) =>
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal })),
  );
  const stdin = child.stdin ?? new PassThrough();
  // It need not read it. One that has closed its input, or is gone, is noticed by its end.
  stdin.on('error', () => {});
  await spawned(child);
  const family = ProcessFamily.of(child.pid ?? Number.NaN, callId, bounded.endsAsOne);
  const read = Promise.all([isRead(stdout), isRead(stderr)]).then(() => {});
  const drained = async (): Promise<void> => {
    await Promise.race([read, sleep(clock, drain)]);
    // A process that was held up meanwhile has yet to read what is in the pipes.
    await setImmediate();
  };
  let gentle = Promise.resolve();
  const ended = exited.then(async (ending) => {
    // What it has started has the same time to tidy up.
    await gentle;
    await drained();
    const isGone = await endAll(family, clock);
    await drained();
    child.stdout.destroy();
    child.stderr.destroy();
    stdout.end();
    stderr.end();
    bounded.finished?.();
    return { ...ending, goesOn: isGone ? undefined : true };
  });
  return {
    stdin,
    stdout,
    stderr,
    exited,
    ended,
    refusals: (said) => bounded.refusals(said),
    async stop(grace = usualGrace) {
      stdin.end();
      if (child.exitCode === null && child.signalCode === null) {
        gentle = endGently(family, clock, grace);
        await gentle;
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

/** Resolves when the shell runs; rejects if it could not be started. */
function spawned(child: Child): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.on('error', (cause) => reject(new Error('The process could not be started', { cause })));
  });
}

/**
 * Makes the guard of commands. Rejects if the signal has aborted already, or the shell can't be started; with `BoundsError` where
 * the command can't be kept in its bounds, and has not run.
 */
export function processGuard(parts: ProcessGuardDependencies): ProcessGuard {
  return async (request) => {
    request.signal.throwIfAborted();
    const environment = childEnvironment(parts.environment, request);
    const bounded = await parts.bounds({ ...request, environment, isFinished: true });
    if (request.signal.aborted) bounded.finished?.();
    request.signal.throwIfAborted();
    // Files have the time of the machine, whatever clock is injected.
    const began = Date.now();
    try {
      return await run(bounded, request, parts);
    } finally {
      await dropSetuid(request.workspace ?? request.directory, began);
    }
  };
}

async function run(
  bounded: BoundedCommand,
  request: ProcessRequest,
  parts: ProcessGuardDependencies,
): Promise<ProcessResult> {
  const { input, timeout, maxOutput, signal: aborted } = request;
  const capture = new OutputCapture(maxOutput);
  const process = await start(bounded, request, input === undefined ? 'ignore' : 'pipe', parts);
  process.stdout.on('data', (chunk: Buffer) => capture.push('stdout', chunk));
  process.stderr.on('data', (chunk: Buffer) => capture.push('stderr', chunk));
  process.stdin.end(input);
  let stopping: Promise<void> | undefined;
  let timedOut = false;
  const stop = (): void => {
    stopping ??= process.stop();
  };
  const cancel = parts.clock.after(timeout, () => {
    timedOut = stopping === undefined;
    stop();
  });
  aborted.addEventListener('abort', stop, { once: true });
  if (aborted.aborted) stop();
  void process.exited.then(cancel);
  const { exitCode, signal, goesOn } = await process.ended;
  aborted.removeEventListener('abort', stop);
  await stopping;
  const output = capture.read();
  const refusals = [...process.refusals(output.stderr), ...(goesOn === true ? [leftRunning] : [])];
  return { ...output, refusals, exitCode, signal, timedOut };
}

const leftRunning = 'Some of what it started could not be ended, and goes on.';

/** In milliseconds. */
const patience = 10_000;

/**
 * Takes the setuid and setgid bits, and capabilities, from the files under a folder, once a command has ended: else a program that it left there
 * would run for everybody on the machine with the rights of our user. Never rejects: where there is no `find`, nothing changes. `since`: when
 * the command began, in milliseconds of the clock of the file system.
 */
async function dropSetuid(folder: string, since: number): Promise<void> {
  if (folder === '/' || process.platform === 'win32') return;
  const marked = ['(', '-perm', '-4000', '-o', '-perm', '-2000', ')'];
  await find([folder, '-xdev', '-type', 'f', ...marked, '-exec', 'chmod', 'ug-s', '{}', '+']);
  // Only root can have given capabilities to a file. Its owner is set again to the same: that takes them away.
  if (process.getuid?.() !== 0) return;
  const changed = ['-newerct', `@${Math.floor(since / 1000) - 1}`];
  await find([folder, '-xdev', '-type', 'f', '-user', '0', ...changed, '-exec', 'chown', '0', '{}', '+']);
}

function find(args: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    execFile('find', args, { timeout: patience }, () => resolve());
  });
}

/** What the model reads of a command that has ended, or was ended after so many seconds. A failure is an error. */
export function reportProcess(result: ProcessResult, seconds: number): ToolOutput {
  const { stdout, stderr, refusals } = result;
  const text = [
    `[${ending(result, seconds)}]`,
    ...(stdout.trim() === '' ? [] : [stdout.trimEnd()]),
    ...(stderr.trim() === '' ? [] : ['[stderr]', stderr.trimEnd()]),
    ...(stdout.trim() === '' && stderr.trim() === '' ? ['[no output]'] : []),
    ...refusals.map((refusal) => `[${refusal}]`),
  ].join('\n');
  return result.exitCode === 0 && !result.timedOut ? llmOnly(text) : error(text);
}

function ending({ exitCode, signal, timedOut }: ProcessResult, seconds: number): string {
  if (timedOut) return `ended because it took longer than ${seconds} s`;
  return exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`;
}
