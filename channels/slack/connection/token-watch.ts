import { type Clock, sleep } from '../../../src/lib/clock.ts';
import type { SlackApi } from '../web-api/api.ts';
import { readSetback, type Setback } from './setback.ts';

export interface TokenWatchDependencies {
  readonly apiFor: (token: string) => SlackApi;
  /** Told once of each token that is of no use any more, and how many are left. */
  readonly onLost: (setback: Setback, left: number) => void;
  readonly clock: Clock;
}

/** How often Slack is asked whether the tokens still hold, and at most, in milliseconds. */
const pause = 15 * 60_000;
const leastPause = 30_000;

/**
 * Notices bot tokens that are taken back while they are used. Nothing else would tell: sockets need the app-level token
 * only, so they stay open, and nothing comes through them any more.
 */
export class TokenWatch {
  readonly #dependencies: TokenWatchDependencies;
  readonly #good = new Set<string>();
  #doubt = new AbortController();

  constructor(dependencies: TokenWatchDependencies) {
    this.#dependencies = dependencies;
  }

  /** This token was seen to be good. */
  add(token: string): void {
    this.#good.add(token);
  }

  /** Slack has refused one of them for something: asks soon. */
  doubt(): void {
    this.#doubt.abort();
  }

  /** Asks now and then until the signal aborts. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#dependencies;
    while (!signal.aborted) {
      await sleep(clock, pause, AbortSignal.any([signal, this.#doubt.signal]));
      this.#doubt = new AbortController();
      for (const token of [...this.#good]) await this.#ask(token, signal);
      await sleep(clock, leastPause, signal);
    }
  }

  async #ask(token: string, signal: AbortSignal): Promise<void> {
    const { apiFor, onLost } = this.#dependencies;
    if (signal.aborted) return;
    try {
      await apiFor(token).call('auth.test', {}, { repeatable: true, signal });
    } catch (error) {
      const setback = readSetback(error, 'bot');
      if (!setback.isFinal) return;
      this.#good.delete(token);
      onLost(setback, this.#good.size);
    }
  }
}
