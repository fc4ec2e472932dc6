import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';

const guessesPerHour = 5;
const hour = 3_600_000;
const rememberedGuessers = 1000;

/** `too-many`: this one was not looked at. `ignored`: neither was this one, and the person was told so before. */
export type ClaimAttempt = 'right' | 'wrong' | 'too-many' | 'ignored';

/** The one-time code with which the first owner claims Keyturn. Guessed at most five times an hour by one person. */
export class ClaimCode {
  readonly #code: string;
  readonly #clock: Clock;
  readonly #guesses = new Map<string, number[]>();

  constructor(code: string, clock: Clock) {
    this.#code = code;
    this.#clock = clock;
  }

  /** Tries a code for a person. Every try counts, the right one included. */
  attempt(principal: string, code: string): ClaimAttempt {
    const now = this.#clock.now();
    const recent = (this.#guesses.get(principal) ?? []).filter((at) => now - at < hour);
    if (recent.length > guessesPerHour) return 'ignored';
    // A crowd of strangers must not fill the memory: the oldest guesser is forgotten first.
    const [oldest] = this.#guesses.keys();
    if (oldest !== undefined && this.#guesses.size >= rememberedGuessers) this.#guesses.delete(oldest);
    this.#guesses.set(principal, [...recent, now]);
    if (recent.length === guessesPerHour) return 'too-many';
    return this.#isRight(code.trim().toLowerCase()) ? 'right' : 'wrong';
  }

  #isRight(code: string): boolean {
    const given = Buffer.from(code);
    const expected = Buffer.from(this.#code);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}
