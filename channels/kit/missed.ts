import { ChannelError } from '../../src/contract.ts';
import { backOff } from '../../src/lib/back-off.ts';
import type { Background } from '../../src/lib/background.ts';
import { type Clock, sleep } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import { retry, retryPause } from './retries.ts';

/** A time in which something was said that has not come in. */
export interface Gap {
  /** When it began, at the earliest, in milliseconds since 1970. */
  readonly since: number;
  /** So short that it concerns only who was talking just then. */
  readonly isShort: boolean;
}

/** What was found and could not be stored is looked for again after so long, and ever more seldom, in milliseconds. */
const pauses = { firstPause: 60_000, longestPause: 3_600_000, chance: () => 1 };

/**
 * What was missed while the channel was deaf, on a platform that can be asked for it. Each gap is looked at until all of it has
 * come in, one look at a time: what is missed meanwhile belongs to the next look. A new gap ends the wait for another look.
 * `look` says whether all was brought; false where another time may bring more. When the signal aborts, nothing more is asked for.
 */
export function createMissed(
  look: (gap: Gap) => Promise<boolean>,
  clock: Clock,
  background: Background,
  signal: AbortSignal,
) {
  let open: Gap | undefined;
  let filling: Gap | undefined;
  let lookAgain = new AbortController();

  function note({ since, isShort }: Gap): void {
    const { since: former = since, isShort: wasShort = true } = open ?? {};
    open = { since: Math.min(since, former), isShort: isShort && wasShort };
  }

  async function lookBack(): Promise<void> {
    let failures = 0;
    try {
      for (let gap = open; gap !== undefined && !signal.aborted; gap = open) {
        open = undefined;
        filling = gap;
        const isWhole = await look(gap);
        failures = isWhole ? 0 : failures + 1;
        if (isWhole || signal.aborted) continue;
        // The platform does not deliver it again: what is brought as an event is its business, and this is ours.
        lookAgain = new AbortController();
        await sleep(clock, backOff(failures, pauses), AbortSignal.any([signal, lookAgain.signal]));
        note(gap);
      }
    } finally {
      // Stopped halfway, it is left for the next session.
      if (!signal.aborted) filling = undefined;
    }
  }

  return {
    /** Since when something may be missing, also after the signal has aborted. Undefined if nothing is. */
    get since(): number | undefined {
      const since = (open ?? filling)?.since;
      return since && Math.min(since, filling?.since ?? since);
    },

    /** Returns at once. */
    fill(gap: Gap): void {
      note(gap);
      lookAgain.abort();
      if (filling === undefined) background.run('what was said meanwhile could not be asked for', lookBack);
    },
  };
}

interface ReadingOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly tries: number;
  /** The longest pause between two tries, in milliseconds. */
  readonly longest?: number;
  /** Whether there is nothing to read there, and nothing to mend. */
  readonly isGone: (error: ChannelError) => boolean;
}

/** Reads what was missed. What fails for now is tried again; what can't be read is left out, and each reason logged once. */
export function patientReading(options: ReadingOptions) {
  const { log, isGone } = options;
  const logged = new Set<string>();
  let isLacking = false;
  return {
    /** Something could not be read that may be read another time. */
    get isLacking(): boolean {
      return isLacking;
    },

    /** What is asked for; undefined if it can't be fetched. */
    async read<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
      try {
        return await retry(ask, options);
      } catch (error) {
        if (!(error instanceof ChannelError)) throw error;
        const { message: reason } = error;
        isLacking ||= retryPause(error, 1) !== undefined;
        if (!logged.has(reason))
          log[isGone(error) ? 'debug' : 'warn']({ reason }, 'what was said meanwhile could not be read');
        logged.add(reason);
        return undefined;
      }
    },
  };
}
