/*
 * A note beside the database that tells the next process how this one ended. It is written at the start, changed when the
 * process is told to end, and removed when it has ended in order. What a signal, a restart of the machine or another
 * program's use of memory has killed is no suspicion against what was worked on.
 */

import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Why the last process was killed, where it was none of its work. */
export type OutsideCause = 'told to end' | 'the machine restarted' | 'memory ran out outside';

export interface ProcessNote {
  /** Undefined if the last process ended in order, or for a cause that cannot be told. */
  readonly lastCause: OutsideCause | undefined;
  /** This process works from here on: what the last one left has been counted. */
  begin(): void;
  /** This process was told to end. Noted when it returns, so that it holds if the process is killed then. */
  toldToEnd(): void;
  /** It has ended in order. */
  ended(): void;
}

const memorySchema = z.object({
  /** The control group: its path and its inode, since another one may get the same path. */
  group: z.string(),
  /** How many of its processes the kernel has killed for want of memory, anywhere. */
  kills: z.number(),
  /** How often it has reached a limit of its own. */
  atLimit: z.number(),
  /** The most that it ever used, in bytes. */
  peak: z.number(),
});
const noteSchema = z.object({
  pid: z.number(),
  /** Changes with each start of the machine. Undefined where the system does not tell. */
  boot: z.string().optional(),
  isToldToEnd: z.boolean(),
  memory: memorySchema.optional(),
});
type Note = z.output<typeof noteSchema>;

/** A process that has grown by less cannot be what uses up the machine's memory. In bytes. */
const smallGrowth = 128 * 2 ** 20;

/**
 * Reads the last process's note in the data folder. Nothing here throws: without a note, the cause is unknown. `system`: where
 * the system's files are.
 */
export function openProcessNote(folder: string, system = '/'): ProcessNote {
  const file = join(folder, 'keyturn.process');
  const boot = readOf(join(system, 'proc/sys/kernel/random/boot_id'))?.trim();
  const last = parse(readOf(file));
  const note = (isToldToEnd: boolean): Note => ({ pid: process.pid, boot, isToldToEnd, memory: memoryOf(system) });
  let own: Note | undefined;

  return {
    lastCause: last && causeOf(last, note(false)),
    begin() {
      own = note(false);
      write(file, own);
    },
    toldToEnd() {
      // Before the begin, the note of the last process stands: what that left has not been counted yet.
      if (own !== undefined) write(file, { ...own, isToldToEnd: true });
    },
    ended() {
      if (own !== undefined) quietly(() => rmSync(file, { force: true }));
      own = undefined;
    },
  };
}

function causeOf(last: Note, now: Note): OutsideCause | undefined {
  if (last.isToldToEnd) return 'told to end';
  if (last.boot !== undefined && now.boot !== undefined && last.boot !== now.boot) return 'the machine restarted';
  return ranOutOutside(last.memory, now.memory) ? 'memory ran out outside' : undefined;
}

/** The kernel killed one of us for want of memory, though we neither reached a limit of our own nor grew much. */
function ranOutOutside(last: Note['memory'], now: Note['memory']): boolean {
  if (last === undefined || now === undefined || last.group !== now.group) return false;
  return now.kills > last.kills && now.atLimit === last.atLimit && now.peak - last.peak < smallGrowth;
}

/** Undefined where there are no control groups of version 2, or one that counts less. */
function memoryOf(system: string): Note['memory'] {
  const path = /^0::(\/.*)$/m.exec(readOf(join(system, 'proc/self/cgroup')) ?? '')?.[1];
  if (path === undefined) return undefined;
  const folder = join(system, 'sys/fs/cgroup', path);
  const events = readOf(join(folder, 'memory.events.local'));
  const count = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(events ?? '')?.[1]);
  const memory = {
    group: `${path} ${quietly(() => statSync(folder).ino)}`,
    kills: count('oom_kill'),
    atLimit: count('oom'),
    peak: Number(readOf(join(folder, 'memory.peak')) ?? Number.NaN),
  };
  return memorySchema.safeParse(memory).data;
}

function parse(text: string | undefined): Note | undefined {
  return text === undefined ? undefined : quietly(() => noteSchema.safeParse(JSON.parse(text)).data);
}

function readOf(file: string): string | undefined {
  return quietly(() => readFileSync(file, 'utf8'));
}

function write(file: string, note: Note): void {
  quietly(() => writeFileSync(file, `${JSON.stringify(note)}\n`, { mode: 0o600 }));
}

/** A note that cannot be read or written costs some patience after a crash, nothing else. */
function quietly<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
