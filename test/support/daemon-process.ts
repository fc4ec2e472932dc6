import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Changes, contains } from './wait-for.ts';

export interface DaemonOptions {
  /** Becomes the config file. `data_dir` and `workspace` are set to folders of its own unless they are given. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The script that Node runs; the daemon itself if not set. */
  readonly entry?: string;
  /** Where it dies: see `crashing-main.ts`. */
  readonly crashAt?: string | undefined;
  /** Come behind `--config <file>`. */
  readonly args?: readonly string[];
  /** Beside PATH and HOME, which is a folder of its own: nothing else of this process is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Stands in the file `.env` beside the config. */
  readonly variables?: string;
  /** A program, with its arguments, that runs Node and what follows, as a child that is this process's own. */
  readonly under?: readonly string[];
  /** Whether there is an input to write to. None if not set. */
  readonly stdin?: 'pipe' | 'none';
}

export interface Exit {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface Run {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  /** Where its output begins. */
  readonly outputFrom: number;
  /** It has ended, and all its output has arrived. */
  isOver: boolean;
}

const project = resolve(import.meta.dirname, '../..');
const stopMs = 100_000;
const graceMs = 500;
const tailLength = 3_000;

export type DaemonProcess = ReturnType<typeof start>;
export const DaemonProcess = { start } as const;

/**
 * The real process, in folders of its own. Dispose of it at the end of the test: it kills it and removes the folders. Starts
 * it; does not wait until it is ready.
 */
function start(options: DaemonOptions) {
  const changes = new Changes();
  /** Its working directory and home. */
  const folder = mkdtempSync(join(tmpdir(), 'keyturn-test-'));
  const [dataDir, workspace, configFile] = [
    join(folder, 'data'),
    join(folder, 'workspace'),
    join(folder, 'config.json'),
  ];
  let written = '';
  mkdirSync(workspace);
  writeConfig(options.config);
  if (options.variables !== undefined) writeFileSync(join(folder, '.env'), options.variables);
  let running = run();

  function writeConfig(config: Readonly<Record<string, unknown>>): void {
    writeFileSync(configFile, JSON.stringify({ data_dir: dataDir, workspace, ...config }, null, 2));
  }

  function output(): string {
    return written.slice(running.outputFrom);
  }

  function tail(): string {
    return `Its output:\n${output().slice(-tailLength) || '(nothing)'}`;
  }

  function run(): Run {
    const {
      crashAt,
      entry = daemonEntry(crashAt !== undefined),
      args = [],
      env = {},
      under = [],
      stdin = 'none',
    } = options;
    const [program = process.execPath, ...first] = [...under, process.execPath];
    const child = spawn(program, [...first, entry, '--config', configFile, ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder, KEYTURN_CRASH_AT: crashAt, ...env },
      stdio: [stdin === 'pipe' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
    const take = (chunk: string): void => {
      written += chunk;
      changes.notify();
    };
    child.stdout?.setEncoding('utf8').on('data', take);
    child.stderr?.setEncoding('utf8').on('data', take);
    // Who writes to a process that has just died is told by its end.
    child.stdin?.on('error', () => undefined);
    const exited = ended(child);
    const begun = { child, exited, outputFrom: written.length, isOver: false };
    void exited.then(() => {
      begun.isOver = true;
      changes.notify();
    });
    return begun;
  }

  /** Sends a signal, SIGKILL if none is given, and waits for the end. */
  async function kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Exit> {
    running.child.kill(signal);
    return running.exited;
  }

  async function dispose(): Promise<void> {
    await kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }

  return {
    ...{ folder, configFile, dataDir, workspace, kill, dispose, [Symbol.asyncDispose]: dispose },
    /** Replaces the config file, while it runs or before a restart. */
    writeConfig,

    get pid(): number {
      const { pid } = running.child;
      if (pid === undefined) throw new Error(`The process did not start.\n${tail()}`);
      return pid;
    },

    /** How the running, or else the last, process ended. */
    get exited(): Promise<Exit> {
      return running.exited;
    },

    /** All that it has written to stdout and stderr since it was started last. */
    get output(): string {
      return output();
    },

    /** What all of its processes have written. */
    get outputOfAll(): string {
      return written;
    },

    /** Writes a line to its input. */
    write(line: string): void {
      const { stdin } = running.child;
      if (stdin === null) throw new Error("Start the daemon with stdin: 'pipe' to write to it.");
      stdin.write(`${line}\n`);
    },

    /** Waits until it has written that since it was started last. Throws if it ends before, or when the time is over. */
    async waitForOutput(wanted: string | RegExp, timeoutMs = 100_000): Promise<void> {
      const awaited = running;
      const look = () => (contains(output(), wanted) ? 'found' : awaited.isOver && 'ended');
      const found = await changes.waitFor(look, { timeoutMs, what: `the output ${wanted}`, describe: tail });
      if (found === 'ended') throw new Error(`The process ended before it wrote ${wanted}.\n${tail()}`);
    },

    /** Asks it to stop. Throws if it does not end by itself, with the code 0, within 20 s or the time given. */
    async stop(timeoutMs = stopMs): Promise<Exit> {
      const stopped = running;
      stopped.child.kill('SIGTERM');
      const what = 'the process to end after SIGTERM';
      await changes.waitFor(() => stopped.isOver, { timeoutMs, what, describe: tail });
      const exit = await stopped.exited;
      if (exit.code !== 0) throw new Error(`It ended with ${exit.code ?? exit.signal} after SIGTERM.\n${tail()}`);
      return exit;
    },

    /** Kills it, if it runs, and starts it again in the same folders. */
    async restart(): Promise<void> {
      await kill();
      running = run();
    },
  };
}

/** The daemon as `daemon-bundle.ts` has packed it, or as it is where nobody has done so: outside of the tests. */
export function daemonEntry(dies = false): string {
  const bundle = process.env.KEYTURN_TEST_DAEMON;
  if (bundle !== undefined) return join(bundle, dies ? 'start-crashing.js' : 'start-main.js');
  if (dies) throw new Error('Only the packed daemon can die at a point.');
  return join(project, 'src/start.js');
}

/** The daemon whose set-up looks where the test says: see `setting-up-main.ts`. */
export function settingUpEntry(): string {
  const bundle = process.env.KEYTURN_TEST_DAEMON;
  return bundle === undefined ? join(project, 'test/support/setting-up-main.ts') : join(bundle, 'start-setting-up.js');
}

/** `close` comes when all output has arrived; a child that outlives the process and holds its output delays it for good. */
async function ended(child: ChildProcess): Promise<Exit> {
  const closed = once(child, 'close');
  await once(child, 'exit');
  await Promise.race([closed, pause(graceMs, undefined, { ref: false })]);
  return { code: child.exitCode, signal: child.signalCode };
}
