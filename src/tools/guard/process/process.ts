import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { PassThrough, type Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type Clock, endsWithin, sleep } from '../../../lib/clock.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { formatSize } from '../../text.ts';
import { type BareCommand, type BoundedCommand, type CommandBounds, startBounded } from './bounds.ts';
import { type CapturedOutput, captureOutput } from './output-capture.ts';
import { type ChildEnvironmentRequest, childEnvironment, endAll, endGently, familyOfCall } from './process-family.ts';

/*
 * Commands, and processes that are talked with, run in a process group of their own, in their bounds, and with an environment that
 * holds none of our secrets. When one ends, by itself or because it is told to, all that it started ends too: SIGTERM, and SIGKILL
 * after a grace; only SIGKILL where it ended by itself. `longLivedGuard` starts a process; `processGuard` starts one, waits for
 * its end within a time, and captures what it says.
 */

/** What is started. The folder that it works in must exist. The id is of this process alone. */
export interface LongLivedRequest extends Omit<BareCommand, 'environment'>, ChildEnvironmentRequest {}

export interface ProcessRequest extends LongLivedRequest {
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
  readonly refusals: readonly string[];
}

export type ProcessGuard = ReturnType<typeof processGuard>;

export interface ProcessGuardDependencies {
  readonly clock: Clock;
  readonly bounds: CommandBounds;
  /** Ours, of which commands get only what is allowed. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How much is free where a folder lies, in bytes. Default: as the system says. */
  readonly freeBytes?: (folder: string) => Promise<number>;
}
export interface ProcessEnding {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Set if something that it has started could not be ended. */
  readonly goesOn?: boolean;
}

/** A process that is talked with. Its output has to be read. */
export type LongLivedProcess = Awaited<ReturnType<typeof start>>;

/** Starts what lives on. Rejects if it can't be started, with `BoundsError` where it can't be kept in its bounds. */
export type LongLivedGuard = ReturnType<typeof longLivedGuard>;

/** How long output is awaited that is still in the pipes when a process has ended, in milliseconds. */
const drain = 100;

/** Makes the guard of what lives on: what holds for a command holds here, but for the time that it may take. */
export function longLivedGuard(parts: ProcessGuardDependencies) {
  return (request: LongLivedRequest) => begin(request, 'pipe', parts);
}

/** What could not be started lets go of its bounds. */
async function begin(
  request: LongLivedRequest,
  input: 'pipe' | 'ignore',
  parts: ProcessGuardDependencies,
  signal?: AbortSignal,
) {
  const environment = childEnvironment(parts.environment, request);
  const bounded = await parts.bounds({ ...request, environment });
  try {
    signal?.throwIfAborted();
    return await start(bounded, request, input, parts);
  } catch (cause) {
    bounded.finished?.();
    throw cause;
  }
}

