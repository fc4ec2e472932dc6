import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { unless } from '../workspace/workspace-error.ts';
import {
  type BoundedCommand,
  BoundsError,
  type CommandBounds,
  type CommandLimits,
  endingTogether,
  limitedOnly,
  refuseCommands,
  startBounded,
} from './bounds.ts';
import { Sandbox } from './sandbox.ts';
import type { HiddenPlaces, SandboxPrograms } from './sandbox-view.ts';
import { seccompFilter } from './seccomp-filter.ts';

/** Whether commands can be kept in a sandbox here; if not, why, and what to do about it, as half a sentence. */
export type SandboxState =
  | { readonly holds: true; readonly programs: SandboxPrograms }
  | {
      readonly holds: false;
      readonly reason: string;
      /** What a command is started with so that all of it ends with it, where there is something. */
      readonly wrapper?: readonly string[];
    };

export interface SandboxTrial {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Commands are to reach some hosts. */
  readonly needsNetwork: boolean;
  /** Default: that of this machine. */
  readonly platform?: string;
}

/** In milliseconds. A trial takes about 10, and 300 where the proxy of the network starts with it. */
const trialTimeout = 5_000;

/**
 * Runs a command that does nothing, in all the bounds that real ones get and with their way to the network. So a sandbox
 * that holds here holds for commands too. Changes nothing, and does not reject.
 */
export async function trySandbox({ environment, needsNetwork, platform }: SandboxTrial): Promise<SandboxState> {
  if ((platform ?? process.platform) !== 'linux') return no('there is one on Linux alone');
  const filter = seccompFilter(process.arch);
  if (filter === undefined) return no(`there is none for processors of the kind ${process.arch}`);
  const [wrap, relay] = await Promise.all([onPath('bwrap', environment), onPath('socat', environment)]);
  if (wrap === undefined) return no('bubblewrap is missing: `apt install bubblewrap socat`, then restart');
  if (needsNetwork && relay === undefined) {
    return no('tools.shell.allowed_domains needs socat, which is missing: `apt install socat`, then restart');
  }
  const programs = { wrap, filter, relay };
  const failure = await attempt(programs, needsNetwork, environment);
  return failure === undefined ? { holds: true, programs } : no(explain(failure));
}

function no(reason: string): SandboxState {
  return { holds: false, reason };
}

async function onPath(name: string, { PATH = '' }: SandboxTrial['environment']): Promise<string | undefined> {
  for (const folder of PATH.split(delimiter).filter((each) => isAbsolute(each))) {
    const path = join(folder, name);
    const found = await unless(
      ['ENOENT', 'ENOTDIR', 'EACCES'],
      access(path, constants.X_OK).then(() => path),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Why it failed; undefined if it did not. */
async function attempt(
  programs: SandboxPrograms,
  needsNetwork: boolean,
  { PATH = '', HOME = '/' }: SandboxTrial['environment'],
): Promise<string | undefined> {
  const allowedDomains = needsNetwork ? ['keyturn.invalid'] : [];
  const sandbox = new Sandbox({ programs, hidden: { privatePaths: [] }, allowedDomains });
  try {
    return await failureOf(
      await sandbox.bound({
        command: 'true',
        directory: '/',
        workspace: '/tmp',
        callId: 'trial',
        environment: { PATH, HOME },
      }),
    );
  } catch (cause) {
    if (cause instanceof BoundsError) return cause.message;
    throw cause;
  } finally {
    await sandbox.stop();
  }
}

function failureOf(bounded: BoundedCommand): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = startBounded(bounded, 'ignore', { timeout: trialTimeout });
    child.stdout.resume();
    const said: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
    child.on('error', (cause) => resolve(cause.message));
    child.on('close', (code, signal) => {
      const words = Buffer.concat(said).toString().trim().split('\n').at(-1) ?? '';
      resolve(code === 0 ? undefined : words === '' ? `it ended with ${code ?? signal}` : words.slice(0, 200));
    });
  });
}

function explain(failure: string): string {
  const hint = hints.find(({ sign }) => sign.test(failure))?.mend ?? mends.forbidden;
  return `bubblewrap does not work here (${failure}): ${hint}`;
}

