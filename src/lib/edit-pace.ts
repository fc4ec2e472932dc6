import type { Clock } from './clock.ts';

/** How often what people see may change. */
export interface EditPaceOptions {
  readonly clock: Clock;
  /** The least time between two changes that the platform bears for long, in milliseconds. */
  readonly pause: number;
}

/** From these ages on, in milliseconds, the pause is so many times as long: an answer that takes long is read slowly. */
const ages = [
  { from: 60_000, factor: 4 },
  { from: 20_000, factor: 2 },
] as const;
const slowerAfterRefusal = 1.5;
/** No pause grows beyond that, in milliseconds. */
const longestPause = 15_000;

/**
 * Says when something that is edited may be changed next: the more seldom, the older it is and the oftener the platform
 * has refused, and never before the platform allows it again.
 */
export class EditPace {
  readonly #clock: Clock;
  readonly #pause: number;
  #firstAt: number | undefined;
  #lastAt: number | undefined;
  #slowness = 1;
  #refusedUntil = 0;

  constructor({ clock, pause }: EditPaceOptions) {
    this.#clock = clock;
    this.#pause = pause;
  }

  /** The earliest instant of the next change. */
  get earliest(): number {
    if (this.#lastAt === undefined) return this.#refusedUntil;
    return Math.max(this.#refusedUntil, this.#lastAt + this.#currentPause());
  }

  /** For how long the platform still refuses any change, in milliseconds; 0 where it does not. */
  get refusedFor(): number {
    return Math.max(0, this.#refusedUntil - this.#clock.now());
  }

  /** A change is made now. */
  begin(): void {
    this.#lastAt = this.#clock.now();
    this.#firstAt ??= this.#lastAt;
  }

  /** The platform has refused a change for that long, in milliseconds. */
  refuse(retryAfter: number): void {
    this.#slowness *= slowerAfterRefusal;
    this.#refusedUntil = this.#clock.now() + retryAfter;
  }

  #currentPause(): number {
    const age = this.#clock.now() - (this.#firstAt ?? 0);
    const factor = ages.find(({ from }) => age >= from)?.factor ?? 1;
    return Math.max(this.#pause, Math.min(longestPause, this.#pause * factor * this.#slowness));
  }
}
