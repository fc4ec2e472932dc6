import { ChannelError } from '../../../src/contract.ts';
import type { Clock } from '../../../src/lib/clock.ts';

/** An answer, as far as it is counted. */
export interface CountedAnswer {
  readonly status: number;
  /** Whether the bot's token went with the request. */
  readonly hasToken: boolean;
  /** It is not our fault that there were too many requests. */
  readonly isShared: boolean;
}

/** Discord shuts out an address after 10 000 in this time; other bots may share ours. */
const window = 10 * 60_000;
const mostInWindow = 5_000;
const firstPause = 1_000;
const longestPause = 5 * 60_000;

/**
 * Stops asking before Discord shuts us out. A token that was refused is tried again ever more seldom, and nothing is asked
 * for a while once too much was refused.
 */
export class InvalidRequests {
  readonly #clock: Clock;
  #windowEndsAt = 0;
  #count = 0;
  #tokenRefusals = 0;
  #askAgainAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws `ChannelError` where it is better not to ask. */
  check(hasToken: boolean): void {
    const now = this.#clock.now();
    if (now < this.#windowEndsAt && this.#count >= mostInWindow)
      throw new ChannelError(
        { type: 'rate-limited', retryAfter: this.#windowEndsAt - now },
        'Discord has refused too many requests, so that it is asked no more for some minutes. The log says what it refused',
      );
    if (hasToken && now < this.#askAgainAt)
      throw new ChannelError(
        { type: 'auth' },
        'Discord has not accepted the token just now. Check channels.discord.token',
      );
  }

  count({ status, hasToken, isShared }: CountedAnswer): void {
    if (hasToken) this.#countToken(status);
    const isInvalid = status === 401 || status === 403 || (status === 429 && !isShared);
    if (!isInvalid) return;
    const now = this.#clock.now();
    if (now >= this.#windowEndsAt) {
      this.#windowEndsAt = now + window;
      this.#count = 0;
    }
    this.#count += 1;
  }

  #countToken(status: number): void {
    if (status !== 401) {
      this.#tokenRefusals = 0;
      this.#askAgainAt = 0;
      return;
    }
    const pause = Math.min(longestPause, firstPause * 2 ** Math.min(this.#tokenRefusals, 16));
    this.#tokenRefusals += 1;
    this.#askAgainAt = this.#clock.now() + pause;
  }
}
