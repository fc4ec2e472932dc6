import { type Clock, sleep } from '../lib/clock.ts';
import type { InLanguage } from '../lib/words.ts';
import { DataInUseError } from './store-error.ts';

/** In ms. What just looks ends within the first tries. */
const firstPause = 250;
const firstTries = 8;
/** In ms. */
const pause = 1_000;
/** With the pauses, about a minute. */
const mostTries = firstTries + 58;

export interface FreeWait {
  readonly clock: Clock;
  /** Called once, if the wait takes longer than 2 s. */
  readonly told: (words: InLanguage) => void;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `open` returns. As long as it throws `DataInUseError`, it is tried again for a minute: a backup, a check of one or an
 * sqlite3 that reads the database ends by itself. Then, and if the signal aborts, rejects with that error.
 */
export async function whenFree<Opened>(open: () => Opened, { clock, told, signal }: FreeWait): Promise<Opened> {
  for (let tries = 1; ; tries++) {
    try {
      return open();
    } catch (error) {
      if (!(error instanceof DataInUseError) || tries >= mostTries || signal?.aborted === true) throw error;
      if (tries === firstTries + 1) told(error.waiting);
    }
    await sleep(clock, tries <= firstTries ? firstPause : pause, signal);
  }
}
