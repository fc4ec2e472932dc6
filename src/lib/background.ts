import { untilAborted } from './clock.ts';
import type { Log } from './log.ts';

/** The work for one key. The signal asks it to end. */
export type Work = (key: string, signal: AbortSignal) => Promise<void>;

interface Job {
  readonly controller: AbortController;
  /** Resolves when the work ends; never rejects. */
  readonly finished: Promise<void>;
  again: boolean;
}

/**
 * Does the work of a key when it is woken: one job per key at a time, keys in parallel. A key that is woken while its
 * job runs gets another job afterwards, so no wake is lost. The work must not throw.
 */
export class KeyedWorker {
  readonly #work: Work;
  readonly #rested: () => void;
  readonly #jobs = new Map<string, Job>();
  #closed = false;

  /** `rested` is called each time that the last job has ended. */
  constructor(work: Work, rested = (): void => {}) {
    this.#work = work;
    this.#rested = rested;
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

  /** Aborts the signal of a running job. The key can be woken again. */
  abort(key: string, reason: unknown): void {
    this.#jobs.get(key)?.controller.abort(reason);
  }

  /** How many run now. */
  get jobs(): number {
    return this.#jobs.size;
  }

  isBusy(key: string): boolean {
    return this.#jobs.has(key);
  }

  /** Resolves when the key has no job. */
  async whenIdle(key: string): Promise<void> {
    for (let job = this.#jobs.get(key); job !== undefined; job = this.#jobs.get(key)) await job.finished;
  }

  /** Resolves when all jobs running now have ended. */
  async whenNoneIsBusy(): Promise<void> {
    await Promise.all([...this.#jobs.values()].map((job) => job.finished));
  }

  /** Accepts no more wakes, and resolves when all jobs have ended. Aborts nothing. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.whenNoneIsBusy();
  }

  abortAll(reason: unknown): void {
    for (const job of this.#jobs.values()) job.controller.abort(reason);
  }

  async #run(key: string, controller: AbortController): Promise<void> {
    await this.#work(key, controller.signal);
    const again = this.#jobs.get(key)?.again === true;
    this.#jobs.delete(key);
    if (again) this.wake(key);
    if (this.#jobs.size === 0) this.#rested();
  }
}

/** A lock per key, first come, first served. */
export class KeyedTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Resolves with the function that releases the lock, once it is held; with undefined if the signal aborts first. */
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

/** Runs tasks that nobody awaits. A task that fails is logged and does not affect others. */
export class Background {
  readonly #tasks = new Set<Promise<void>>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Runs the task. `failure` is the log message if it fails. */
  run(failure: string, task: () => Promise<void>): void {
    const watched = task()
      .catch((error: unknown) => this.#log.warn({ err: error }, failure))
      .finally(() => this.#tasks.delete(watched));
    this.#tasks.add(watched);
  }

  /** Resolves when all tasks running now have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#tasks);
  }
}

/** Does the work on the first call and shares the result. A failure is not kept: the next call tries again. */
export function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let done: Promise<Result> | undefined;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}
