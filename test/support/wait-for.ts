import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { type Found, isFound, patienceMs, type WaitOptions, waitedInVain } from '../../packages/fakes/src/changes.ts';

export { Changes, contains, type Found, patienceMs, type WaitOptions } from '../../packages/fakes/src/changes.ts';

/** How `waitUntil` waits. */
export interface LookOptions extends WaitOptions {
  /** How often it looks, in milliseconds; 20 if not set, and 3 with something to do meanwhile. */
  readonly everyMs?: number;
  /** Done between two looks, such as letting time pass; not while the process has something else to do. */
  readonly meanwhile?: () => unknown;
}

/** Looks now and then: for what gives no sign when it changes, such as a file or another process's door. */
export async function waitUntil<T>(look: () => T | Promise<T>, options: LookOptions = {}): Promise<Found<T>> {
  const timeoutMs = options.timeoutMs ?? patienceMs;
  const { meanwhile, everyMs = meanwhile === undefined ? 20 : 3 } = options;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await look();
    if (isFound(value)) return value;
    if (Date.now() >= deadline) throw waitedInVain(timeoutMs, options);
    if (await isQuietFor(everyMs)) await meanwhile?.();
  }
}

/** Looks so often while the process has nothing to do, and gives what it finds; undefined if that is nothing. */
export async function foundWithin<T>(looks: number, look: () => T): Promise<Found<T> | undefined> {
  for (let left = looks; left > 0; ) {
    const value = look();
    if (isFound(value)) return value;
    if (await isQuietFor(5)) left -= 1;
  }
  return undefined;
}

/**
 * Waits so many milliseconds; gives whether the process had nothing to do for the most of it. Where the platform is in this
 * process, too, all that is under way keeps it busy: so nothing is outrun, however slow the machine is.
 */
async function isQuietFor(milliseconds: number): Promise<boolean> {
  const before = performance.eventLoopUtilization();
  await pause(milliseconds);
  return performance.eventLoopUtilization(before).idle > milliseconds / 2;
}
