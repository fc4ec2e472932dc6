import type { Clock } from '../../../lib/clock.ts';

/** How long somebody waits: some time from the last sign of life on, and never longer than a most in all. */
export class Patience {
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #over: () => void;
  readonly #last: number;
  #until = 0;
  #cancel: () => void = () => {};

  /** Begins at once; `over` is called once, unless it is stopped before. All in milliseconds. */
  constructor({
    clock,
    timeout,
    most,
    over,
  }: {
    readonly clock: Clock;
    readonly timeout: number;
    readonly most: number;
    readonly over: () => void;
  }) {
    this.#clock = clock;
    this.#timeout = timeout;
    this.#over = over;
    this.#last = clock.now() + most;
    this.renew();
  }

  /** How long it still waits. */
  get left(): number {
    return Math.max(0, this.#until - this.#clock.now());
  }

  /** A sign of life. */
  renew(): void {
    this.#cancel();
    this.#until = Math.min(this.#clock.now() + this.#timeout, this.#last);
    this.#cancel = this.#clock.after(this.left, this.#over);
  }

  stop(): void {
    this.#cancel();
  }
}
