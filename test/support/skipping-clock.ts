import type { Clock } from '../../src/lib/clock.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
  ring?: NodeJS.Timeout;
}

/** The system's time, of which a test can leave a part out. What would have rung in that part rings at once. */
export class SkippingClock implements Clock {
  readonly #timers = new Set<Timer>();
  #skipped = 0;

  now(): number {
    return Date.now() + this.#skipped;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer: Timer = { at: this.now() + milliseconds, callback };
    this.#timers.add(timer);
    timer.ring = setTimeout(() => this.#end(timer), milliseconds).unref();
    return () => {
      clearTimeout(timer.ring);
      this.#timers.delete(timer);
    };
  }

  advance(milliseconds: number): void {
    this.#skipped += milliseconds;
    const timers = [...this.#timers].sort((one, other) => one.at - other.at);
    for (const timer of timers) {
      clearTimeout(timer.ring);
      const left = timer.at - this.now();
      if (left <= 0) this.#end(timer);
      else if (this.#timers.has(timer)) timer.ring = setTimeout(() => this.#end(timer), left).unref();
    }
  }

  #end(timer: Timer): void {
    if (this.#timers.delete(timer)) timer.callback();
  }
}
