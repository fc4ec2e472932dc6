import { untilAborted } from './until-aborted.ts';

/** What is done for one key. Told by the signal to come to an end. */
export type Work = (key: string, signal: AbortSignal) => Promise<void>;

interface Job {
  readonly controller: AbortController;
  /** Resolves, never rejects, when the key has come to rest. */
  readonly finished: Promise<void>;
  again: boolean;
}

/**
 * Does the work of a key whenever it is woken: never twice at the same time for one key, keys beside each other. A key
 * that is woken while its work goes on is worked on once more afterwards, so no wake is lost. The work must not throw.
 */
export class KeyedWorker {
  readonly #work: Work;
  readonly #jobs = new Map<string, Job>();
  #closed = false;

  constructor(work: Work) {
    this.#work = work;
  }

  wake(key: string): void {
    if (this.#closed) return;
    const running = this.#jobs.get(key);
    if (running !== undefined) {
      running.again = true;
      return;
    }
    const controller = new AbortController();
    const job: Job = { controller, again: false, finished: Promise.resolve().then(() => this.#run(key, controller)) };
    this.#jobs.set(key, job);
  }

  /** Aborts the signal of the work that goes on, if any. The key can be woken again. */
  abort(key: string, reason: unknown): void {
    this.#jobs.get(key)?.controller.abort(reason);
  }

  isBusy(key: string): boolean {
    return this.#jobs.has(key);
  }

  /** Resolves when no work goes on for the key. */
  async whenIdle(key: string): Promise<void> {
    for (let job = this.#jobs.get(key); job !== undefined; job = this.#jobs.get(key)) await job.finished;
  }

  /** Resolves when all work that goes on now has ended. */
  async whenNoneIsBusy(): Promise<void> {
    await Promise.all([...this.#jobs.values()].map((job) => job.finished));
  }

  /** Takes no more wakes, and resolves when all work has ended. Aborts nothing. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.whenNoneIsBusy();
  }

  /** Aborts whatever goes on. */
  abortAll(reason: unknown): void {
    for (const job of this.#jobs.values()) job.controller.abort(reason);
  }

  async #run(key: string, controller: AbortController): Promise<void> {
    await this.#work(key, controller.signal);
    const again = this.#jobs.get(key)?.again === true;
    this.#jobs.delete(key);
    if (again) this.wake(key);
  }
}

/** Lets those who want the same thing have it one after the other, in the order in which they came. */
export class KeyedTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Resolves when all who came before for this key have left, with what is to be called to leave; with undefined if the
   * signal aborts before.
   */
  async enter(key: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    const before = this.#last.get(key);
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const last = Promise.all([before, left]).then(() => {
      if (this.#last.get(key) === last) this.#last.delete(key);
    });
    this.#last.set(key, last);
    if (before !== undefined) await untilAborted(before, signal);
    if (!signal.aborted) return leave;
    leave();
    return undefined;
  }
}