const mends = {
  forbidden:
    'unprivileged user namespaces are probably forbidden. Ubuntu 24.04 and newer: give bwrap an AppArmor profile that allows `userns`; in Docker: run with `--security-opt seccomp=unconfined --security-opt apparmor=unconfined`',
  network: 'tools.shell.allowed_domains cannot be reached from it. See that socat works (`socat -V`), then restart',
  old: 'bubblewrap 0.7 or newer is needed',
} as const;

const hints = [
  { sign: /did not run/, mend: mends.network },
  { sign: /unknown option/i, mend: mends.old },
  {
    sign: /mount proc|mounting proc/i,
    mend: 'a container hides parts of /proc: in Docker run with `--security-opt systempaths=unconfined`',
  },
] as const;

export interface ProcessBoundsOptions {
  readonly sandbox: SandboxState;
  /** Without a sandbox no command runs. */
  readonly isRequired: boolean;
  readonly hidden: HiddenPlaces;
  /** What commands in the sandbox may reach in the network. */
  readonly allowedDomains: readonly string[];
  /** How much a command may take. Left out: as much as there is. */
  readonly limits?: CommandLimits;
  /** Names in a workspace that commands in the sandbox may not write. */
  readonly protectedNames?: readonly string[];
}

/** The bounds of all commands of this process. */
export interface ProcessBounds {
  readonly bounds: CommandBounds;
  /** A sandbox keeps them, and not only a person's look. */
  isConfined(): boolean;
  /** Takes from these workspaces what commands of a process that was killed have left. None of them may run. */
  sweep(workspaces: readonly string[]): void;
  /** Lets go of what the network of commands needed. */
  stop(): Promise<void>;
}

/** Chooses by what was found at start. A sandbox that fails later is never left out: the command does not run. */
export function processBounds({
  sandbox,
  isRequired,
  hidden,
  allowedDomains,
  limits,
  protectedNames,
}: ProcessBoundsOptions): ProcessBounds {
  if (sandbox.holds) {
    const made = new Sandbox({ programs: sandbox.programs, hidden, allowedDomains, limits, protectedNames });
    return {
      bounds: (command) => made.bound(command),
      isConfined: () => true,
      sweep: (workspaces) => made.sweep(workspaces),
      stop: () => made.stop(),
    };
  }
  return {
    bounds: isRequired ? refuseCommands(sandbox.reason) : unconfined(sandbox.wrapper, limits),
    isConfined: () => false,
    sweep: () => {},
    stop: async () => {},
  };
}

function unconfined(wrapper: readonly string[] | undefined, limits: CommandLimits | undefined): CommandBounds {
  return wrapper === undefined ? limitedOnly(limits) : endingTogether(wrapper, limits);
}

/**
 * Finds out how commands without a sandbox can be started so that all that they start ends with them, and with this
 * process: see `endingTogether`. Undefined where that cannot be done. In a namespace of users, which all but root need,
 * `sudo` does not work: `mayLoseSudo` says whether that matters.
 */
export async function findWrapper(
  environment: Readonly<Record<string, string | undefined>>,
  mayLoseSudo: boolean,
): Promise<readonly string[] | undefined> {
  if (process.platform !== 'linux') return undefined;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !mayLoseSudo) return undefined;
  const users = isRoot ? [] : ['--user', '--map-current-user'];
  const wrapper = [
    ...['setpriv', '--pdeathsig', 'KILL', '--'],
    ...['unshare', ...users, '--pid', '--fork', '--kill-child', '--mount-proc', '--'],
  ];
  return (await works(wrapper, environment)) ? wrapper : undefined;
}

async function works(
  wrapper: readonly string[],
  { PATH = '' }: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const bare = { command: 'exit 7', directory: '/', callId: 'trial', environment: { PATH } };
  const { file, args, environment } = await endingTogether(wrapper)(bare);
  return new Promise((resolve) => {
    const child = spawn(file, args, { env: environment, stdio: 'ignore', timeout: trialTimeout });
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 7));
  });
}
