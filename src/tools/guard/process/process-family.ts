import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Clock, sleep } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { errorCode, unless } from '../workspace/workspace-error.ts';

/** The variable by which the processes of a call are known, even those that left its process group. */
const callVariable = 'KEYTURN_CALL';

/** The variable by which the processes of all daemons with one data folder are known, one after the other. */
export const ownerVariable = 'KEYTURN_OWNER';

/** A process, told apart from a later one with the same id by when it started. */
interface Member {
  readonly id: number;
  /** In the kernel's ticks since the machine started. */
  readonly startedAt: number;
}

interface Seen extends Member {
  readonly parent: number;
  readonly group: number;
  /** It has ended; only its parent still has to notice. */
  readonly isZombie: boolean;
}

/**
 * All that a command has started and that is still alive: its process group, what carries the call's mark in its
 * environment, and the children of these. Outside Linux only the group is known. A process that lays off group, mark and
 * parent at once is not found; keeping that in is the sandbox's business.
 */
export class ProcessFamily {
  /** Undefined where it is gone, and only the mark is known. */
  readonly #leader: number | undefined;
  readonly #mark: string;
  /** Whatever started before it does not belong to it: that saves most of the looking. */
  readonly #since: number;
  /** The leader takes all others with it. */
  readonly #endsAsOne: boolean;
  readonly #members = new Map<number, Member>();

  private constructor(leader: number | undefined, mark: string, since: number, endsAsOne: boolean) {
    this.#leader = leader;
    this.#endsAsOne = endsAsOne;
    this.#mark = mark;
    this.#since = since;
  }

  /** The family of a process that has just been started as the leader of a group. */
  static of(leader: number, callId: string, endsAsOne = false): ProcessFamily {
    const since = look(String(leader))?.startedAt ?? 0;
    return new ProcessFamily(leader, `${callVariable}=${callId}`, since, endsAsOne);
  }

  /** All that daemons with this mark have started, and that is still alive. Nothing is found outside Linux. */
  static ofOwner(owner: string): ProcessFamily {
    return new ProcessFamily(undefined, `${ownerVariable}=${owner}`, 0, false);
  }

