import type { Clock } from './clock.ts';

export interface EditPaceOptions {
  readonly clock: Clock;
  /** The shortest interval between edits that the platform accepts permanently. In ms. */
  readonly pause: number;
}

/** From these ages in ms, the pause is multiplied: a long answer is read slowly. */
const ages = [
  { from: 60_000, factor: 4 },
  { from: 20_000, factor: 2 },
] as const;
const slowerAfterRefusal = 1.5;
/** In ms. */
const longestPause = 15_000;

/** Throttles edits: the pause grows with age and with each refusal, and `retryAfter` of the platform is kept. */
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

  /** The earliest instant for the next edit. */
  get earliest(): number {
    if (this.#lastAt === undefined) return this.#refusedUntil;
    return Math.max(this.#refusedUntil, this.#lastAt + this.#currentPause());
  }

  /** How long the platform still refuses edits, in ms; 0 if it accepts them. */
  get refusedFor(): number {
    return Math.max(0, this.#refusedUntil - this.#clock.now());
  }

  begin(): void {
    this.#lastAt = this.#clock.now();
    this.#firstAt ??= this.#lastAt;
  }

  /** The platform refused an edit. `retryAfter` is in ms. */
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
