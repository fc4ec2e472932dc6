import { ChannelError } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import { backOff, type Clock, sleep } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import { retry, retryPause } from './retries.ts';

/** A time in which messages may have been missed. */
export interface Gap {
  /** Earliest start, in ms since 1970. */
  readonly since: number;
  /** So short that only conversations active just then are affected. */
  readonly isShort: boolean;
}

/** Pauses before an incomplete gap is read again, in ms. */
const pauses = { firstPause: 60_000, longestPause: 3_600_000, chance: () => 1 };

/**
 * Fetches messages that were missed while the channel was deaf. Repeats until a gap is complete, one `look` at a time;
 * gaps noted meanwhile are for the next one, and cut the pause short. `look` resolves with false if another try may
 * bring more. Stops when the signal aborts.
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
        // The platform does not redeliver what `look` reads, so retrying is up to us.
        lookAgain = new AbortController();
        await sleep(clock, backOff(failures, pauses), AbortSignal.any([signal, lookAgain.signal]));
        note(gap);
      }
    } finally {
      // Stopped early: the next session takes over the gap.
      if (!signal.aborted) filling = undefined;
    }
  }

  return {
    /** Since when messages may be missing, also after the signal aborts. Undefined if none are. */
    get since(): number | undefined {
      const since = (open ?? filling)?.since;
      return since && Math.min(since, filling?.since ?? since);
    },

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
  /** Longest pause between tries, in ms. */
  readonly longest?: number;
  /** Whether there is nothing to read, and nothing to fix. */
  readonly isGone: (error: ChannelError) => boolean;
}

/** Reads missed messages. Retries temporary failures; skips the rest, and logs each reason once. */
export function patientReading(options: ReadingOptions) {
  const { log, isGone } = options;
  const logged = new Set<string>();
  let isLacking = false;
  return {
    /** Whether something was unreadable that a later try may read. */
    get isLacking(): boolean {
      return isLacking;
    },

    /** Undefined if it cannot be fetched. */
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
