import { readFile } from 'node:fs/promises';
import { programOnPath } from '../../../lib/programs.ts';
import { type InLanguage, type Words, wordsIn } from '../../../lib/words.ts';
import { type BoundedCommand, BoundsError, startBounded, unconfined } from './bounds.ts';
import type { CommandShell } from './command-shell.ts';
import { processBounds, type SandboxPrograms, type SandboxState } from './sandbox.ts';
import { seccompFilter } from './seccomp-filter.ts';
import { type Mend, sandboxWords } from './words.ts';

export interface SandboxTrial {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Commands may reach some hosts. */
  readonly needsNetwork: boolean;
  /** Default: `sh`. */
  readonly shell?: CommandShell;
  /** Default: this machine's. */
  readonly platform?: string;
}

/** In ms. A trial takes about 10, or 300 if it starts the network proxy. */
const trialTimeout = 5_000;

/**
 * Runs a no-op command with the same bounds and network path as real commands, so a sandbox that works here works for
 * them too. Changes nothing. A sandbox that fails is a result, not a rejection.
 */
export async function trySandbox(trial: SandboxTrial): Promise<SandboxState> {
  const { environment, needsNetwork, platform } = trial;
  if ((platform ?? process.platform) !== 'linux') return no((language) => sandboxWords[language].onlyOnLinux);
  const filter = seccompFilter(process.arch);
  if (filter === undefined) return no((language) => sandboxWords[language].noneForProcessor({ kind: process.arch }));
  const wrap = programOnPath('bwrap', environment.PATH);
  const relay = programOnPath('socat', environment.PATH);
  if (wrap === undefined) return no((language) => sandboxWords[language].noBubblewrap);
  if (needsNetwork && relay === undefined) return no((language) => sandboxWords[language].noSocat);
  const programs = { wrap, filter, relay };
  const failure = await attempt(programs, trial);
  if (failure === undefined) return { holds: true, programs };
  const mend = mendOf(wordsIn('en', failure));
  return no((language) => sandboxWords[language].fails({ failure: wordsIn(language, failure), mend }));
}

function no(reason: InLanguage): SandboxState {
  return { holds: false, reason };
}

/** Why the sandbox fails; undefined if it works. */
async function attempt(
  programs: SandboxPrograms,
  { needsNetwork, shell, environment: { PATH = '', HOME = '/' } }: SandboxTrial,
): Promise<Words | undefined> {
  const { bounds, stop } = processBounds({
    sandbox: { holds: true, programs },
    isRequired: true,
    shell,
    hidden: { privatePaths: [] },
    allowedDomains: needsNetwork ? ['keyturn.invalid'] : [],
  });
  try {
    const places = { directory: '/', workspace: '/tmp' };
    const command = { command: 'true', ...places, callId: 'trial', environment: { PATH, HOME } };
    return await failureOf(await bounds(command));
  } catch (cause) {
    if (cause instanceof BoundsError) return cause.saidIn;
    throw cause;
  } finally {
    await stop();
  }
}

/** Why a command does not end with the expected exit code; undefined if it does. */
function failureOf(bounded: BoundedCommand, expected = 0): Promise<Words | undefined> {
  return new Promise((resolve) => {
    const child = startBounded(bounded, 'ignore', { timeout: trialTimeout });
    child.stdout.resume();
    const said: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
    child.on('error', (cause) => resolve(cause.message));
    child.on('close', (code, signal) => {
      const words = Buffer.concat(said).toString().trim().split('\n').at(-1) ?? '';
      const how = String(code ?? signal);
      const ended: InLanguage = (language) => sandboxWords[language].ended({ how });
      resolve(code === expected ? undefined : words === '' ? ended : words.slice(0, 200));
    });
  });
}

/** `failure`: in English. */
function mendOf(failure: string): Mend {
  if (/did not run/.test(failure)) return 'relay';
  if (/unknown option/i.test(failure)) return 'version';
  return /mount proc|mounting proc/i.test(failure) ? 'proc' : 'namespaces';
}

/**
 * Finds how to start commands without a sandbox so that all their processes end with them and with this process: see
 * `unconfined`. Undefined if that is impossible. Users other than root need a user namespace, in which `sudo` fails;
 * `mayLoseSudo` accepts that even where `sudo` would work.
 */
export async function findWrapper(
  { PATH = '' }: SandboxTrial['environment'],
  mayLoseSudo: boolean,
): Promise<readonly string[] | undefined> {
  if (process.platform !== 'linux') return undefined;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !mayLoseSudo && canSudo({ PATH }, await readFile('/proc/self/status', 'utf8'))) return undefined;
  const users = isRoot ? '' : '--user --map-current-user ';
  const wrapper = `setpriv --pdeathsig KILL -- unshare ${users}--pid --fork --kill-child --mount-proc --`.split(' ');
  const bare = { command: 'exit 7', directory: '/', callId: 'trial', environment: { PATH } };
  const failure = await failureOf(await unconfined(undefined, wrapper)(bare), 7);
  return failure === undefined ? wrapper : undefined;
}

/** Whether commands can change users with `sudo`. `status`: the content of `/proc/self/status`. */
export function canSudo(environment: SandboxTrial['environment'], status: string): boolean {
  return !/^NoNewPrivs:\s*1$/m.test(status) && programOnPath('sudo', environment.PATH) !== undefined;
}
