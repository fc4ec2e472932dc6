import { createHash } from 'node:crypto';
import { closeSync, openSync, read, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type Clock, sleep } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { unless, unlessNow } from '../workspace/workspace-error.ts';

/** The variable by which the processes of a call are known, even those that left its process group. */
const callVariable = 'KEYTURN_CALL';

/** The variable by which the processes of all daemons with one data folder are known, one after the other. */
export const ownerVariable = 'KEYTURN_OWNER';

type Seen = NonNullable<ReturnType<typeof look>>;

/**
 * All that a command has started and that is still alive: its process group, what carries the call's mark in its
 * environment, and the children of these. Outside Linux only the group is known. A process that leaves its group, its
 * parent and the mark is not found: only the sandbox holds that.
 */
type ProcessFamily = ReturnType<typeof processFamily>;

/**
 * The family of a process that has just been started as the leader of a group. `endsAsOne`: it takes all others with
 * it.
 */
export function familyOfCall(callId: string, leader: number, endsAsOne: boolean): ProcessFamily {
  // What started before it does not belong to it: that saves most of the looking.
  const since = look(String(leader))?.startedAt ?? 0;
  return processFamily(`${callVariable}=${callId}`, leader, since, endsAsOne);
}

function processFamily(mark: string, leader?: number, since = 0, endsAsOne = false) {
  /** Once found, a process is known also when its parent is gone. */
  const members = new Map<number, number>();

  async function belongs({ id, group, startedAt }: Seen): Promise<boolean> {
    if (id === process.pid) return false;
    if (group === leader || members.get(id) === startedAt) return true;
    const environment = await unless(unreadable, environmentOf(id));
    return environment?.split('\0').includes(mark) ?? false;
  }

  async function find(): Promise<readonly Seen[]> {
    if (process.platform !== 'linux') return [];
    const seen = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (look(name) ?? []) : []));
    const all = seen.filter(({ isZombie, startedAt }) => !isZombie && startedAt >= since);
    const isFound = await Promise.all(all.map(belongs));
    const found = new Map(all.filter((_, index) => isFound[index]).map((one) => [one.id, one]));
    let size: number;
    do {
      size = found.size;
      for (const one of all) if (found.has(one.parent) && one.id !== process.pid) found.set(one.id, one);
    } while (found.size > size);
    for (const { id, startedAt } of found.values()) members.set(id, startedAt);
    return [...found.values()];
  }

  return {
    /** Sends the signal to all that are alive. Returns how many those were; 0 is the end of the family. */
    async signal(name: 'SIGTERM' | 'SIGKILL') {
      // Looked for first: a process that loses its parent to the signal is not known as its child any more.
      const alive = await find();
      // With their leader they would be gone before they could tidy up.
      const isSpared = endsAsOne && name === 'SIGTERM';
      const group = leader !== undefined && !isSpared && send(-leader, name) ? 1 : 0;
      for (const { id, group: own } of alive) if (isSpared ? id !== leader : own !== leader) send(id, name);
      return process.platform === 'linux' || isSpared ? alive.length : group;
    },
    async isAlive() {
      if (process.platform === 'linux') return (await find()).length > 0;
      return leader !== undefined && send(-leader, 0);
    },
  };
}

/** Undefined where it has ended. Read at once: there are hundreds, and waiting for each costs ten times as much. */
function look(name: string) {
  if (process.platform !== 'linux') return undefined;
  const line = unlessNow(unreadable, () => readFileSync(`/proc/${name}/stat`, 'latin1'));
  if (line === undefined) return undefined;
  // The command's name stands in brackets and may contain anything.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group] = fields;
  return {
    id: Number(name),
    parent: Number(parent),
    group: Number(group),
    // In the kernel's ticks since the machine started: tells it from a later one with the same id.
    startedAt: Number(fields[19]),
    // It has ended, and its parent has not noticed yet.
    isZombie: 'ZXx'.includes(state),
  };
}

/** Processes end while they are looked at, and other users' may not be read. */
const unreadable = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];

const largestAtOnce = 16_384;

/**
 * Unlike `stat`, this reads the memory of the process, and can take as long as that process hangs. Only that is waited for:
 * `readFile` costs three times as much.
 */
async function environmentOf(id: number): Promise<string> {
  const path = `/proc/${id}/environ`;
  const file = openSync(path, 'r');
  try {
    const space = Buffer.allocUnsafe(largestAtOnce);
    const { bytesRead } = await promisify(read)(file, space, 0, largestAtOnce, 0);
    return bytesRead < largestAtOnce ? space.toString('latin1', 0, bytesRead) : await readFile(path, 'latin1');
  } finally {
    closeSync(file);
  }
}

/** Whether a process received it. */
function send(id: number, name: NodeJS.Signals | 0): boolean {
  return unlessNow(['ESRCH', 'EPERM'], () => process.kill(id, name)) ?? false;
}

/** How often to look whether the processes have ended, in milliseconds. */
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
    // Most are gone at once, and a sandbox ends by itself.
    await sleep(clock, Math.min(2 ** kills, pause));
  }
  return false;
}

/** The mark of all daemons with one data folder, of which one runs at a time. */
export function ownerOf(dataFolder: string): string {
  return createHash('sha256').update(realpathSync(dataFolder)).digest('hex').slice(0, 16);
}

/** Ends what a killed daemon left running: its calls are reported as unknown, and must not go on. */
export async function endLeftCommands(owner: string, clock: Clock, log: Log): Promise<void> {
  const family = processFamily(`${ownerVariable}=${owner}`);
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
  readonly variables?: Readonly<Record<string, string>>;
}

const harmless = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TERM', 'TMPDIR', 'USER', 'SHELL', 'TZ', ownerVariable];

/**
 * The environment of a child: harmless variables of ours, those that are passed on, its own, and the mark of its call.
 */
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
