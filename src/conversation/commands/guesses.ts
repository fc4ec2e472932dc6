import type { Clock } from '../../lib/clock.ts';
import { Remembered } from '../../lib/remembered.ts';

const guessesPerHour = 5;
const hour = 3_600_000;
const rememberedGuessers = 1000;

/** `too-many`: the first guess beyond the limit · `ignored`: all after it, so that a person is told once. */
type Guess = 'granted' | 'too-many' | 'ignored';

/** Guesses at a secret. */
export interface Guesses {
  /** Counts a guess before it is checked, so that concurrent guesses count too. */
  take(principal: string): Guess;
  /** Uncounts the newest guess: it was right, or a redelivery. */
  giveBack(principal: string): void;
}

/** Limits guesses at a secret: five an hour per person. */
export function createGuesses(clock: Pick<Clock, 'now'>): Guesses {
  /** The times of each person's guesses. Bounded: a crowd of strangers must not fill the memory. */
  const guesses = new Remembered<string, number[]>(rememberedGuessers);
  return {
    take(principal) {
      const now = clock.now();
      const recent = (guesses.get(principal) ?? []).filter((at) => now - at < hour);
      if (recent.length > guessesPerHour) return 'ignored';
      guesses.set(principal, [...recent, now]);
      return recent.length === guessesPerHour ? 'too-many' : 'granted';
    },
    giveBack: (principal) => void guesses.get(principal)?.pop(),
  };
}
