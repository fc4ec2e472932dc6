import type { Clock } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import { readFailure } from './failure.ts';
import { watched } from './watchdog.ts';

export interface SilenceDependencies {
  /** Asks Telegram how many updates wait for us. */
  readonly countPending: (signal: AbortSignal) => Promise<number>;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long nothing must have come in before Telegram is asked whether that is so, and how often then, in milliseconds. */
const askAfter = 60_000;
const longestAnswer = 5_000;
/** What came in just now may be counted once. */
const enoughSuspicion = 2;

/**
 * Tells silence from deafness: polls can succeed and bring nothing although something waits, when what answers them is not
 * what receives for the bot.
 */
export class Silence {
  readonly #dependencies: SilenceDependencies;
  #askedAt: number;
  #suspicion = 0;

  constructor(dependencies: SilenceDependencies) {
    this.#dependencies = dependencies;
    this.#askedAt = dependencies.clock.now();
  }

  /** Something has come in. */
  broken(): void {
    this.#askedAt = this.#dependencies.clock.now();
    this.#suspicion = 0;
  }

  /** A poll has brought nothing. Whether something waits nevertheless: asked seldom, and once more before it is said. */
  async isDeafness(signal: AbortSignal): Promise<boolean> {
    const now = this.#dependencies.clock.now();
    if (this.#suspicion === 0 && now - this.#askedAt < askAfter) return false;
    this.#askedAt = now;
    const pending = await this.#ask(signal);
    if (pending !== undefined) this.#suspicion = pending > 0 ? this.#suspicion + 1 : 0;
    return this.#suspicion >= enoughSuspicion;
  }

  /** Undefined if that cannot be known now. */
  async #ask(signal: AbortSignal): Promise<number | undefined> {
    const { countPending, clock, log } = this.#dependencies;
    try {
      return await watched({ clock, milliseconds: longestAnswer, signal }, countPending);
    } catch (error) {
      log.debug({ reason: readFailure(error).words }, 'Telegram does not say how many updates wait');
      return undefined;
    }
  }
}
