import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCode, unless } from '../workspace/workspace-error.ts';
import { filterPlace, namespaces } from './sandbox-view.ts';

/** The programs that make the sandbox, as absolute paths. */
export interface SandboxPrograms {
  /** bubblewrap. */
  readonly wrap: string;
  /** Takes sockets of the machine and new namespaces from a command before it starts. */
  readonly filter: string;
  /** socat, which carries a command's requests to the proxy. Only there where the network was asked for. */
  readonly relay?: string;
}

/** Whether commands can be kept in a sandbox here; if not, why, and what to do about it, as half a sentence. */
export type SandboxState =
  | { readonly holds: true; readonly programs: SandboxPrograms }
  | { readonly holds: false; readonly reason: string };

export interface SandboxTrial {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Commands are to reach some hosts. */
  readonly needsNetwork: boolean;
  /** Default: that of this machine. */
  readonly platform?: string;
}

/** In milliseconds. A trial takes about 10. */
const trialTimeout = 5_000;

/** Runs a command that does nothing, in all the bounds that real ones get. Changes nothing, and does not reject. */
export async function trySandbox({ environment, needsNetwork, platform }: SandboxTrial): Promise<SandboxState> {
  if ((platform ?? process.platform) !== 'linux') return no('there is one on Linux alone');
  if (!processors.includes(process.arch)) return no(`there is none for processors of the kind ${process.arch}`);
  const filter = filterPath();
  if (filter === undefined) return no('@anthropic-ai/sandbox-runtime is missing: `npm install`, then restart');
  const [wrap, relay] = await Promise.all([onPath('bwrap', environment), onPath('socat', environment)]);
  if (wrap === undefined) return no('bubblewrap is missing: `apt install bubblewrap socat`, then restart');
  if (needsNetwork && relay === undefined) {
    return no('tools.shell.allowed_domains needs socat, which is missing: `apt install socat`, then restart');
  }
  const programs = { wrap, filter, ...(relay === undefined ? {} : { relay }) };
  const failure = await attempt(programs);
  return failure === undefined ? { holds: true, programs } : no(explain(failure));
}

function no(reason: string): SandboxState {
  return { holds: false, reason };
}

const processors: readonly string[] = ['x64', 'arm64'];

/** The filter comes with a library, which is too large to be loaded for it. */
function filterPath(): string | undefined {
  try {
    const library = new URL('../', import.meta.resolve('@anthropic-ai/sandbox-runtime'));
    return fileURLToPath(new URL(`vendor/seccomp/${process.arch}/apply-seccomp`, library));
  } catch (cause) {
    if (errorCode(cause) === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw cause;
  }
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

/** What it said when it failed; undefined if it did not. */
function attempt({ wrap, filter }: SandboxPrograms): Promise<string | undefined> {
  const args = [...namespaces(), '--tmpfs', '/run', '--ro-bind', filter, filterPlace, '--', filterPlace, '/bin/true'];
  return new Promise((resolve) => {
    const child = spawn(wrap, args, { env: {}, stdio: ['ignore', 'ignore', 'pipe'], timeout: trialTimeout });
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
  old: 'bubblewrap 0.7 or newer is needed',
} as const;

const hints = [
  { sign: /unknown option/i, mend: mends.old },
  {
    sign: /mount proc|mounting proc/i,
    mend: 'a container hides parts of /proc: in Docker run with `--security-opt systempaths=unconfined`',
  },
] as const;
