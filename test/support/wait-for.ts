import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** Long enough for a machine that is busy with others: it costs nothing when things go well. */
export const patienceMs = 100_000;

/** What a wait says of itself when it was in vain. */
export interface WaitOptions {
  /** in milliseconds; `patienceMs` if not set. */
  readonly timeoutMs?: number;
  /** How often `waitUntil` looks, in milliseconds; 20 if not set, and 3 with something to do meanwhile. */
  readonly everyMs?: number;
  /** Done by `waitUntil` between two looks, such as letting time pass; not while the process has something else to do. */
  readonly meanwhile?: () => unknown;
  /** What is awaited, in words. */
  readonly what?: string;
  /** What there is instead. Asked only when the time is over. */
  readonly describe?: () => string;
}

/** What is left of a type when it counts as true. */
export type Found<T> = Exclude<T, false | 0 | '' | null | undefined>;

/** Whether a text has this part, or fits the pattern. */
export function contains(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}

/** Tells those who wait for something that something has changed. */
export class Changes {
  readonly #listeners = new Set<() => void>();

  notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Looks now and after every change. Resolves with what it found; throws when the time is over. */
  async waitFor<T>(look: () => T, options: WaitOptions = {}): Promise<Found<T>> {
    const timeoutMs = options.timeoutMs ?? patienceMs;
    const now = look();
    if (isFound(now)) return now;
    const found = await this.#nextFound(look, timeoutMs);
    if (found !== undefined) return found;
    throw waitedInVain(timeoutMs, options);
  }

  #nextFound<T>(look: () => T, timeoutMs: number): Promise<Found<T> | undefined> {
    return new Promise((resolve, reject) => {
      const end = (finish: () => void): void => {
        clearTimeout(timer);
        this.#listeners.delete(listener);
        finish();
      };
      const timer = setTimeout(() => end(() => resolve(undefined)), timeoutMs);
      const listener = (): void => {
        try {
          const value = look();
          if (isFound(value)) end(() => resolve(value));
        } catch (error) {
          end(() => reject(error));
        }
      };
      this.#listeners.add(listener);
    });
  }
}

/** Looks now and then: for what gives no sign when it changes, such as a file or another process's door. */
export async function waitUntil<T>(look: () => T | Promise<T>, options: WaitOptions = {}): Promise<Found<T>> {
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

function isFound<T>(value: T): value is T & Found<T> {
  return Boolean(value);
}

function waitedInVain(timeoutMs: number, { what = 'it', describe }: WaitOptions): Error {
  const instead = describe === undefined ? '' : `\n${describe()}`;
  return new Error(`Waited ${timeoutMs} ms for ${what}.${instead}`);
}
