import type { ChannelHost } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import { createHealth } from './connection-health.ts';
import { createMissed, type Gap } from './missed.ts';

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
  readonly former: { readonly storedUntil: number | undefined; readonly missedSince: number | undefined } | undefined;
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
  let heardAt = former === undefined ? host.leftAt : former.storedUntil;
  /** Start of a former session's gap that was not fetched completely. */
  let left = former?.missedSince;
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
    get storedUntil(): number | undefined {
      return storedUntil();
    },

    get missedSince(): number | undefined {
      return missedSince();
    },

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
