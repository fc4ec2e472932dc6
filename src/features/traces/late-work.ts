import { setImmediate } from 'node:timers/promises';
import type { Log } from '../../lib/log.ts';

/** Work that waits until nobody waits for anything else. */
export interface LateWork {
  add(work: () => void): void;
  /** Does what waits, one after the other, each once other work had its turn. */
  begin(): void;
  /** Does what waits now. */
  finish(): void;
}

/** So much waits for `begin` at most: then it begins by itself. */
const mostWaiting = 256;

export function createLateWork(log: Log): LateWork {
  const queue = new LateQueue(log);
  return { add: (work) => queue.add(work), begin: () => queue.begin(), finish: () => queue.finish() };
}

class LateQueue {
  readonly #log: Log;
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;
  #hasFailed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  add(work: () => void): void {
    this.#waiting.push(work);
    if (this.#waiting.length >= mostWaiting) this.begin();
  }

  begin(): void {
    if (!this.#isBusy) void this.#work();
  }

  finish(): void {
    while (this.#waiting.length > 0) this.#next();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      await setImmediate();
      this.#next();
    }
    this.#isBusy = false;
  }

  #next(): void {
    try {
      this.#waiting.shift()?.();
    } catch (err) {
      if (!this.#hasFailed) this.#log.warn({ err }, 'a span could not be made');
      this.#hasFailed = true;
    }
  }
}
