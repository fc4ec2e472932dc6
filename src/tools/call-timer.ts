import type { Clock } from '../lib/clock.ts';

/** The time that a call may take, in milliseconds. It stands still while a person is asked. */
export class CallTimer {
  readonly #clock: Clock;
  readonly #over: () => void;
  readonly #whole: number;
  #left: number;
  #since: number;
  #cancel: () => void;
  #pauses = 0;
  #paused = 0;

  /** Begins at once; `over` is called once, unless it is stopped before. */
  constructor({
    clock,
    milliseconds,
    over,
  }: {
    readonly clock: Clock;
    readonly milliseconds: number;
    readonly over: () => void;
  }) {
    this.#clock = clock;
    this.#over = over;
    this.#whole = milliseconds;
    this.#left = milliseconds;
    this.#since = clock.now();
    this.#cancel = clock.after(milliseconds, over);
  }

  /** How long it has stood still, in milliseconds. */
  get paused(): number {
    return this.#paused;
  }

  /** Lets it stand still until the returned function is called, and everybody else who stopped it has done so, too. */
  pause(): () => void {
    if (this.#pauses++ === 0) {
      this.#cancel();
      this.#left -= this.#clock.now() - this.#since;
      this.#since = this.#clock.now();
    }
    return () => {
      if (--this.#pauses > 0) return;
      this.#paused += this.#clock.now() - this.#since;
      this.#since = this.#clock.now();
      this.#cancel = this.#clock.after(this.#left, this.#over);
    };
  }

  /** Gives it the whole time once more. */
  restart(): void {
    this.#left = this.#whole;
    if (this.#pauses > 0) return;
    this.#cancel();
    this.#since = this.#clock.now();
    this.#cancel = this.#clock.after(this.#left, this.#over);
  }

  /** Calls it off for good. */
  stop(): void {
    this.#pauses = Number.POSITIVE_INFINITY;
    this.#cancel();
  }
}
