import type { Clock } from '../../src/lib/clock.ts';

/** The least time between two requests of one stream, in milliseconds. */
const pause = 700;
/** From these ages on, in milliseconds, the pause is so many times as long: an answer that takes long is read slowly. */
const ages = [
  { from: 60_000, factor: 4 },
  { from: 20_000, factor: 2 },
] as const;
const slowerAfterRefusal = 1.5;
/** No pause grows beyond that, in milliseconds. */
const longestPause = 15_000;

/** Says when a stream may be changed next: the more seldom, the older it is and the oftener Slack has refused. */
export class AppendPace {
  readonly #clock: Clock;
  #firstAt: number | undefined;
  #lastAt: number | undefined;
  #slowness = 1;
  #refusedUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The earliest instant of the next request. */
  get earliest(): number {
    return this.#lastAt === undefined
      ? this.#refusedUntil
      : Math.max(this.#refusedUntil, this.#lastAt + this.#current());
  }

  /** For how long Slack still refuses, in milliseconds; 0 where it does not. */
  get refusedFor(): number {
    return Math.max(0, this.#refusedUntil - this.#clock.now());
  }

  /** A request is made now. */
  begin(): void {
    this.#lastAt = this.#clock.now();
    this.#firstAt ??= this.#lastAt;
  }

  /** Slack has refused for that long, in milliseconds. */
  refuse(retryAfter: number): void {
    this.#slowness *= slowerAfterRefusal;
    this.#refusedUntil = this.#clock.now() + retryAfter;
  }

  #current(): number {
    const age = this.#clock.now() - (this.#firstAt ?? 0);
    const factor = ages.find(({ from }) => age >= from)?.factor ?? 1;
    return Math.min(longestPause, pause * factor * this.#slowness);
  }
}
