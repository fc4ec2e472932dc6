import type { Clock } from '../../lib/clock.ts';
import { sameSecret } from '../../lib/ids.ts';
import { Remembered } from '../../lib/remembered.ts';

export type ClaimCode = ReturnType<typeof createClaimCode>;

/** The one-time code with which the first owner claims Keyturn. Guessed at most five times an hour by one person. */
export function createClaimCode(code: string, clock: Clock) {
  const guesses = createGuesses(clock);
  return {
    /** Tries a code for a person. Every try counts, the right one included. */
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

/** `granted`: it may be looked at · `too-many`: it may not · `ignored`: nor may this one, and the last one was told so. */
type Guess = 'granted' | 'too-many' | 'ignored';

/** How often people have guessed at a secret: at most five times an hour each. */
export function createGuesses(clock: Clock) {
  /** When each has guessed. A crowd of strangers must not fill the memory. */
  const guesses = new Remembered<string, number[]>(rememberedGuessers);
  return {
    /** Takes one of a person's guesses, before it is looked at: guesses that come together count as well. */
    take(principal: string): Guess {
      const now = clock.now();
      const recent = (guesses.get(principal) ?? []).filter((at) => now - at < hour);
      if (recent.length > guessesPerHour) return 'ignored';
      guesses.set(principal, [...recent, now]);
      return recent.length === guessesPerHour ? 'too-many' : 'granted';
    },

    /** The newest guess of the person was none: it was right, or was made before. */
    giveBack: (principal: string): void => void guesses.get(principal)?.pop(),
  };
}