async function start(
  bounded: BoundedCommand,
  { directory, callId }: LongLivedRequest,
  input: 'pipe' | 'ignore',
  { clock }: ProcessGuardDependencies,
) {
  const child = startBounded(bounded, input, { cwd: directory, detached: true });
  // Node drops unread output when the process ends, which may be before the caller has the process.
  const stdout = child.stdout.pipe(new PassThrough());
  const stderr = child.stderr.pipe(new PassThrough());
  const exited = new Promise<ProcessEnding>((resolve) =>
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal })),
  );
  const stdin: Writable = child.stdin ?? new PassThrough();
  // It need not read it. That it has closed its input, or is gone, shows in its end.
  stdin.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.on('error', (cause) => reject(new Error('The process could not be started', { cause })));
  });
  const family = familyOfCall(callId, child.pid ?? Number.NaN, bounded.endsAsOne);
  const read = Promise.all([stdout, stderr].map((stream) => new Promise((resolve) => stream.once('end', resolve))));
  const drained = async (): Promise<void> => {
    await Promise.race([read, sleep(clock, drain)]);
    // A process that was held up meanwhile has yet to read what is in the pipes.
    await setImmediate();
  };
  let gentle = Promise.resolve();
  const ended = exited.then(async (ending): Promise<ProcessEnding> => {
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
    bounded,
    /** What is written after its end is lost. */
    stdin,
    stdout,
    stderr,
    /** Resolves at once when it has ended: what it said may not be read yet. Never rejects. */
    exited,
    /** Resolves when it has ended, what it said was read, and nothing that it started is left. Never rejects. */
    ended,
    /**
     * Ends it with all that it started: no more input, SIGTERM, and after the grace (in milliseconds) SIGKILL. Resolves when
     * nothing is left.
     */
    async stop(grace = 500): Promise<void> {
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

/**
 * Makes the guard of commands. Rejects if the signal has aborted already, or the shell can't be started; with
 * `BoundsError` where the command can't be kept in its bounds, and has not run.
 */
export function processGuard(parts: ProcessGuardDependencies) {
  return async (request: ProcessRequest): Promise<ProcessResult> => {
    request.signal.throwIfAborted();
    // Files have the time of the machine, whatever clock is injected.
    const began = Date.now();
    const input = request.input === undefined ? 'ignore' : 'pipe';
    const process = await begin({ ...request, isFinished: true }, input, parts, request.signal);
    try {
      return await resultOf(process, request, parts);
    } finally {
      // What others could do with such a file does not begin within that time. In a large workspace, it is found later.
      const dropped = dropSetuid(request.workspace ?? request.directory, began, parts.environment.PATH);
      await endsWithin(dropped, { clock: parts.clock, milliseconds: longestLook });
    }
  };
}

async function resultOf(
  process: LongLivedProcess,
  request: ProcessRequest,
  parts: ProcessGuardDependencies,
): Promise<ProcessResult> {
  const { input, timeout, maxOutput, signal: aborted } = request;
  const { bounded } = process;
  const captured = captureOutput(process, maxOutput);
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
  const disk = watchDisk(bounded, request, parts, stop);
  const { exitCode, signal, goesOn } = await process.ended;
  aborted.removeEventListener('abort', stop);
  const filled = await disk.stop();
  await stopping;
  const output = captured();
  const refusals = [
    ...bounded.refusals(output.stderr),
    ...(filled === undefined ? [] : [filled]),
    ...(goesOn === true ? [leftRunning] : []),
    ...((await bounded.made?.()) ?? []),
  ];
  return { ...output, refusals, exitCode, signal, timedOut };
}

const leftRunning = 'Some of what it started could not be ended, and goes on.';

/** How often it is looked how much is free, in milliseconds: a fast disk takes some hundred megabytes meanwhile. */
const lookEvery = 250;

/** Ends a command before the disk is full. `stop` tells whether it had to, in a sentence. Where nobody knows, nothing is ended. */
function watchDisk(
  { minFree }: BoundedCommand,
  { directory, workspace = directory }: ProcessRequest,
  { clock, freeBytes = freeBytesOf }: ProcessGuardDependencies,
  end: () => void,
) {
  const over = new AbortController();
  async function watch(least: number): Promise<string | undefined> {
    const atFirst = await freeBytes(workspace);
    const limit = Math.min(least, atFirst / 2);
    for (;;) {
      await sleep(clock, lookEvery, over.signal);
      if (over.signal.aborted) return undefined;
      const free = await freeBytes(workspace);
      if (free >= limit) continue;
      end();
      return `It was ended because it filled the disk: ${formatSize(atFirst)} were free when it began, and ${formatSize(free)} are left. The operator sets how much must stay free (tools.shell.min_free_bytes).`;
    }
  }
  const watched = minFree === undefined ? Promise.resolve(undefined) : watch(minFree).catch(() => undefined);
  return {
    stop() {
      over.abort();
      return watched;
    },
  };
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** How long it may take to look through a folder, and how long that is waited for. In milliseconds. */
const patience = 60_000;
const longestLook = 5_000;

/**
 * Takes the setuid and setgid bits, and capabilities, from the files under a folder, once a command has ended: else a
 * program that it left there would run for everybody on the machine with the rights of our user. Never rejects: where
 * there is no `find`, nothing changes. `since`: when the command began, in milliseconds of the clock of the file
 * system.
 */
async function dropSetuid(folder: string, since: number, path: string | undefined): Promise<void> {
  if (folder === '/' || process.platform === 'win32') return;
  const find = finder(path);
  const marked = ['(', '-perm', '-4000', '-o', '-perm', '-2000', ')'];
  const dropped = find([folder, '-xdev', '-type', 'f', ...marked, '-exec', 'chmod', 'ug-s', '{}', '+']);
  // Only root can have given capabilities to a file. Its owner is set again to the same: that takes them away.
  if (process.getuid?.() !== 0) return dropped;
  const changed = ['-newerct', `@${Math.floor(since / 1000) - 1}`];
  await find([folder, '-xdev', '-type', 'f', '-user', '0', ...changed, '-exec', 'chown', '0', '{}', '+']);
  await dropped;
}

function finder(path: string | undefined): (args: readonly string[]) => Promise<void> {
  return (args) =>
    new Promise((resolve) => {
      execFile('find', args, { timeout: patience, env: { PATH: path } }, () => resolve());
    });
}

/** The output for the model, of a command that has ended or was ended after so many seconds. A failure is an error. */
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
