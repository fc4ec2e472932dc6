import type { ChannelHost } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import { ConnectionHealth } from './connection-health.ts';
import { createMissed, type Gap } from './missed.ts';

/** In milliseconds. */
const longestShortGap = 15_000;
/** What was delivered right before a gap may not have come through, and two clocks differ, in milliseconds. */
const margin = 60_000;
/** What lies further back was said to somebody else by now, in milliseconds. */
const furthest = 24 * 3_600_000;
/** What has waited longer than this to be stored is stuck, in milliseconds. */
const longestStoring = 3_000;

export interface ReceptionOptions {
  readonly channel: string;
  /** As people know it: "Slack". */
  readonly platform: string;
  readonly host: ChannelHost;
  /** What we are connected as. */
  readonly account: () => string | undefined;
  /** Asks for what was said meanwhile. See `Missed`. */
  readonly look: (gap: Gap) => Promise<boolean>;
  /** For how long the platform delivers again what could not be stored, in milliseconds. Left out: for ever. */
  readonly keptFor?: number;
  readonly background: Background;
  /** Nothing more is received. */
  readonly signal: AbortSignal;
  /** That of the last session, whose knowledge goes on. */
  readonly former: Reception | undefined;
}

/** What came in, while it is being stored. */
interface Arriving {
  readonly at: number;
}

/**
 * What comes in over connections, and is stored before the platform may forget it. It knows until when everything that the
 * platform had to say has surely come in, has it asked for where something may not have, and tells the host how we are
 * connected: well only while what comes in is stored.
 */
export class Reception {
  readonly health: ConnectionHealth;
  readonly #options: ReceptionOptions;
  readonly #missed: ReturnType<typeof createMissed>;
  #heardAt: number | undefined;
  /** Since when a former session had something missed that it did not look for to the end. */
  #left: number | undefined;
  #isNew = true;
  /** Until it is opened: a sign of life in the same packet as the greeting must not hide what was missed before. */
  #isClosed = true;
  /** Since when nothing can be stored, and when what the platform has given up since then was last asked for. */
  #refused: { readonly at: number; soughtAt: number } | undefined;
  /** The oldest first. */
  readonly #arriving = new Set<Arriving>();

  constructor(options: ReceptionOptions) {
    const { channel, host, look, background, signal, former } = options;
    this.#options = options;
    this.health = new ConnectionHealth(channel, host);
    const lookBack = ({ since, isShort }: Gap): Promise<boolean> =>
      look({ since: Math.max(since - margin, this.#now - furthest), isShort });
    this.#missed = createMissed(lookBack, host.clock, background, signal);
    if (former === undefined) {
      this.#heardAt = host.leftAt;
      return;
    }
    this.#heardAt = former.storedUntil;
    this.#left = former.#missedSince;
  }

  /** Until when all that was said is stored, in milliseconds since 1970. Undefined where none has ever listened. */
  get heardAt(): number | undefined {
    return earliest(this.storedUntil, this.#missedSince);
  }

  /** The same without what was said while nobody listened. */
  get storedUntil(): number | undefined {
    return earliest(this.#refused?.at, this.#oldest?.at, this.#heardAt);
  }

  /** How much of what has come in is not stored yet. */
  get waiting(): number {
    return this.#arriving.size;
  }

  /** The platform can deliver now, and could not before: what it had to say meanwhile is asked for. */
  opened(): void {
    const before = earliest(this.#heardAt, this.#left);
    const isShort = !this.#isNew && this.#now - (before ?? 0) <= longestShortGap;
    this.#open();
    if (before !== undefined) this.#missed.fill({ since: before, isShort });
  }

  /** The platform can deliver again, and has delivered everything that it had to say meanwhile. */
  resumed(): void {
    const left = this.#left;
    this.#open();
    if (left !== undefined) this.#missed.fill({ since: left, isShort: false });
  }

  /** The platform cannot deliver any more, until it is opened again, whatever signs of life there are. */
  closed(): void {
    this.#isClosed = true;
  }

  /** Until this instant the platform could deliver. While nothing can be stored, what it has given up is asked for now and then. */
  heard(at = this.#now): void {
    if (!this.#isClosed) this.#heardAt = Math.max(at, this.#heardAt ?? at);
    const { keptFor = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#refused !== undefined && at - this.#refused.soughtAt > keptFor) {
      this.#refused.soughtAt = at;
      this.missed(this.#refused.at);
    }
    this.#tellOpen();
  }

  /** What the platform has sent since that instant may not have come in. */
  missed(since: number): void {
    this.#missed.fill({ since, isShort: this.#now - since <= longestShortGap });
  }

  /**
   * Has something stored that comes in; `store` gives whether there was anything to store. Throws what it throws. If storing
   * had been impossible for long, the platform has given some of what it had up.
   */
  async take(store: () => Promise<boolean>): Promise<void> {
    const arriving = { at: this.#now };
    this.#arriving.add(arriving);
    try {
      if (!(await store())) return;
    } catch (error) {
      this.refused(arriving.at);
      throw error;
    } finally {
      this.#arriving.delete(arriving);
    }
    const refused = this.#refused;
    if (refused === undefined) return;
    this.#refused = undefined;
    const { keptFor = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#now - refused.at > keptFor) this.missed(refused.at);
    if (!this.#isClosed) this.#tellOpen();
  }

  /** What came in then cannot be stored. */
  refused(at = this.#now): void {
    this.#refused ??= { at, soughtAt: at };
    if (!this.#options.signal.aborted) this.health.fail(unstoredWords(this.#options.platform));
  }

  get #now(): number {
    return this.#options.host.clock.now();
  }

  get #oldest(): Arriving | undefined {
    return this.#arriving.values().next().value;
  }

  get #missedSince(): number | undefined {
    return earliest(this.#left, this.#missed.since);
  }

  #open(): void {
    this.#isNew = false;
    this.#isClosed = false;
    this.#left = undefined;
    this.heard();
  }

  /** Where something waits too long to be stored, nothing is said: a silent channel is replaced. */
  #tellOpen(): void {
    const oldest = this.#oldest;
    if (oldest !== undefined && this.#now - oldest.at > longestStoring) return;
    if (this.#refused !== undefined) this.health.fail(unstoredWords(this.#options.platform));
    else this.health.tell({ status: 'connected', account: this.#options.account() });
  }
}

function earliest(...instants: readonly (number | undefined)[]): number | undefined {
  const known = instants.filter((instant) => instant !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Said while nothing can be stored. */
export function unstoredWords(platform: string): string {
  return `What ${platform} delivers cannot be stored. It is tried again and again; the log says what is wrong.`;
}
