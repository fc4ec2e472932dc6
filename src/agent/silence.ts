import type { Clock } from '../lib/clock.ts';

/** Aborts when nothing was heard for a while. */
export class Silence {
  readonly #clock: Clock;
  readonly #longest: number;
  readonly #controller = new AbortController();
  #cancel: () => void;

  /** `longest`: in milliseconds. */
  constructor(clock: Clock, longest: number) {
    this.#clock = clock;
    this.#longest = longest;
    this.#cancel = this.#listen();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something was heard: it begins anew. */
  readonly broken = (): void => {
    this.#cancel();
    this.#cancel = this.#listen();
  };

  /** Nothing more is waited for. */
  end(): void {
    this.#cancel();
  }

  #listen(): () => void {
    return this.#clock.after(this.#longest, () => this.#controller.abort());
  }
}
