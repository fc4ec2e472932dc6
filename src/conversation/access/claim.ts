import type { Clock } from '../../lib/clock.ts';
import { sameSecret } from '../../lib/ids.ts';
import { Remembered } from '../../lib/remembered.ts';

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

const guessesPerHour = 5;
const hour = 3_600_000;
const rememberedGuessers = 1000;

/** `granted`: it may be looked at · `too-many`: it may not · `ignored`: nor may this one, and the last one was told so. */
export type Guess = 'granted' | 'too-many' | 'ignored';

/** How often people have guessed at a secret: at most five times an hour each. */
export class Guesses {
  readonly #clock: Clock;
  /** When each has guessed. A crowd of strangers must not fill the memory. */
  readonly #guesses = new Remembered<string, number[]>(rememberedGuessers);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes one of a person's guesses, before it is looked at: guesses that come together count as well. */
  take(principal: string): Guess {
    const now = this.#clock.now();
    const recent = (this.#guesses.get(principal) ?? []).filter((at) => now - at < hour);
    if (recent.length > guessesPerHour) return 'ignored';
    this.#guesses.set(principal, [...recent, now]);
    return recent.length === guessesPerHour ? 'too-many' : 'granted';
  }

  /** The newest guess of the person was none: it was right, or was made before. */
  giveBack(principal: string): void {
    this.#guesses.get(principal)?.pop();
  }
}
