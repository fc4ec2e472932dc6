import {
  type ChildProcess,
  type ChildProcessByStdio,
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
  spawn,
} from 'node:child_process';
import { Duplex, type Readable, type Writable } from 'node:stream';

/** A command as it was asked for, with the environment that it may see. */
export interface BareCommand {
  /** What `/bin/sh -c` runs. */
  readonly command: string;
  /** What the command finds as `$1`, `$2` and so on: none of them is read as a part of it. */
  readonly args?: readonly string[];
  /** The folder that it works in: an absolute path without links. */
  readonly directory: string;
  /** The only folder that it may change, an absolute path without links. Left out: the one that it works in. */
  readonly workspace?: string;
  /** What it may read wherever it lies: absolute paths. What is Keyturn's own stays hidden. */
  readonly shown?: readonly string[];
  readonly callId: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The caller that starts it calls `finished`: then names that are missing can be held free meanwhile. */
  readonly isFinished?: boolean;
}

/** How it is started. */
export interface BoundedCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** What the kernel is to refuse it. `file` reads it from descriptor 3. */
  readonly filter?: Uint8Array;
  /** The first process takes all others with it at once, however they have hidden. */
  readonly endsAsOne: boolean;
  /** What the bounds refused it, one line each, given what it printed as errors. */
  refusals(stderr: string): readonly string[];
  /** To be called when all of it has ended: lets go of what it needed. */
  finished?(): void;
}

/** Puts a command in its bounds. Rejects with `BoundsError` where it must not run. */
export type CommandBounds = (command: BareCommand) => Promise<BoundedCommand>;

/** A command does not run, since it can't be kept in its bounds. The message is for the model and for people. */
export class BoundsError extends Error {
  override readonly name = 'BoundsError';
}

/** No bounds: nothing but a person's look at a command says what it may do. */
export const unbounded: CommandBounds = limitedOnly();

/** No bounds but limits, where there are any. */
export function limitedOnly(limits?: CommandLimits): CommandBounds {
  return async ({ command, args = [], environment }) => {
    const [file = '/bin/sh', ...before] = withinLimits(limits, false);
    const shell = [...(before.length === 0 ? [] : ['/bin/sh']), '-c', command, 'sh', ...args];
    return { file, args: [...before, ...shell], environment, endsAsOne: false, refusals: () => [] };
  };
}

/**
 * No bounds either, but an end: a command runs as `wrapper` has it, in a namespace of processes, which ends with the first of
 * them. So nothing that it starts outlives it or this process, however it hides.
 */
export function endingTogether([file = '', ...wrapper]: readonly string[], limits?: CommandLimits): CommandBounds {
  return async ({ command, args = [], environment }) => ({
    file,
    // The first process there hears no signal that it does not listen for, so it is not the command.
    args: [
      ...[...wrapper, '/bin/sh', '-c', '"$@"; exit $?', 'sh'],
      ...withinLimits(limits, false),
      ...['/bin/sh', '-c', command, 'sh', ...args],
    ],
    environment,
    endsAsOne: true,
    refusals: () => [],
  });
}

/** No command runs. The reason is half a sentence. */
export function refuseCommands(reason: string): CommandBounds {
  return async () => {
    throw new BoundsError(
      `No command runs here: the config demands a sandbox (tools.shell.sandbox is "required"), and there is none: ${reason}. Only the operator can change that.`,
    );
  };
}

/** How much a command may take. Each holds for one process but the first, which holds for all of a sandbox. */
export interface CommandLimits {
  /** Processes and threads. */
  readonly processes: number;
  /** In bytes: what a process may have of its own. What it only reserves is not counted. */
  readonly memory: number;
  /** In bytes: how large a file that it writes may become. */
  readonly fileSize: number;
}

/**
 * What stands before a program so that it runs within limits, and all that it starts. `countsProcesses`: there is a namespace of
 * its own; elsewhere all processes of the user would count, ours too. A limit that is lower already stays as it is.
 */
export function withinLimits(limits: CommandLimits | undefined, countsProcesses: boolean): readonly string[] {
  if (limits === undefined) return [];
  const { processes, memory, fileSize } = limits;
  const set = [
    `ulimit -f ${Math.ceil(fileSize / 512)}`,
    `ulimit -d ${Math.ceil(memory / 1024)}`,
    // What dash calls -p, bash calls -u.
    ...(countsProcesses ? [`ulimit -u ${processes} || ulimit -p ${processes}`] : []),
    // Nothing that ends by a fault leaves its memory in the workspace.
    'ulimit -c 0',
  ].map((command) => `{ ${command}; } 2>/dev/null || :`);
  return ['/bin/sh', '-c', `${set.join('\n')}\nexec "$@"`, 'sh'];
}

type Child = ChildProcessByStdio<Writable | null, Readable, Readable>;

/** Where a command's filter is read. */
export const filterDescriptor = 3;

/** Starts a command, and hands its filter to what starts it. As with `spawn`, the process tells whether that worked. */
export function startBounded(
  bounded: BoundedCommand,
  input: 'pipe',
  options: SpawnOptions,
): ChildProcessWithoutNullStreams;
export function startBounded(bounded: BoundedCommand, input: 'pipe' | 'ignore', options: SpawnOptions): Child;
export function startBounded(bounded: BoundedCommand, input: 'pipe' | 'ignore', options: SpawnOptions): Child {
  const { file, args, environment, filter } = bounded;
  const child = spawn(file, args, {
    ...options,
    env: environment,
    stdio: [input, 'pipe', 'pipe', ...(filter === undefined ? [] : ['pipe' as const])],
  });
  if (!isPiped(child)) throw new Error('A process was started without its pipes');
  const pipe = child.stdio[filterDescriptor];
  if (pipe instanceof Duplex) {
    // What cannot start does not read it.
    pipe.on('error', () => {});
    pipe.end(filter, () => pipe.destroy());
  }
  return child;
}

function isPiped(child: ChildProcess): child is Child {
  return child.stdout !== null && child.stderr !== null;
}
