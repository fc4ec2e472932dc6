/** Slack's times, made shorter for tests. Nothing that was set is left after `close`. */
export class ScaledTime {
  readonly now: () => number;
  readonly #scale: number;
  readonly #timers = new Set<NodeJS.Timeout>();
  #isClosed = false;

  /** A scale of 0.01 makes 10 ms of every second. */
  constructor(now: () => number, scale: number) {
    this.now = now;
    this.#scale = scale;
  }

  /** How many milliseconds Slack's seconds last here. */
  milliseconds(seconds: number): number {
    return seconds * 1000 * this.#scale;
  }

  /** Whether so many of Slack's seconds are over since then. */
  isOver(since: number, seconds: number): boolean {
    return this.now() - since >= this.milliseconds(seconds);
  }

  /** Calls back after that many of Slack's seconds; the returned function stops it. */
  after(seconds: number, callback: () => void): () => void {
    if (this.#isClosed) return () => {};
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      callback();
    }, this.milliseconds(seconds));
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer);
      this.#timers.delete(timer);
    };
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
