import type { Clock } from '../lib/clock.ts';

/** How long a model is left alone after it failed, in milliseconds: doubled with each further failure. */
const firstRest = 30_000;
const longestRest = 600_000;

/** Which models have failed lately, so that not every message waits for them anew. Holds a line for each model. */
export class CoolDown {
  readonly #clock: Clock;
  readonly #rests = new Map<string, { readonly until: number; readonly failures: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isResting(name: string): boolean {
    return (this.#rests.get(name)?.until ?? 0) > this.#clock.now();
  }

  /** Leaves it alone for a while: at least as long as the provider asks for, where that is not too long. */
  failed(name: string, retryAfter = 0): void {
    const failures = (this.#rests.get(name)?.failures ?? 0) + 1;
    const rest = Math.min(longestRest, Math.max(firstRest * 2 ** (failures - 1), retryAfter));
    this.#rests.set(name, { until: this.#clock.now() + rest, failures });
  }

  answered(name: string): void {
    this.#rests.delete(name);
  }
}
