import { createHash } from 'node:crypto';
import { closeSync, openSync, read, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type Clock, sleep } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { unless, unlessNow } from '../workspace/workspace-error.ts';

/** Environment variable that marks the processes of a call, even outside its process group. */
const callVariable = 'KEYTURN_CALL';

/** Environment variable that marks the processes of all daemons of one data folder, past ones too. */
export const ownerVariable = 'KEYTURN_OWNER';

/** Signals all live processes of a family. Resolves with their number; 0 if none is left. Signal 0 only counts. */
type ProcessFamily = (signal: 'SIGTERM' | 'SIGKILL' | 0) => Promise<number>;

/** The family of a new process that leads its own group. `endsAsOne`: the leader's end ends all others. */
export function familyOfCall(callId: string, leader: number, endsAsOne: boolean): ProcessFamily {
  // Older processes do not belong to it. Skipping them saves most of the work.
  const since = look(String(leader))?.startedAt ?? 0;
  return processFamily(`${callVariable}=${callId}`, leader, since, endsAsOne);
}

type Seen = NonNullable<ReturnType<typeof look>>;

/**
 * The live processes of a command: its process group, processes with the call's mark in their environment, and the
 * descendants of these. Outside Linux only the group is known. A process that leaves the group, loses its parent and
 * drops the mark is missed; only the sandbox prevents that.
 */
function processFamily(mark: string, leader?: number, since = 0, endsAsOne = false): ProcessFamily {
  /** A member, once found, stays known when its parent is gone. */
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

  return async (signal) => {
    // Found first: a process that the signal orphans is no longer recognised as a child.
    const alive = await find();
    // SIGTERM spares the leader, whose end would kill the others before they can clean up.
    const isSpared = endsAsOne && signal === 'SIGTERM';
    const group = leader !== undefined && !isSpared && send(-leader, signal) ? 1 : 0;
    for (const { id, group: own } of alive) if (isSpared ? id !== leader : own !== leader) send(id, signal);
    return process.platform === 'linux' || isSpared ? alive.length : group;
  };
}

/** Undefined if it has ended. Synchronous: there are hundreds, and awaiting each is ten times slower. */
function look(name: string) {
  const line = unlessNow(unreadable, () => readFileSync(`/proc/${name}/stat`, 'latin1'));
  if (line === undefined) return undefined;
  // The command name is in parentheses and may contain anything.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group] = fields;
  return {
    id: Number(name),
    parent: Number(parent),
    group: Number(group),
    // In clock ticks since boot. Tells a process from a later one with the same id.
    startedAt: Number(fields[19]),
    // Ended, but not yet reaped by its parent.
    isZombie: 'ZXx'.includes(state),
  };
}

/** Processes may end while they are inspected, and those of other users may not be readable. */
const unreadable = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];

const largestAtOnce = 16_384;

/**
 * Unlike `stat`, this reads the memory of the process and can block as long as the process hangs, so only this is
 * awaited. `readFile` is three times slower.
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

/** How often to check whether the processes have ended, in ms. */
const pause = 25;

const mostKills = 40;

/** Sends SIGTERM, and waits until all have ended or the grace (in ms) is over. */
export async function endGently(family: ProcessFamily, clock: Clock, grace: number): Promise<void> {
  const deadline = clock.now() + grace;
  await family('SIGTERM');
  while (clock.now() < deadline && (await family(0)) > 0) await sleep(clock, pause);
}

/** Kills until none is left: a killed process may have started another. Resolves with false if some survive. */
export async function endAll(family: ProcessFamily, clock: Clock): Promise<boolean> {
  for (let kills = 0; kills < mostKills; kills++) {
    if ((await family('SIGKILL')) === 0) return true;
    // Short at first: most are gone at once, and a sandbox ends by itself.
    await sleep(clock, Math.min(2 ** kills, pause));
  }
  return false;
}

/** The mark of all daemons of one data folder. Only one runs at a time. */
export function ownerOf(dataFolder: string): string {
  return createHash('sha256').update(realpathSync(dataFolder)).digest('hex').slice(0, 16);
}

/** Ends what a killed daemon left running: its calls are reported as unknown, and must not continue. */
export async function endLeftCommands(owner: string, clock: Clock, log: Log): Promise<void> {
  const family = processFamily(`${ownerVariable}=${owner}`);
  if ((await family(0)) === 0) return;
  if (await endAll(family, clock)) log.warn({}, 'commands of a process that was killed still ran: they were ended');
  else
    log.error(
      {},
      'commands of a process that was killed still run, and cannot be ended: look for KEYTURN_OWNER in their environment',
    );
}

export interface ChildEnvironmentRequest {
  /** Marks its processes. */
  readonly callId: string;
  /** Variables of ours to pass on, besides the harmless ones. */
  readonly passedVariables?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

const harmless = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TERM', 'TMPDIR', 'USER', 'SHELL', 'TZ', ownerVariable];

/** The environment of a child: our harmless variables, those passed on, its own, and the mark of its call. */
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
