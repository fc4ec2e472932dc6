import type { Log } from './log.ts';

/** The one place that watches what nobody waits for. A task that fails is logged and harms nothing else. */
export class Background {
  readonly #tasks = new Set<Promise<void>>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Runs the task; the words say in the log what could not be done if it fails. */
  run(failure: string, task: () => Promise<void>): void {
    const watched = task()
      .catch((error: unknown) => this.#log.warn({ err: error }, failure))
      .finally(() => this.#tasks.delete(watched));
    this.#tasks.add(watched);
  }

  /** Resolves when the tasks that run now have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#tasks);
  }
}
