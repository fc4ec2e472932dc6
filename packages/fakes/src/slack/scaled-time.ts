const slices = 20;

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
    return this.afterMilliseconds(this.milliseconds(seconds), callback);
  }

  /**
   * Calls back after that many of ours, slept in slices: where the machine holds up the whole process, with the peer in
   * it, that costs the peer one slice and not all its time.
   */
  afterMilliseconds(milliseconds: number, callback: () => void): () => void {
    if (this.#isClosed) return () => {};
    let left = slices;
    let timer: NodeJS.Timeout;
    const sleep = (): void => {
      timer = setTimeout(wake, milliseconds / slices);
      this.#timers.add(timer);
    };
    const stop = (): void => {
      clearTimeout(timer);
      this.#timers.delete(timer);
    };
    const wake = (): void => {
      this.#timers.delete(timer);
      left -= 1;
      if (left === 0) callback();
      else sleep();
    };
    sleep();
    return stop;
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
