import { isUtf8 } from 'node:buffer';
import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { readText } from '../../../lib/charset/text-charset.ts';
import { type Clock, endsWithin, onAbort, sleep } from '../../../lib/clock.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { formatSize } from '../../text.ts';
import { type BareCommand, type BoundedCommand, type CommandBounds, startBounded } from './bounds.ts';
import { type ChildEnvironmentRequest, childEnvironment, endAll, endGently, familyOfCall } from './process-family.ts';

/*
 * Commands and long-lived processes run in their own process group, within their bounds, and with an environment
 * without our secrets. When one ends, all that it started ends too: by SIGTERM, and SIGKILL after a grace, if it was
 * stopped; by SIGKILL alone if it ended by itself. `longLivedGuard` starts a process; `processGuard` starts one, waits
 * for its end within a timeout, and captures its output.
 */

/** `directory` must exist. `callId` must belong to this process alone. */
export interface LongLivedRequest extends Omit<BareCommand, 'environment'>, ChildEnvironmentRequest {}

export interface ProcessRequest extends LongLivedRequest {
  /** In ms. */
  readonly timeout: number;
  /** In bytes, for each output. */
  readonly maxOutput: number;
  /** Its stdin. Default: none. */
  readonly input?: string;
  /** Ends it, with all that it started. */
  readonly signal: AbortSignal;
}

/** What a process has printed, with a line that says how much is left out, if it is cut. */
interface CapturedOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
}

export interface ProcessResult extends ProcessEnding, CapturedOutput {
  readonly timedOut: boolean;
  readonly refusals: readonly string[];
}

/**
 * Runs a command to its end. Rejects if the signal has already aborted or the shell can't be started; with
 * `BoundsError` if the command can't be confined, in which case it has not run.
 */
export type ProcessGuard = (request: ProcessRequest) => Promise<ProcessResult>;

export interface ProcessGuardDependencies {
  readonly clock: Clock;
  readonly bounds: CommandBounds;
  /** Ours. Commands get only the permitted variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Free space of the folder's file system, in bytes. Default: as the system reports. */
  readonly freeBytes?: (folder: string) => Promise<number>;
}

export interface ProcessEnding {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Set if a process that it started could not be ended. */
  readonly goesOn?: boolean;
}

/** A running process. The caller must read or capture its output. */
export interface LongLivedProcess {
  readonly bounded: BoundedCommand;
  /** Writes after its end are lost. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Keeps at most `limit` bytes of each output. */
  capture(limit: number): () => CapturedOutput;
  /** Resolves as soon as it has ended; its output may still be unread. Never rejects. */
  readonly exited: Promise<ProcessEnding>;
  /** Resolves when it has ended, its output was read, and all that it started has ended. Never rejects. */
  readonly ended: Promise<ProcessEnding>;
  /** Closes stdin, sends SIGTERM to all processes, and SIGKILL after the grace (in ms). Resolves when all ended. */
  stop(grace?: number): Promise<void>;
}

/** Rejects if the process can't be started, with `BoundsError` if it can't be confined. */
export type LongLivedGuard = (request: LongLivedRequest) => Promise<LongLivedProcess>;

/** How long to wait for output still in the pipes after a process has ended, in ms. */
const drain = 100;

/** Makes the guard of long-lived processes: the rules for commands, without the timeout. */
export function longLivedGuard(parts: ProcessGuardDependencies): LongLivedGuard {
  return (request) => begin(request, 'pipe', parts);
}

