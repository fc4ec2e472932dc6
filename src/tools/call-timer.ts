import type { Clock } from '../lib/clock.ts';

/** A call's timeout, in ms. It pauses while a person is asked. */
export interface CallTimer {
  /** How long it was paused, in ms. */
  paused(): number;
  /** Pauses until the returned function is called. Several pauses end with the last one. */
  pause(): () => void;
  /** Resets it to the full time. */
  restart(): void;
  stop(): void;
}

/** Starts a call's timeout. Calls `over` once, unless stopped before. */
export function startCallTimer(clock: Clock, milliseconds: number, over: () => void): CallTimer {
  return new PausingTimer(clock, milliseconds, over);
}

class PausingTimer implements CallTimer {
  readonly #clock: Clock;
  readonly #milliseconds: number;
  readonly #over: () => void;
  #left: number;
  #since: number;
  #cancel: () => void;
  #pauses = 0;
  #paused = 0;

  constructor(clock: Clock, milliseconds: number, over: () => void) {
    this.#clock = clock;
    this.#milliseconds = milliseconds;
    this.#over = over;
    this.#left = milliseconds;
    this.#since = clock.now();
    this.#cancel = clock.after(milliseconds, over);
  }

  paused(): number {
    return this.#paused;
  }

  pause(): () => void {
    if (this.#pauses++ === 0) {
      this.#cancel();
      this.#left -= this.#clock.now() - this.#since;
      this.#since = this.#clock.now();
    }
    return () => this.#resume();
  }

  restart(): void {
    this.#left = this.#milliseconds;
    if (this.#pauses > 0) return;
    this.#cancel();
    this.#goOn();
  }

  stop(): void {
    this.#pauses = Number.POSITIVE_INFINITY;
    this.#cancel();
  }

  #resume(): void {
    if (--this.#pauses > 0) return;
    this.#paused += this.#clock.now() - this.#since;
    this.#goOn();
  }

  #goOn(): void {
    this.#since = this.#clock.now();
    this.#cancel = this.#clock.after(this.#left, this.#over);
  }
}
