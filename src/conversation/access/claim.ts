import type { Clock } from '../../lib/clock.ts';
import { sameSecret } from '../../lib/ids.ts';
import { Remembered } from '../../lib/remembered.ts';

export type ClaimCode = ReturnType<typeof createClaimCode>;

/** The one-time code that makes a person the first owner. Each person has five guesses an hour. */
export function createClaimCode(code: string, clock: Clock) {
  const guesses = createGuesses(clock);
  return {
    /** Every attempt counts, the right one included. */
    attempt(principal: string, attempted: string): 'right' | 'wrong' | Exclude<Guess, 'granted'> {
      const guess = guesses.take(principal);
      if (guess !== 'granted') return guess;
      return sameSecret(attempted.trim().toLowerCase(), code) ? 'right' : 'wrong';
    },
  };
}

const guessesPerHour = 5;
const hour = 3_600_000;
const rememberedGuessers = 1000;

/** `too-many`: the first guess beyond the limit · `ignored`: all after it, so that a person is told once. */
type Guess = 'granted' | 'too-many' | 'ignored';

/** Limits guesses at a secret: five an hour per person. */
export function createGuesses(clock: Clock) {
  /** The times of each person's guesses. Bounded: a crowd of strangers must not fill the memory. */
  const guesses = new Remembered<string, number[]>(rememberedGuessers);
  return {
    /** Counts a guess before it is checked, so that concurrent guesses count too. */
    take(principal: string): Guess {
      const now = clock.now();
      const recent = (guesses.get(principal) ?? []).filter((at) => now - at < hour);
      if (recent.length > guessesPerHour) return 'ignored';
      guesses.set(principal, [...recent, now]);
      return recent.length === guessesPerHour ? 'too-many' : 'granted';
    },

    /** Uncounts the newest guess: it was right, or a redelivery. */
    giveBack: (principal: string): void => void guesses.get(principal)?.pop(),
  };
}
