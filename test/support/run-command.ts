import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { type DaemonProcess, daemonEntry } from './daemon-process.ts';

export interface CommandRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Gives a command of the program with the config of a daemon, as its operator does in another terminal. */
export async function runCommandOf(
  daemon: Pick<DaemonProcess, 'configFile' | 'folder'>,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandRun> {
  const child = spawn(process.execPath, [daemonEntry(), ...args, '--config', daemon.configFile], {
    cwd: daemon.folder,
    env: { PATH: process.env.PATH ?? '', HOME: daemon.folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}
