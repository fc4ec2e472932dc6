import type { Log } from './log.ts';

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
