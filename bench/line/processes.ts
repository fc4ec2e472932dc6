import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The memory of processes, in MB. */
export interface Memory {
  /** Pages that are shared are divided among those who share them. */
  readonly pss: number;
  readonly rss: number;
  /** Written by these processes alone. */
  readonly private: number;
}

/** A tick of the system's clock, in which it counts what processes use, in ms. */
const tick = 10;

/** The processor time that a process and its descendants have used, in ms. */
export function processorOf(pid: number): number {
  return treeOf(pid).reduce((sum, { ticks }) => sum + ticks * tick, 0);
}

/** The processor time of the threads that a process has now, in ms, to the nanosecond; not that of its children. */
export function threadsTimeOf(pid: number): number {
  const folder = `/proc/${pid}/task`;
  const threads = readdirSync(folder).map((thread) => read(join(folder, thread, 'schedstat')).split(' ')[0]);
  return threads.reduce((sum, nanoseconds) => sum + Number(nanoseconds ?? 0), 0) / 1e6;
}

export function memoryOf(pid: number): Memory {
  const texts = treeOf(pid).map(({ pid: one }) => read(`/proc/${one}/smaps_rollup`));
  return {
    pss: megabytes(texts, /^Pss:\s+(\d+)/m),
    rss: megabytes(texts, /^Rss:\s+(\d+)/m),
    private: megabytes(texts, /^Private_Dirty:\s+(\d+)/m),
  };
}

/** How much a process and its descendants have had written to a disk, in KB. Folders in memory count nothing. */
export function writtenBy(pid: number): number {
  return (
    treeOf(pid).reduce((sum, { pid: one }) => sum + numberIn(read(`/proc/${one}/io`), /^write_bytes: (\d+)/m), 0) / 1024
  );
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** With those of its children that have ended. */
  readonly ticks: number;
}

function treeOf(root: number): readonly Process[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? processIn(Number(name)) : []));
  const tree = all.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
}

function processIn(pid: number): readonly Process[] {
  const stat = read(`/proc/${pid}/stat`);
  // The name before may hold anything.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, parent = 0] = fields;
  const ticks = fields.slice(11, 15).reduce((sum, count) => sum + count, 0);
  return stat === '' ? [] : [{ pid, parent, ticks }];
}

/** Empty if the process has gone meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function megabytes(texts: readonly string[], form: RegExp): number {
  return texts.reduce((sum, text) => sum + numberIn(text, form), 0) / 1024;
}

function numberIn(text: string, form: RegExp): number {
  return Number(form.exec(text)?.[1] ?? 0);
}