/** Releases the bounds if the start fails. */
async function begin(
  request: LongLivedRequest,
  input: 'pipe' | 'ignore',
  parts: ProcessGuardDependencies,
  signal?: AbortSignal,
): Promise<LongLivedProcess> {
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
): Promise<LongLivedProcess> {
  const child = startBounded(bounded, input, { cwd: directory, detached: true });
  // Node drops unread output on exit, which may come before the caller has the process.
  const stdout = child.stdout.pipe(new PassThrough());
  const stderr = child.stderr.pipe(new PassThrough());
  const exited = new Promise<ProcessEnding>((resolve) =>
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal })),
  );
  const stdin: Writable = child.stdin ?? new PassThrough();
  // It need not read its input. `exited` reports that it is gone.
  stdin.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.on('error', (cause) => reject(new Error('The process could not be started', { cause })));
  });
  const family = familyOfCall(callId, child.pid ?? Number.NaN, bounded.endsAsOne);
  const read = Promise.all([stdout, stderr].map((stream) => new Promise((resolve) => stream.once('end', resolve))));
  const drained = async (): Promise<void> => {
    await Promise.race([read, sleep(clock, drain)]);
    // If our event loop was blocked meanwhile, the pipes are read only now.
    await setImmediate();
  };
  let gentle = Promise.resolve();
  const ended = exited.then(async (ending): Promise<ProcessEnding> => {
    // Its children get the same grace to clean up.
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
    stdin,
    stdout,
    stderr,
    capture(limit) {
      const [out, err] = [captureOutput(stdout, limit), captureOutput(stderr, limit)];
      return () => ({ stdout: out().text, stderr: err().text, truncated: out().isCut || err().isCut });
    },
    exited,
    ended,
    async stop(grace = 500) {
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

/** More pieces are joined, so that a process that writes byte by byte does not cost an object for each. */
const mostPieces = 4_096;

/**
 * Consumes an output and keeps at most `limit` bytes: its beginning and its end. Memory stays within a few times that.
 * The returned function gives the output so far, with a line that says how much is left out.
 */
function captureOutput(stream: Readable, limit: number) {
  const first = Math.floor(limit / 4);
  let pieces: Buffer[] = [];
  let size = 0;
  let leftOut = 0;

  function joined(): Buffer {
    const all = Buffer.concat(pieces);
    const over = Math.max(0, size - limit);
    pieces = [over === 0 ? all : Buffer.concat([all.subarray(0, first), all.subarray(first + over)])];
    size -= over;
    leftOut += over;
    return pieces[0] ?? all;
  }

  stream.on('data', (chunk: Buffer) => {
    pieces.push(chunk);
    size += chunk.length;
    if (size > 2 * limit || pieces.length > mostPieces) joined();
  });

  return () => {
    const all = joined();
    if (leftOut === 0) return { text: outputText(all), isCut: false };
    // Streaming holds back a character that is cut.
    const beginning = new TextDecoder().decode(all.subarray(0, first), { stream: true });
    // Skips the rest of a character whose beginning is left out.
    let start = first;
    while (start < first + 3 && ((all[start] ?? 0) & 0xc0) === 0x80) start++;
    const end = new TextDecoder().decode(all.subarray(start));
    return { text: `${beginning}\n[… ${leftOut} bytes left out …]\n${end}`, isCut: true };
  };
}

/** What a program has printed: it may print files of another charset. What is no text at all is decoded as UTF-8. */
function outputText(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString() : (readText(bytes)?.text ?? new TextDecoder().decode(bytes));
}

/** Makes the guard of commands. */
export function processGuard(parts: ProcessGuardDependencies): ProcessGuard {
  return async (request) => {
    request.signal.throwIfAborted();
    // File times follow the machine's clock, not the injected one.
    const began = Date.now();
    const input = request.input === undefined ? 'ignore' : 'pipe';
    const process = await begin({ ...request, isFinished: true }, input, parts, request.signal);
    try {
      return await resultOf(process, request, parts);
    } finally {
      if (process.bounded.leavesNothing !== true) {
        // Awaited, so that the next step finds no such file. In a large workspace the search finishes in the background.
        const folder = request.workspace ?? request.directory;
        const mayHaveSet = process.bounded.filter === undefined;
        const dropped = dropSetuid(folder, mayHaveSet ? began : undefined, parts.environment.PATH);
        await endsWithin(dropped, { clock: parts.clock, milliseconds: longestLook });
      }
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
  const captured = process.capture(maxOutput);
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
  const unlisten = onAbort(aborted, stop);
  void process.exited.then(cancel);
  const over = new AbortController();
  const filling = watchDisk(bounded, request, parts, over.signal);
  void filling.then((words) => words !== undefined && stop());
  const { exitCode, signal, goesOn } = await process.ended;
  unlisten();
  over.abort();
  const filled = await filling;
  await stopping;
  const output = captured();
  const refusals = [
    ...bounded.refusals(output),
    ...(filled === undefined ? [] : [filled]),
    ...(goesOn === true ? ['Some of what it started could not be ended, and goes on.'] : []),
    ...((await bounded.made?.()) ?? []),
  ];
  return { ...output, refusals, exitCode, signal, timedOut };
}

/** How often to check the free space, in ms: a fast disk takes a few hundred megabytes meanwhile. */
const lookEvery = 250;

/** Resolves with a sentence when the command has to end before the disk is full. Ignores unknown free space. */
async function watchDisk(
  { minFree }: BoundedCommand,
  { directory, workspace = directory }: ProcessRequest,
  { clock, freeBytes = freeBytesOf }: ProcessGuardDependencies,
  over: AbortSignal,
): Promise<string | undefined> {
  if (minFree === undefined) return undefined;
  try {
    const atFirst = await freeBytes(workspace);
    const limit = Math.min(minFree, atFirst / 2);
    for (;;) {
      await sleep(clock, lookEvery, over);
      if (over.aborted) return undefined;
      const free = await freeBytes(workspace);
      if (free < limit)
        return `It was ended because it filled the disk: ${formatSize(atFirst)} were free when it began, and ${formatSize(free)} are left. The operator sets how much must stay free (tools.shell.min_free_bytes).`;
    }
  } catch {
    return undefined;
  }
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Limit of a search through a folder, and how long to wait for it. In ms. */
const patience = 60_000;
const longestLook = 5_000;

/**
 * Removes setuid and setgid bits, and capabilities, from the files under a folder after a command has ended. Otherwise
 * a program left there would run for everyone on the machine with our user's rights. Never rejects: without `find`,
 * nothing changes. `since`: when a command began that can give files capabilities, in ms of the file system's clock.
 */
async function dropSetuid(folder: string, since: number | undefined, path: string | undefined): Promise<void> {
  if (folder === '/' || process.platform === 'win32') return;
  const find = (...args: readonly string[]): Promise<void> =>
    new Promise((resolve) => {
      const all = [folder, '-xdev', '-type', 'f', ...args];
      execFile('find', all, { timeout: patience, env: { PATH: path } }, () => resolve());
    });
  const marked = ['(', '-perm', '-4000', '-o', '-perm', '-2000', ')'];
  const dropped = find(...marked, '-exec', 'chmod', 'ug-s', '{}', '+');
  // Only root can give a file capabilities, and not in the sandbox. Setting the same owner again removes them.
  if (since === undefined || process.getuid?.() !== 0) return dropped;
  // Only where they count: the change time also tells who has read a file (`file-watch.ts`).
  const changed = ['-perm', '/111', '-newerct', `@${Math.floor(since / 1000) - 1}`];
  await find('-user', '0', ...changed, '-exec', 'chown', '0', '{}', '+');
  await dropped;
}

/** The output for the model. `seconds`: the timeout. A failure is an error. */
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
