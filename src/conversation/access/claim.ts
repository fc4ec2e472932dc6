import type { Clock } from '../../lib/clock.ts';
import { sameSecret } from '../../lib/same-secret.ts';
import { Guesses } from './guesses.ts';

/** `too-many`: this one was not looked at. `ignored`: neither was this one, and the person was told so before. */
export type ClaimAttempt = 'right' | 'wrong' | 'too-many' | 'ignored';

/** The one-time code with which the first owner claims Keyturn. Guessed at most five times an hour by one person. */
export class ClaimCode {
  readonly #code: string;
  readonly #guesses: Guesses;

  constructor(code: string, clock: Clock) {
    this.#code = code;
    this.#guesses = new Guesses(clock);
  }

  /** Tries a code for a person. Every try counts, the right one included. */
  attempt(principal: string, code: string): ClaimAttempt {
    const guess = this.#guesses.take(principal);
    if (guess !== 'granted') return guess;
    return sameSecret(code.trim().toLowerCase(), this.#code) ? 'right' : 'wrong';
  }
}