  /** Sends the signal to all that are alive. Returns how many those were; 0 is the end of the family. */
  async signal(name: 'SIGTERM' | 'SIGKILL'): Promise<number> {
    // Looked for first: a process that loses its parent to the signal is not known as its child any more.
    const alive = await this.#find();
    if (this.#endsAsOne && name === 'SIGTERM') {
      // With their leader they would be gone before they could tidy up.
      for (const member of alive) if (member.id !== this.#leader) send(member.id, name);
      return alive.length;
    }
    const group = this.#leader !== undefined && send(-this.#leader, name) ? 1 : 0;
    for (const member of alive) if (member.group !== this.#leader) send(member.id, name);
    return process.platform === 'linux' ? alive.length : group;
  }

  async isAlive(): Promise<boolean> {
    return process.platform === 'linux'
      ? (await this.#find()).length > 0
      : this.#leader !== undefined && send(-this.#leader, 0);
  }

  async #find(): Promise<readonly Seen[]> {
    if (process.platform !== 'linux') return [];
    const seen = readdirSync('/proc').filter(isProcessId).map(look);
    const all = seen.filter((one) => one !== undefined).filter((one) => !one.isZombie && one.startedAt >= this.#since);
    const belongs = await Promise.all(all.map((one) => this.#belongs(one)));
    const found = new Map(all.filter((_one, index) => belongs[index]).map((one) => [one.id, one]));
    let size: number;
    do {
      size = found.size;
      for (const one of all) if (found.has(one.parent) && one.id !== process.pid) found.set(one.id, one);
    } while (found.size > size);
    found.delete(process.pid);
    // Once found, a process is known also when its parent is gone.
    for (const one of found.values()) this.#members.set(one.id, one);
    return [...found.values()];
  }

  async #belongs(one: Seen): Promise<boolean> {
    if (one.id === process.pid) return false;
    if (one.group === this.#leader || this.#members.get(one.id)?.startedAt === one.startedAt) return true;
    // Unlike the kernel's own words on a process, reading its memory can take as long as that process hangs.
    const environment = await unless(unreadable, readFile(`/proc/${one.id}/environ`, 'latin1'));
    return environment?.split('\0').includes(this.#mark) ?? false;
  }
}

function isProcessId(name: string): boolean {
  return /^\d+$/.test(name);
}

/** Undefined where it has ended. Read at once: there are hundreds, and waiting for each costs ten times as much. */
function look(name: string): Seen | undefined {
  if (process.platform !== 'linux') return undefined;
  const line = statOf(name);
  if (line === undefined) return undefined;
  // The command's name stands in brackets and may contain anything.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group] = fields;
  return {
    id: Number(name),
    parent: Number(parent),
    group: Number(group),
    startedAt: Number(fields[19]),
    isZombie: 'ZXx'.includes(state),
  };
}

/** Processes end while they are looked at, and other users' may not be read. */
const unreadable = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];

function statOf(name: string): string | undefined {
  try {
    return readFileSync(`/proc/${name}/stat`, 'latin1');
  } catch (error) {
    if (unreadable.includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** Whether there was anybody to receive it. */
function send(id: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(id, name);
  } catch (cause) {
    if (errorCode(cause) === 'ESRCH' || errorCode(cause) === 'EPERM') return false;
    throw cause;
  }
}

/** How often is looked whether those that were told to end have done so, in milliseconds: at first sooner. */
const pause = 25;

const mostKills = 40;

/** Asks them to end, and waits until they have or the grace (in milliseconds) is over. */
export async function endGently(family: ProcessFamily, clock: Clock, grace: number): Promise<void> {
  const deadline = clock.now() + grace;
  await family.signal('SIGTERM');
  while (clock.now() < deadline && (await family.isAlive())) await sleep(clock, pause);
}

/** Repeats until none is left: a process that is killed may have started another meanwhile. False if some go on. */
export async function endAll(family: ProcessFamily, clock: Clock): Promise<boolean> {
  for (let kills = 0; kills < mostKills; kills++) {
    if ((await family.signal('SIGKILL')) === 0) return true;
    // What is killed is gone in no time, and the end of a sandbox comes by itself.
    await sleep(clock, Math.min(2 ** kills, pause));
  }
  return false;
}

/** The mark of all daemons with one data folder, of which one runs at a time. */
export function ownerOf(dataFolder: string): string {
  return createHash('sha256').update(realpathSync(dataFolder)).digest('hex').slice(0, 16);
}

/** What a process that was killed has left running. Its calls are told as unknown, and must not go on behind that. */
export async function endLeftCommands(owner: string, clock: Clock, log: Log): Promise<void> {
  const family = ProcessFamily.ofOwner(owner);
  if (!(await family.isAlive())) return;
  if (await endAll(family, clock)) log.warn({}, 'commands of a process that was killed still ran: they were ended');
  else
    log.error(
      {},
      'commands of a process that was killed still run, and cannot be ended: look for KEYTURN_OWNER in their environment',
    );
}

export interface ChildEnvironmentRequest {
  /** By which its processes are known. */
  readonly callId: string;
  /** Variables of our environment that it may have besides the harmless ones. */
  readonly passedVariables?: readonly string[];
  /** Variables of its own. */
  readonly variables?: Readonly<Record<string, string>>;
}

const harmless = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TERM', 'TMPDIR', 'USER', 'SHELL', 'TZ', ownerVariable];

/** What of our environment a process may see, with what is its own and the mark of its call. None of our secrets. */
export function childEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  { callId, passedVariables = [], variables = {} }: ChildEnvironmentRequest,
): Readonly<Record<string, string>> {
  const passed = [...harmless, ...passedVariables].flatMap((name): [string, string][] => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries([...passed, ...Object.entries(variables), [callVariable, callId]]);
}
