import { spawnSync } from 'node:child_process';
import type { InLanguage } from '../../../lib/words.ts';
import type { ServiceOrder } from './service-order.ts';

/** What starts Keyturn by itself on this machine, and again when it has crashed. */
export interface ServiceManager {
  readonly name: 'systemd' | 'launchd';
  /** The file that describes the service. */
  readonly file: string;
  /** The command that shows what the service prints. */
  readonly logs: string;
  /** The text of the file. */
  describe(order: ServiceOrder): string;
  /** The programs and files that such a text names. */
  pathsIn(text: string): readonly string[];
  /** The config that such a text names. Undefined if it names none. */
  configIn(text: string): string | undefined;
  /** Why it cannot be used here. Undefined: it can. */
  problem(): InLanguage | undefined;
  /** Has it read the file, and start the service now and with the machine. Gives what went wrong. */
  start(): string | undefined;
  /** Ends the service, and has it not started again. Gives what went wrong. */
  stop(): string | undefined;
  /** Ends the service for now: it starts with the machine as before. Gives what went wrong. */
  pause(): string | undefined;
  /** Has it forget the file, which is gone. */
  forget(): void;
  state(): ServiceState;
  /** How to make the service go on while its user is not logged in. Undefined if it does. */
  linger?(): LingerState | undefined;
}

export interface LingerState {
  /** The command that does it. */
  readonly command: string;
  /** Does it. Gives what went wrong. */
  readonly enable: () => string | undefined;
}

export interface ServiceState {
  /** Whether it starts with the machine, or with the login. */
  readonly isEnabled: boolean;
  readonly isActive: boolean;
  /** As the manager calls it: `active (running)`. */
  readonly condition: string;
  readonly pid: number | undefined;
  /** As the manager writes it. */
  readonly since: string | undefined;
  /** How the last process ended: an exit code, or the name of what ended it. */
  readonly lastExit: string | undefined;
  readonly restarts: number | undefined;
}

export interface ProgramRun {
  readonly isDone: boolean;
  readonly stdout: string;
  /** What it complained of, or why it could not be run. */
  readonly fault: string;
}

/** Runs a program of the manager. These answer soon, but a start waits until Keyturn runs. */
export type RunProgram = (name: string, args: readonly string[]) => ProgramRun;

export function programRunner(environment: Readonly<Record<string, string | undefined>>): RunProgram {
  return (name, args) => {
    const { status, stdout, stderr, error } = spawnSync(name, args, {
      env: { ...environment, LC_ALL: 'C', SYSTEMD_COLORS: '0', SYSTEMD_PAGER: '' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (error !== undefined) return { isDone: false, stdout: '', fault: error.message };
    return { isDone: status === 0, stdout, fault: stderr.trim() || `${name} ended with ${status}` };
  };
}

/** Runs one after the other until one fails. Gives what went wrong. */
export function runAll(run: RunProgram, name: string, lines: readonly (readonly string[])[]): string | undefined {
  for (const args of lines) {
    const { isDone, fault } = run(name, args);
    if (!isDone) return fault;
  }
  return undefined;
}

/** The config that a command line names. */
export function configAmong(words: readonly string[]): string | undefined {
  const at = words.indexOf('--config');
  return at === -1 ? words.find((word) => word.startsWith('--config='))?.slice('--config='.length) : words[at + 1];
}

/** What differs between two texts, line by line: `-` goes, `+` comes. */
export function changedLines(before: string, after: string): readonly string[] {
  const [old, now] = [before, after].map((text) => text.split('\n').filter((line) => line.trim() !== ''));
  const gone = (old ?? []).filter((line) => now?.includes(line) !== true);
  const come = (now ?? []).filter((line) => old?.includes(line) !== true);
  return [...gone.map((line) => `- ${line}`), ...come.map((line) => `+ ${line}`)];
}
