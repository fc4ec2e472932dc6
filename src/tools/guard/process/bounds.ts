import { type ChildProcess, type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process';
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

export interface BoundedCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** What the kernel refuses to it. `file` reads it from descriptor 3. */
  readonly filter?: Uint8Array;
  /** The first process takes all others with it at once, however they have hidden. */
  readonly endsAsOne: boolean;
  /** What the bounds refused it, one line each, given what it printed as errors. */
  refusals(stderr: string): readonly string[];
  /** It is ended where less than that is left free where it works, in bytes. */
  readonly minFree?: number | undefined;
  /** To be asked when all of it has ended: what it has made that should be known, in sentences. */
  made?(): Promise<readonly string[]>;
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
export const unbounded: CommandBounds = unconfined();

/**
 * No sandbox, but limits, where there are any, and an end: a command runs as `wrapper` has it, in a namespace of
 * processes, which ends with the first of them. So nothing that it starts outlives it or this process, however it
 * hides.
 */
export function unconfined(limits?: CommandLimits, wrapper: readonly string[] = []): CommandBounds {
  // The first process there hears no signal that it does not listen for, so it is not the command.
  const first = wrapper.length === 0 ? [] : [...wrapper, '/bin/sh', '-c', '"$@"; exit $?', 'sh'];
  return async ({ command, args = [], environment }) => {
    const words = [...first, ...withinLimits(limits, false), '/bin/sh', '-c', command, 'sh', ...args];
    const [file = '', ...rest] = words;
    return {
      file,
      args: rest,
      environment,
      endsAsOne: wrapper.length > 0,
      minFree: limits?.minFree,
      refusals: () => [],
    };
  };
}

/** How much a command may take. Memory and file size hold for one process, the others for all of the command. */
export interface CommandLimits {
  readonly processes: number;
  /** In bytes: what a process may have of its own. What it only reserves is not counted. */
  readonly memory: number;
  /** In bytes: how large a file that it writes may become. */
  readonly fileSize: number;
  /** In bytes: how much it must leave free on the disk, or half of what is free when it begins where that is less. */
  readonly minFree: number;
}

/**
 * What stands before a program so that it runs within limits, and all that it starts. `countsProcesses`: there is a
 * namespace of its own; elsewhere all processes of the user would count, ours too. A limit that is lower already stays
 * as it is.
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

/** Its input is there where it was to be a pipe. */
type BoundedProcess = ChildProcessByStdio<Writable | null, Readable, Readable>;

export const filterDescriptor = 3;

/** Starts a command, and hands its filter to what starts it. As with `spawn`, the process tells whether that worked. */
export function startBounded(bounded: BoundedCommand, input: 'pipe' | 'ignore', options: SpawnOptions): BoundedProcess {
  const { file, args, environment, filter } = bounded;
  const filterPipe = filter === undefined ? [] : ['pipe' as const];
  const child = spawn(file, args, { ...options, env: environment, stdio: [input, 'pipe', 'pipe', ...filterPipe] });
  if (!isPiped(child)) throw new Error('A process was started without its pipes');
  const pipe = child.stdio[filterDescriptor];
  if (pipe instanceof Duplex) {
    // What cannot start does not read it.
    pipe.on('error', () => {});
    pipe.end(filter, () => pipe.destroy());
  }
  return child;
}

function isPiped(child: ChildProcess): child is BoundedProcess {
  return child.stdout !== null && child.stderr !== null;
}
