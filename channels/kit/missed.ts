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
 */
export class Missed {
  readonly #look: (gap: Gap) => Promise<boolean>;
  readonly #clock: Clock;
  readonly #background: Background;
  readonly #signal: AbortSignal;
  /** What was not looked for yet. */
  #gap: Gap | undefined;
  /** What is being looked for. */
  #filling: Gap | undefined;
  #lookAgain = new AbortController();

  /** `look` says whether all was brought; false where another time may bring more. When the signal aborts, nothing more is asked for. */
  constructor(look: (gap: Gap) => Promise<boolean>, clock: Clock, background: Background, signal: AbortSignal) {
    this.#look = look;
    this.#clock = clock;
    this.#background = background;
    this.#signal = signal;
  }

  /** Since when something may be missing, also after the signal has aborted. Undefined if nothing is. */
  get since(): number | undefined {
    const { since } = this.#gap ?? this.#filling ?? {};
    return since && Math.min(since, this.#filling?.since ?? since);
  }

  /** Returns at once. */
  fill(gap: Gap): void {
    this.#note(gap);
    this.#lookAgain.abort();
    if (this.#filling === undefined)
      this.#background.run('what was said meanwhile could not be asked for', () => this.#lookBack());
  }

  #note({ since, isShort }: Gap): void {
    const { since: former = since, isShort: wasShort = true } = this.#gap ?? {};
    this.#gap = { since: Math.min(since, former), isShort: isShort && wasShort };
  }

  async #lookBack(): Promise<void> {
    const signal = this.#signal;
    let failures = 0;
    try {
      for (let gap = this.#gap; gap !== undefined && !signal.aborted; gap = this.#gap) {
        this.#gap = undefined;
        this.#filling = gap;
        const isWhole = await this.#look(gap);
        failures = isWhole ? 0 : failures + 1;
        if (isWhole || signal.aborted) continue;
        // The platform does not deliver it again: what is brought as an event is its business, and this is ours.
        this.#lookAgain = new AbortController();
        await sleep(this.#clock, backOff(failures, pauses), AbortSignal.any([signal, this.#lookAgain.signal]));
        this.#note(gap);
      }
    } finally {
      // Stopped halfway, it is left for the next session.
      if (!signal.aborted) this.#filling = undefined;
    }
  }
}

export interface ReadingOptions {
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
export class PatientReading {
  readonly #options: ReadingOptions;
  readonly #logged = new Set<string>();
  #isLacking = false;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  /** Something could not be read that may be read another time. */
  get isLacking(): boolean {
    return this.#isLacking;
  }

  /** What is asked for; undefined if it can't be fetched. */
  async read<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
    const { log, isGone } = this.#options;
    try {
      return await retry(ask, this.#options);
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      const { message: reason } = error;
      this.#isLacking ||= retryPause(error, 1) !== undefined;
      if (!this.#logged.has(reason))
        log[isGone(error) ? 'debug' : 'warn']({ reason }, 'what was said meanwhile could not be read');
      this.#logged.add(reason);
      return undefined;
    }
  }
}
