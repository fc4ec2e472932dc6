import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { daemonEntry } from '../support/daemon-process.ts';
import { Changes } from '../support/wait-for.ts';

/** Of util-linux: runs a command on a terminal of its own. */
const pseudoTerminal = 'script';

export interface OnTerminal {
  /** All that was written, as it was written. */
  written(): string;
  /** Waits until that was written. */
  wrote(text: string): Promise<void>;
  type(keys: string): void;
  /** Waits until something is there in what was written. */
  shows<Found>(look: (written: string) => Found | undefined | false | null, what: string): Promise<Found>;
  /** Waits for the end of the process. Gives its exit code. */
  ended(): Promise<number | null>;
}

interface Screen {
  readonly folder: string;
  readonly columns: number;
  readonly env?: Readonly<Record<string, string>>;
  /** What it is told. Default: nothing, and so it starts. */
  readonly args?: readonly string[];
  /** What Node runs. Default: the daemon as the tests have packed it. */
  readonly entry?: string;
  /** What the shell of the terminal runs, in place of Node. */
  readonly shellCommand?: string | undefined;
}

/** Runs Keyturn in a folder, as somebody does at a terminal of that width. */
export function startOnTerminal({ folder, columns, env = {}, args = [], ...screen }: Screen): OnTerminal {
  const { entry = daemonEntry(), shellCommand = `'${process.execPath}' '${entry}' ${args.join(' ')}` } = screen;
  const command = `stty cols ${columns} rows 24; exec ${shellCommand}`;
  const given = { PATH: process.env.PATH, TERM: 'xterm', ...env };
  const child = spawn(pseudoTerminal, ['-qec', command, '/dev/null'], { cwd: folder, env: given });
  const closed = once(child, 'close');
  const changes = new Changes();
  let written = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    written += text;
    changes.notify();
  });
  return {
    written: () => written,
    wrote: async (text) => {
      await changes.waitFor(() => written.includes(text), { what: text, describe: () => written });
    },
    shows: (look, what) => changes.waitFor(() => look(written), { what, describe: () => written }),
    type: (keys) => void child.stdin.write(keys),
    ended: async () => {
      await closed;
      return child.exitCode;
    },
  };
}
