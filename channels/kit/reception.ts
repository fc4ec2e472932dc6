import type { ChannelHost } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import { createHealth } from './connection-health.ts';
import { createMissed, type Gap } from './missed.ts';

const longestShortGap = 15_000;
/** What was delivered right before a gap may not have come through, and two clocks differ, in milliseconds. */
const margin = 60_000;
/** What lies further back was said to somebody else by now, in milliseconds. */
const furthest = 24 * 3_600_000;
/** What has waited longer than this to be stored is stuck, in milliseconds. */
const longestStoring = 3_000;

interface ReceptionOptions {
  readonly channel: string;
  /** As people know it: "Slack". */
  readonly platform: string;
  readonly host: ChannelHost;
  readonly account: () => string | undefined;
  /** Asks for what was said meanwhile. See `Missed`. */
  readonly look: (gap: Gap) => Promise<boolean>;
  /** For how long the platform delivers again what could not be stored, in milliseconds. Left out: for ever. */
  readonly keptFor?: number;
  readonly background: Background;
  readonly signal: AbortSignal;
  /** That of the last session, whose knowledge goes on. */
  readonly former: { readonly storedUntil: number | undefined; readonly missedSince: number | undefined } | undefined;
}

interface Arriving {
  readonly at: number;
}

export type Reception = ReturnType<typeof createReception>;

/**
 * What comes in over connections, and is stored before the platform may forget it. It knows until when everything that the
 * platform had to say has surely come in, has it asked for where something may not have, and tells the host how we are
 * connected: well only while what comes in is stored.
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
  /** Since when a former session had something missed that it did not look for to the end. */
  let left = former?.missedSince;
  let isNew = true;
  /** Until it is opened: a sign of life in the same packet as the greeting must not hide what was missed before. */
  let isClosed = true;
  /** Since when nothing can be stored, and when what the platform has given up since then was last asked for. */
  let refusal: { readonly at: number; soughtAt: number } | undefined;
  /** The oldest first. */
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

  /** Where something waits too long to be stored, nothing is said: a silent channel is replaced. */
  function tellOpen(): void {
    if (clock.now() - (oldest()?.at ?? clock.now()) > longestStoring) return;
    if (refusal !== undefined) health.fail(unstoredWords(platform));
    else health.tell({ status: 'connected', account: account() });
  }

  /** Until this instant the platform could deliver. While nothing can be stored, what it has given up is asked for now and then. */
  function heard(at = clock.now()): void {
    if (!isClosed) heardAt = Math.max(at, heardAt ?? at);
    if (refusal !== undefined && at - refusal.soughtAt > keptFor) {
      refusal.soughtAt = at;
      missed(refusal.at);
    }
    tellOpen();
  }

  /** What the platform has sent since that instant may not have come in. */
  function missed(since: number): void {
    gaps.fill({ since, isShort: clock.now() - since <= longestShortGap });
  }

  /** What came in then cannot be stored. */
  function refused(at = clock.now()): void {
    refusal ??= { at, soughtAt: at };
    if (!signal.aborted) health.fail(unstoredWords(platform));
  }

  return {
    health,
    heard,
    missed,
    refused,

    /** Until when all that was said is stored, in milliseconds since 1970. Undefined where none has ever listened. */
    get heardAt(): number | undefined {
      return earliest(storedUntil(), missedSince());
    },

    /** The same without what was said while nobody listened. */
    get storedUntil(): number | undefined {
      return storedUntil();
    },

    get missedSince(): number | undefined {
      return missedSince();
    },

    /** How much of what has come in is not stored yet. */
    get waiting(): number {
      return arriving.size;
    },

    /** The platform can deliver now, and could not before: what it had to say meanwhile is asked for. */
    opened(): void {
      const before = earliest(heardAt, left);
      const isShort = !isNew && clock.now() - (before ?? 0) <= longestShortGap;
      open();
      if (before !== undefined) gaps.fill({ since: before, isShort });
    },

    /** The platform can deliver again, and has delivered everything that it had to say meanwhile. */
    resumed(): void {
      const since = left;
      open();
      if (since !== undefined) gaps.fill({ since, isShort: false });
    },

    /** The platform cannot deliver any more, until it is opened again, whatever signs of life there are. */
    closed(): void {
      isClosed = true;
    },

    /**
     * Has something stored that comes in; `store` gives whether there was anything to store. Throws what it throws. If storing
     * had been impossible for long, the platform has given some of what it had up.
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

/** Said while nothing can be stored. */
export function unstoredWords(platform: string): string {
  return `What ${platform} delivers cannot be stored. It is tried again and again; the log says what is wrong.`;
}
