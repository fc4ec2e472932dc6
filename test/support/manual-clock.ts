import type { Clock } from '../../src/lib/clock.ts';
import { Changes } from './wait-for.ts';

interface Timer {
  at: number;
  readonly milliseconds: number;
  readonly callback: () => void;
}

/** Time that passes only when a test says so. */
export class ManualClock implements Clock {
  readonly #timers = new Set<Timer>();
  readonly #changes = new Changes();
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
    this.#changes.notify();
    return () => this.#timers.delete(timer);
  }

  /** The durations that are waited for now. */
  get waits(): readonly number[] {
    return [...this.#timers].map(({ milliseconds }) => milliseconds);
  }

  /** Resolves when somebody waits that long. */
  async waitsFor(milliseconds: number): Promise<void> {
    await this.#changes.waitFor(() => this.waits.includes(milliseconds), {
      what: `somebody to wait for ${milliseconds} ms`,
      describe: () => `There are waits of ${this.waits.join()} ms.`,
    });
  }

  /** Lets the time pass for which somebody waits, or will in a moment. */
  async passes(milliseconds: number): Promise<void> {
    await this.waitsFor(milliseconds);
    this.advance(milliseconds);
  }

  /** The machine slept so long, or its clock was set: timers know nothing of it. */
  jump(milliseconds: number): void {
    this.#now += milliseconds;
    for (const timer of this.#timers) timer.at += milliseconds;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
    const due = [...this.#timers].filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at);
    for (const timer of due) {
      if (this.#timers.delete(timer)) timer.callback();
    }
  }
}
