import { readdir, readFile } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import type { Network } from '../../../../src/lib/network/network.ts';
import type { CommandLimits } from '../../../../src/tools/guard/process/bounds.ts';
import type { CommandShell } from '../../../../src/tools/guard/process/command-shell.ts';
import { type ProcessRequest, processGuard } from '../../../../src/tools/guard/process/process.ts';
import { processBounds, type SandboxState } from '../../../../src/tools/guard/process/sandbox.ts';
import { trySandbox } from '../../../../src/tools/guard/process/sandbox-trial.ts';
import { newFolder } from '../../../support/new-folder.ts';

/** The sandbox of this machine. Without one the tests of it fail, and say what to do. */
export async function realSandbox(): Promise<Extract<SandboxState, { readonly holds: true }>> {
  const state = await trySandbox({ environment: { PATH: process.env.PATH }, needsNetwork: false });
  if (!state.holds) throw new Error(`These tests need a machine with a sandbox: ${state.reason}.`);
  return state;
}

export type SandboxSetting = Awaited<ReturnType<typeof sandboxSetting>>;

export interface SandboxSettingOptions {
  readonly privatePaths?: readonly string[];
  readonly workspace?: string;
  readonly workspaceRoot?: string;
  readonly allowedDomains?: readonly string[];
  /** How their requests get out. Default: directly. */
  readonly network?: Network;
  readonly environment?: Readonly<Record<string, string>>;
  /** A folder that commands can see, read only, although it lies among temporary files. */
  readonly shown?: string;
  readonly sandbox?: SandboxState;
  /** Default: `sh`. */
  readonly shell?: CommandShell;
  readonly limits?: CommandLimits;
  readonly protectedNames?: readonly string[];
}

/** A request with what a test does not care about filled in. */
export async function requestOf(command: string, changed: Partial<ProcessRequest> = {}): Promise<ProcessRequest> {
  return {
    command,
    directory: changed.directory ?? (await newFolder()),
    callId: crypto.randomUUID(),
    timeout: 20_000,
    maxOutput: 2 ** 20,
    signal: new AbortController().signal,
    ...changed,
  };
}

/** A guard that keeps commands in a sandbox, ended with the test. */
export async function sandboxSetting(options: SandboxSettingOptions = {}) {
  const workspace = options.workspace ?? (await newFolder());
  const { privatePaths = [], workspaceRoot, allowedDomains = [], shown } = options;
  const made = processBounds({
    sandbox: options.sandbox ?? (await realSandbox()),
    isRequired: false,
    shell: options.shell,
    hidden: { privatePaths, workspaceRoot },
    allowedDomains,
    network: options.network,
    limits: options.limits,
    protectedNames: options.protectedNames,
  });
  onTestFinished(() => made.stop());
  // What stands on the PATH is shown.
  const PATH = [process.env.PATH, ...(shown === undefined ? [] : [shown])].join(':');
  const environment = { PATH, HOME: process.env.HOME, ...options.environment };
  const guard = processGuard({ clock: systemClock, environment, bounds: made.bounds });
  return {
    workspace,
    run: async (command: string, changed: Partial<ProcessRequest> = {}) =>
      guard(await requestOf(command, { directory: workspace, ...changed })),
    stop: () => made.stop(),
  };
}

/** A time, and a `sleep`, that can be told from all others; and as it stands among a process's arguments. */
export const newSeconds = (): string => `98${Math.floor(Math.random() * 1e9)}`;
export const newSleep = (): string => `sleep ${newSeconds()}`;
export const asArguments = (sleep: string): string => sleep.replace(' ', '\0');

/** The ids of the living processes whose command line contains the text. */
export async function processesWith(text: string): Promise<readonly string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return ids.filter((_, index) => lines[index]?.includes(text));
}
