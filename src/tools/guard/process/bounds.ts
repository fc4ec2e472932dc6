import { type ChildProcess, type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process';
import { Duplex, type Readable, type Writable } from 'node:stream';
import { type InLanguage, type Words, wordsIn } from '../../../lib/words.ts';
import { type CommandShell, plainShell, shellWords, withoutShellState } from './command-shell.ts';

/** A command as requested, with its environment. */
export interface BareCommand {
  /** The script for the shell. */
  readonly command: string;
  /** `$1`, `$2` and so on. They are never parsed as part of the command. */
  readonly args?: readonly string[];
  /** The working directory: an absolute path without links. */
  readonly directory: string;
  /** The only folder that it may change: an absolute path without links. Default: the working directory. */
  readonly workspace?: string;
  /** Absolute paths that it may read anywhere. Keyturn's own files stay hidden. */
  readonly shown?: readonly string[];
  readonly callId: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The caller promises to call `finished`, so missing names can be reserved meanwhile. */
  readonly isFinished?: boolean;
  /** All of it was read, and it only reads. So the sandbox keeps it from changing the workspace at all. */
  readonly isReadOnly?: boolean;
}

export interface BoundedCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The seccomp filter, which `file` reads from descriptor 3. */
  readonly filter?: Uint8Array;
  /** The end of the first process ends all others at once, even hidden ones. */
  readonly endsAsOne: boolean;
  /** It can leave no file behind. */
  readonly leavesNothing?: boolean;
  /** What the bounds refused, and what in its output comes from them: one line each. */
  refusals(output: CommandOutput): readonly string[];
  /** The command is ended when less than this is free on its disk, in bytes. */
  readonly minFree?: number | undefined;
  /** To be called when all of it has ended. Resolves with sentences on what it created that people should know of. */
  made?(): Promise<readonly string[]>;
  /** To be called when all of it has ended: releases its resources. */
  finished?(): void;
}

export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/** Confines a command. Rejects with `BoundsError` if it must not run. */
export type CommandBounds = (command: BareCommand) => Promise<BoundedCommand>;

/** A command can't be confined, so it does not run. The message is English, for the model. */
export class BoundsError extends Error {
  override readonly name = 'BoundsError';
  /** The same for people. */
  readonly saidIn: InLanguage;

  constructor(words: Words, options?: ErrorOptions) {
    super(wordsIn('en', words), options);
    this.saidIn = (language) => wordsIn(language, words);
  }
}

/** No bounds: only a person's review limits a command. It runs in `sh`. */
export const unbounded: CommandBounds = unconfined();

/**
 * No sandbox, only limits (if any) and an end: `wrapper` runs the command in a PID namespace, which ends with its first
 * process. So nothing that the command starts outlives it or this process, even if it hides.
 */
export function unconfined(
  limits?: CommandLimits,
  wrapper: readonly string[] = [],
  shell: CommandShell = plainShell,
): CommandBounds {
  // The first process there ignores signals that it does not handle, so it is not the command.
  const first = wrapper.length === 0 ? [] : [...wrapper, '/bin/sh', '-c', '"$@"; exit $?', 'sh'];
  return async ({ command, args = [], environment }) => {
    const words = [...first, ...withinLimits(limits, false), ...shellWords(shell, command, args)];
    const [file = '', ...rest] = words;
    return {
      file,
      args: rest,
      environment: withoutShellState(environment),
      endsAsOne: wrapper.length > 0,
      minFree: limits?.minFree,
      refusals: () => [],
    };
  };
}

/** Resource limits. Memory and file size hold for each process, the others for the whole command. */
export interface CommandLimits {
  readonly processes: number;
  /** In bytes: the memory of a process. Memory that it only reserves is not counted. */
  readonly memory: number;
  /** In bytes: the largest file that it may write. */
  readonly fileSize: number;
  /** In bytes: the disk space to leave free, or half of what is free at the start if that is less. */
  readonly minFree: number;
}

/**
 * Words to place before a program so that it and all that it starts run within limits. `countsProcesses`: it has its
 * own namespace; elsewhere all processes of the user would count, ours too. A limit that is already lower stays.
 */
export function withinLimits(limits: CommandLimits | undefined, countsProcesses: boolean): readonly string[] {
  if (limits === undefined) return [];
  const { processes, memory, fileSize } = limits;
  const set = [
    `ulimit -f ${Math.ceil(fileSize / 512)}`,
    `ulimit -d ${Math.ceil(memory / 1024)}`,
    // dash has -p for this, bash -u.
    ...(countsProcesses ? [`ulimit -u ${processes} || ulimit -p ${processes}`] : []),
    // No core dumps in the workspace.
    'ulimit -c 0',
  ].map((command) => `{ ${command}; } 2>/dev/null || :`);
  return ['/bin/sh', '-c', `${set.join('\n')}\nexec "$@"`, 'sh'];
}

/** `stdin` is null unless it was to be a pipe. */
type BoundedProcess = ChildProcessByStdio<Writable | null, Readable, Readable>;

export const filterDescriptor = 3;

/** Starts a command and passes its filter to it. As with `spawn`, events of the process tell whether that worked. */
export function startBounded(bounded: BoundedCommand, input: 'pipe' | 'ignore', options: SpawnOptions): BoundedProcess {
  const { file, args, environment, filter } = bounded;
  const filterPipe = filter === undefined ? [] : ['pipe' as const];
  const child = spawn(file, args, { ...options, env: environment, stdio: [input, 'pipe', 'pipe', ...filterPipe] });
  if (!isPiped(child)) throw new Error('A process was started without its pipes');
  const pipe = child.stdio[filterDescriptor];
  if (pipe instanceof Duplex) {
    // A process that fails to start does not read it.
    pipe.on('error', () => {});
    pipe.end(filter, () => pipe.destroy());
  }
  return child;
}

function isPiped(child: ChildProcess): child is BoundedProcess {
  return child.stdout !== null && child.stderr !== null;
}
