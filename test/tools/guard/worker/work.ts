import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** What the tests let a worker do. */
export function double(number: number): number {
  return number * 2;
}

export function count(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => sum + byte, 0);
}

export function descend(steps: number): number {
  return steps === 0 ? 0 : 1 + descend(steps - 1);
}

export function throwIt(message: string): never {
  throw new TypeError(message);
}

export function loop(): never {
  for (;;);
}

/** Keeps the processor for so many ms. Returns the process. */
export function burn(milliseconds: number): number {
  const before = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(before);
    if (user + system >= milliseconds * 1000) return process.pid;
  }
}

export function countUp(path: string): never {
  for (;;) appendFileSync(path, '.');
}

export async function wait(milliseconds: number): Promise<number> {
  await pause(milliseconds);
  return milliseconds;
}

export async function neverEnd(): Promise<void> {
  await new Promise(() => {});
}

export function fillHeap(): never {
  const all: object[] = [];
  for (;;) all.push({ value: Math.random() });
}

export function fillBuffers(): never {
  const all: Uint8Array[] = [];
  for (;;) all.push(new Uint8Array(4_000_000).fill(1));
}

export function growMap(): never {
  const all = new Map<number, object>();
  for (let count = 0; ; count += 1) all.set(count, { count });
}

export function makeArray(): number {
  return new Array<number>(2 ** 27).fill(1).map((value) => ({ value })).length;
}

export function ownId(): number {
  return process.pid;
}

export function end(): never {
  process.exit(0);
}

export function environmentAndOutput(): readonly string[] {
  console.log('nobody sees this');
  return Object.keys(process.env);
}
