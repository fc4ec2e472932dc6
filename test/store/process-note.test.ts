import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openProcessNote } from '../../src/store/process-note.ts';
import { newFolder } from '../support/new-folder.ts';

const group = 'sys/fs/cgroup/system.slice/keyturn.service';
const megabytes = 2 ** 20;

/** A data folder on a machine of its own, with what the kernel tells there. */
async function machine() {
  const [data, system] = [await newFolder(), await newFolder()];
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(system, name)), { recursive: true });
    writeFileSync(join(system, name), text);
  };
  const memory = (kills: number, atLimit: number, peak: number): void => {
    write(
      `${group}/memory.events.local`,
      `low 0\nhigh 0\nmax 0\noom ${atLimit}\noom_kill ${kills}\noom_group_kill 0\n`,
    );
    write(`${group}/memory.peak`, `${peak}\n`);
  };
  const boot = (id: string): void => write('proc/sys/kernel/random/boot_id', `${id}\n`);
  write('proc/self/cgroup', '0::/system.slice/keyturn.service\n');
  boot('one');
  memory(2, 1, 100 * megabytes);
  return { data, system, memory, boot, open: () => openProcessNote(data, system) };
}

test('a process that was killed and told nothing before has no known cause, nor has the first one', async () => {
  const { open } = await machine();
  const first = open();
  expect(first.lastCause).toBeUndefined();
  first.begin();
  expect(open().lastCause).toBeUndefined();
});

test('a process that was told to end is noted as such until the next one has begun', async () => {
  const { open } = await machine();
  const first = open();
  first.begin();
  first.toldToEnd();
  const next = open();
  expect(next.lastCause).toBe('told to end');
  // It is told to end too, before it has counted what the first has left.
  next.toldToEnd();
  next.ended();
  expect(open().lastCause).toBe('told to end');
  next.begin();
  expect(open().lastCause).toBeUndefined();
});

test('a process that ends in order leaves no note', async () => {
  const { open, data } = await machine();
  const note = open();
  note.begin();
  note.toldToEnd();
  note.ended();
  expect(readdirSync(data)).toEqual([]);
});

test('another start of the machine is a known cause', async () => {
  const { open, boot } = await machine();
  open().begin();
  boot('two');
  expect(open().lastCause).toBe('the machine restarted');
});

test('memory that ran out outside is a known cause, but not what the process has used up itself', async () => {
  const { open, memory, system } = await machine();
  open().begin();
  memory(3, 1, 180 * megabytes);
  expect(open().lastCause).toBe('memory ran out outside');
  // It has reached its own limit; it has grown; nothing was killed.
  for (const counters of [
    [3, 2, 180],
    [3, 1, 900],
    [2, 1, 100],
  ] as const) {
    memory(counters[0], counters[1], counters[2] * megabytes);
    expect(open().lastCause).toBeUndefined();
  }
  memory(3, 1, 180 * megabytes);
  rmSync(join(system, group, 'memory.peak'));
  expect(open().lastCause).toBeUndefined();
  // Another group of the same name, whose counts are its own.
  mkdirSync(join(system, `${group}.new`));
  rmSync(join(system, group), { recursive: true });
  memory(3, 1, 180 * megabytes);
  expect(open().lastCause).toBeUndefined();
});

test.each(['', '{', '{"pid": "x"}', '[]'])(
  'a note that reads %j tells nothing, nor does a folder in its place',
  async (text) => {
    const { open, data } = await machine();
    writeFileSync(join(data, 'keyturn.process'), text);
    expect(open().lastCause).toBeUndefined();
    rmSync(join(data, 'keyturn.process'));
    mkdirSync(join(data, 'keyturn.process'));
    const note = open();
    note.begin();
    note.toldToEnd();
    note.ended();
    expect(note.lastCause).toBeUndefined();
  },
);

test('a system that tells nothing of itself is none of these', async () => {
  const [data, system] = [await newFolder(), await newFolder()];
  openProcessNote(data, system).begin();
  expect(openProcessNote(data, system).lastCause).toBeUndefined();
});
