import type { Clock } from '../../src/lib/clock.ts';

interface Timer {
  readonly at: number;
  readonly milliseconds: number;
  readonly callback: () => void;
}

/** Time that passes only when a test says so. */
export class ManualClock implements Clock {
  readonly #timers = new Set<Timer>();
  #now: number;

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, milliseconds, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** The durations that are waited for now. */
  get waits(): readonly number[] {
    return [...this.#timers].map(({ milliseconds }) => milliseconds);
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
    const due = [...this.#timers].filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at);
    for (const timer of due) {
      if (this.#timers.delete(timer)) timer.callback();
    }
  }
}
