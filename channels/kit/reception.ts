import { ChannelError, type ChannelHost } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import { backOff, type Clock, sleep } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import { createHealth } from './connection-health.ts';
import { retry, retryPause } from './retries.ts';

const longestShortGap = 15_000;
/** Overlap before a gap, for deliveries lost just before it and for clock differences. In ms. */
const margin = 60_000;
/** Older messages are not fetched, in ms. */
const furthest = 24 * 3_600_000;
/** An event that waits longer than this is stuck, in ms. */
const longestStoring = 3_000;

interface ReceptionOptions {
  readonly channel: string;
  /** Display name: "Slack". */
  readonly platform: string;
  readonly host: ChannelHost;
  readonly account: () => string | undefined;
  /** Fetches missed messages; see `createMissed`. */
  readonly look: (gap: Gap) => Promise<boolean>;
  /** How long the platform redelivers unstored events, in ms. Left out: for ever. */
  readonly keptFor?: number;
  readonly background: Background;
  readonly signal: AbortSignal;
  /** The last session's reception, to continue from. */
  readonly former: Pick<Reception, 'storedUntil' | 'missedSince'> | undefined;
}

interface Arriving {
  readonly at: number;
}

export type Reception = ReturnType<typeof createReception>;

/**
 * Tracks incoming events until they are stored. Knows up to when everything has been received, fetches what may have
 * been missed, and reports the health: connected only while events can be stored.
 */
export function createReception(options: ReceptionOptions) {
  const { channel, platform, host, account, look, background, signal, former } = options;
  const { keptFor = Number.POSITIVE_INFINITY } = options;
  const { clock } = host;
  const health = createHealth(channel, host);
  const lookBack = ({ since, isShort }: Gap): Promise<boolean> =>
    look({ since: Math.max(since - margin, clock.now() - furthest), isShort });
  const gaps = createMissed(lookBack, clock, background, signal);
  let heardAt = former === undefined ? host.leftAt : former.storedUntil();
  /** Start of a former session's gap that was not fetched completely. */
  let left = former?.missedSince();
  let isNew = true;
  /** Until `opened`: a sign of life that arrives with the greeting must not hide the gap before. */
  let isClosed = true;
  /** When storing began to fail, and when the events that the platform has given up since were last fetched. */
  let refusal: { readonly at: number; soughtAt: number } | undefined;
  /** In order of arrival. */
  const arriving = new Set<Arriving>();

  function oldest(): Arriving | undefined {
    return arriving.values().next().value;
  }

  function missedSince(): number | undefined {
    return earliest(left, gaps.since);
  }

  function storedUntil(): number | undefined {
    return earliest(refusal?.at, oldest()?.at, heardAt);
  }

  function open(): void {
    isNew = false;
    isClosed = false;
    left = undefined;
    heard();
  }

  /** Reports nothing while an event is stuck: a silent channel is replaced. */
  function tellOpen(): void {
    if (clock.now() - (oldest()?.at ?? clock.now()) > longestStoring) return;
    if (refusal !== undefined) health.fail(unstoredWords(platform));
    else health.tell({ status: 'connected', account: account() });
  }

  /** The platform could deliver until `at`. While storing fails, also fetches, now and then, what it has given up. */
  function heard(at = clock.now()): void {
    if (!isClosed) heardAt = Math.max(at, heardAt ?? at);
    if (refusal !== undefined && at - refusal.soughtAt > keptFor) {
      refusal.soughtAt = at;
      missed(refusal.at);
    }
    tellOpen();
  }

  /** Events since then may not have been delivered. */
  function missed(since: number): void {
    gaps.fill({ since, isShort: clock.now() - since <= longestShortGap });
  }

  /** An event from then could not be stored. */
  function refused(at = clock.now()): void {
    refusal ??= { at, soughtAt: at };
    if (!signal.aborted) health.fail(unstoredWords(platform));
  }

  return {
    health,
    heard,
    missed,
    refused,

    /** Until when everything is stored, in ms since 1970. Undefined if nothing was ever received. */
    get heardAt(): number | undefined {
      return earliest(storedUntil(), missedSince());
    },

    /** The same, ignoring gaps. */
    storedUntil,
    missedSince,

    /** Number of unstored events. */
    get waiting(): number {
      return arriving.size;
    },

    /** Delivery has started: fetches what was missed before. */
    opened(): void {
      const before = earliest(heardAt, left);
      const isShort = !isNew && clock.now() - (before ?? 0) <= longestShortGap;
      open();
      if (before !== undefined) gaps.fill({ since: before, isShort });
    },

    /** Delivery continues, and everything meanwhile has been delivered. */
    resumed(): void {
      const since = left;
      open();
      if (since !== undefined) gaps.fill({ since, isShort: false });
    },

    /** Delivery has ended. Signs of life do not count until it is opened again. */
    closed(): void {
      isClosed = true;
    },

    /**
     * Stores an event; `store` resolves with whether there was anything to store. Rejects if it does. After a long
     * failure to store, fetches what the platform has given up.
     */
    async take(store: () => Promise<boolean>): Promise<void> {
      const arrival = { at: clock.now() };
      arriving.add(arrival);
      try {
        if (!(await store())) return;
      } catch (error) {
        refused(arrival.at);
        throw error;
      } finally {
        arriving.delete(arrival);
      }
      if (refusal === undefined) return;
      const { at } = refusal;
      refusal = undefined;
      if (clock.now() - at > keptFor) missed(at);
      if (!isClosed) tellOpen();
    },
  };
}

function earliest(...instants: readonly (number | undefined)[]): number | undefined {
  const known = instants.filter((instant) => instant !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** The failure while nothing can be stored. */
export function unstoredWords(platform: string): string {
  return `What ${platform} delivers cannot be stored. Keyturn keeps trying; the log says what is wrong.`;
}

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
function createMissed(look: (gap: Gap) => Promise<boolean>, clock: Clock, background: Background, signal: AbortSignal) {
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
      return earliest(open?.since, filling?.since);
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
