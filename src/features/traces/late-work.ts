import { setImmediate } from 'node:timers/promises';
import type { Log } from '../../lib/log.ts';

/** Work that waits until nobody waits for anything else. */
export interface LateWork {
  add(work: () => Promise<void>): void;
  /** Does what waits, one after the other, each once other work had its turn. */
  begin(): void;
  /** Does what waits now, after what is being done, and resolves once it is done. Never rejects. */
  finish(): Promise<void>;
}

/** So much waits for `begin` at most: then it begins by itself. */
const mostWaiting = 256;

export function createLateWork(log: Log): LateWork {
  const queue = new LateQueue(log);
  return { add: (work) => queue.add(work), begin: () => queue.begin(), finish: () => queue.finish() };
}

class LateQueue {
  readonly #log: Log;
  readonly #waiting: (() => Promise<void>)[] = [];
  /** Set while somebody does it: one thing at a time. */
  #working: Promise<void> | undefined;
  /** Nothing else is waited for any longer. */
  #isFinishing = false;
  #hasFailed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  add(work: () => Promise<void>): void {
    this.#waiting.push(work);
    if (this.#waiting.length >= mostWaiting) this.begin();
  }

  begin(): void {
    if (this.#waiting.length > 0) this.#working ??= this.#work();
  }

  async finish(): Promise<void> {
    this.#isFinishing = true;
    this.begin();
    await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (!this.#isFinishing) await setImmediate();
      await this.#next();
    }
    this.#working = undefined;
  }

  async #next(): Promise<void> {
    try {
      await this.#waiting.shift()?.();
    } catch (err) {
      if (!this.#hasFailed) this.#log.warn({ err }, 'a span could not be made');
      this.#hasFailed = true;
    }
  }
}
