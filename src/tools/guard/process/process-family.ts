import { readdir, readFile } from 'node:fs/promises';
import { errorCode, unless } from '../workspace/workspace-error.ts';

/** The variable by which the processes of a call are known, even those that left its process group. */
export const callVariable = 'KEYTURN_CALL';

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
  readonly #leader: number;
  readonly #mark: string;
  /** Whatever started before it does not belong to it: that saves most of the looking. */
  readonly #since: number;
  /** The leader takes all others with it. */
  readonly #endsAsOne: boolean;
  readonly #members = new Map<number, Member>();

  private constructor(leader: number, callId: string, since: number, endsAsOne: boolean) {
    this.#leader = leader;
    this.#endsAsOne = endsAsOne;
    this.#mark = `${callVariable}=${callId}`;
    this.#since = since;
  }

  /** The family of a process that has just been started as the leader of a group. */
  static async of(leader: number, callId: string, endsAsOne = false): Promise<ProcessFamily> {
    return new ProcessFamily(leader, callId, (await look(String(leader)))?.startedAt ?? 0, endsAsOne);
  }

  /** Sends the signal to all that are alive. Returns how many those were; 0 is the end of the family. */
  async signal(name: 'SIGTERM' | 'SIGKILL'): Promise<number> {
    // Looked for first: who loses his parent to the signal is not known as its child any more.
    const alive = await this.#find();
    if (this.#endsAsOne && name === 'SIGTERM') {
      // With their leader they would be gone before they could tidy up.
      for (const member of alive) if (member.id !== this.#leader) send(member.id, name);
      return alive.length;
    }
    const group = send(-this.#leader, name) ? 1 : 0;
    for (const member of alive) if (member.group !== this.#leader) send(member.id, name);
    return process.platform === 'linux' ? alive.length : group;
  }

  async isAlive(): Promise<boolean> {
    return process.platform === 'linux' ? (await this.#find()).length > 0 : send(-this.#leader, 0);
  }

  async #find(): Promise<readonly Seen[]> {
    if (process.platform !== 'linux') return [];
    const seen = await Promise.all((await readdir('/proc')).filter(isProcessId).map(look));
    const all = seen.filter((one) => one !== undefined).filter((one) => !one.isZombie && one.startedAt >= this.#since);
    const found = new Map<number, Seen>();
    for (const one of all) if (await this.#belongs(one)) found.set(one.id, one);
    let size: number;
    do {
      size = found.size;
      for (const one of all) if (found.has(one.parent)) found.set(one.id, one);
    } while (found.size > size);
    found.delete(process.pid);
    // Once found, a process is known also when its parent is gone.
    for (const one of found.values()) this.#members.set(one.id, one);
    return [...found.values()];
  }

  async #belongs(one: Seen): Promise<boolean> {
    if (one.id === process.pid) return false;
    if (one.group === this.#leader || this.#members.get(one.id)?.startedAt === one.startedAt) return true;
    const environment = await readOfOther(`/proc/${one.id}/environ`);
    return environment?.split('\0').includes(this.#mark) ?? false;
  }
}

function isProcessId(name: string): boolean {
  return /^\d+$/.test(name);
}

async function look(name: string): Promise<Seen | undefined> {
  if (process.platform !== 'linux') return undefined;
  const line = await readOfOther(`/proc/${name}/stat`);
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
async function readOfOther(path: string): Promise<string | undefined> {
  return unless(['ENOENT', 'ESRCH', 'EACCES', 'EPERM'], readFile(path, 'latin1'));
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
