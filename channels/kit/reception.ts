import { ChannelError, type ChannelHost } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import { backOff, type Clock, sleep } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import type { InLanguage } from '../../src/lib/words.ts';
import { type ConnectionHealth, createHealth } from './connection-health.ts';
import { retry, retryPause } from './retries.ts';
import { kitWords } from './words.ts';

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
  /** Fetches the messages of a gap. Resolves with false if another try may bring more. */
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

/**
 * Tracks incoming events until they are stored. Knows up to when everything has been received, fetches what may have
 * been missed, and reports the health: connected only while events can be stored.
 */
export class Reception {
  readonly health: ConnectionHealth;
  readonly #options: ReceptionOptions;
  readonly #clock: Clock;
  readonly #gaps: MissedMessages;
  #heardAt: number | undefined;
  /** Start of a former session's gap that was not fetched completely. */
  #left: number | undefined;
  #isNew = true;
  /** Until `opened`: a sign of life that arrives with the greeting must not hide the gap before. */
  #isClosed = true;
  /** When storing began to fail, and when the events that the platform has given up since were last fetched. */
  #refusal: { readonly at: number; soughtAt: number } | undefined;
  /** In order of arrival. */
  readonly #arriving = new Set<Arriving>();

  constructor(options: ReceptionOptions) {
    const { channel, host, former } = options;
    this.#options = options;
    this.#clock = host.clock;
    this.health = createHealth(channel, host);
    this.#gaps = new MissedMessages(options);
    this.#heardAt = former === undefined ? host.leftAt : former.storedUntil();
    this.#left = former?.missedSince();
  }

  /** Until when everything is stored, in ms since 1970. Undefined if nothing was ever received. */
  get heardAt(): number | undefined {
    return earliest(this.storedUntil(), this.missedSince());
  }

  /** The same, ignoring gaps. */
  storedUntil(): number | undefined {
    return earliest(this.#refusal?.at, this.#oldest?.at, this.#heardAt);
  }

  missedSince(): number | undefined {
    return earliest(this.#left, this.#gaps.since);
  }

  /** Number of unstored events. */
  get waiting(): number {
    return this.#arriving.size;
  }

  /** The failure while nothing can be stored. */
  get unstored(): InLanguage {
    const { platform } = this.#options;
    return (language) => kitWords[language].unstored({ platform });
  }

  /** Delivery has started: fetches what was missed before. */
  opened(): void {
    const before = earliest(this.#heardAt, this.#left);
    const isShort = !this.#isNew && this.#clock.now() - (before ?? 0) <= longestShortGap;
    this.#open();
    if (before !== undefined) this.#gaps.fill({ since: before, isShort });
  }

  /** Delivery continues, and everything meanwhile has been delivered. */
  resumed(): void {
    const since = this.#left;
    this.#open();
    if (since !== undefined) this.#gaps.fill({ since, isShort: false });
  }

  /** Delivery has ended. Signs of life do not count until it is opened again. */
  closed(): void {
    this.#isClosed = true;
  }

  /** The platform could deliver until `at`. While storing fails, also fetches, now and then, what it has given up. */
  heard(at = this.#clock.now()): void {
    if (!this.#isClosed) this.#heardAt = Math.max(at, this.#heardAt ?? at);
    const refusal = this.#refusal;
    if (refusal !== undefined && at - refusal.soughtAt > this.#keptFor) {
      refusal.soughtAt = at;
      this.missed(refusal.at);
    }
    this.#tellOpen();
  }

  /** Events since then may not have been delivered. */
  missed(since: number): void {
    this.#gaps.fill({ since, isShort: this.#clock.now() - since <= longestShortGap });
  }

  /** An event from then could not be stored. */
  refused(at = this.#clock.now()): void {
    const { signal } = this.#options;
    this.#refusal ??= { at, soughtAt: at };
    if (!signal.aborted) this.health.fail(this.unstored);
  }

  /**
   * Stores an event; `store` resolves with whether there was anything to store. Rejects if it does. After a long
   * failure to store, fetches what the platform has given up.
   */
  async take(store: () => Promise<boolean>): Promise<void> {
    const arrival = { at: this.#clock.now() };
    this.#arriving.add(arrival);
    try {
      if (!(await store())) return;
    } catch (error) {
      this.refused(arrival.at);
      throw error;
    } finally {
      this.#arriving.delete(arrival);
    }
    if (this.#refusal === undefined) return;
    const { at } = this.#refusal;
    this.#refusal = undefined;
    if (this.#clock.now() - at > this.#keptFor) this.missed(at);
    if (!this.#isClosed) this.#tellOpen();
  }

  get #keptFor(): number {
    return this.#options.keptFor ?? Number.POSITIVE_INFINITY;
  }

  get #oldest(): Arriving | undefined {
    return this.#arriving.values().next().value;
  }

  #open(): void {
    this.#isNew = false;
    this.#isClosed = false;
    this.#left = undefined;
    this.heard();
  }

  /** Reports nothing while an event is stuck: a silent channel is replaced. */
  #tellOpen(): void {
    const now = this.#clock.now();
    if (now - (this.#oldest?.at ?? now) > longestStoring) return;
    const { account } = this.#options;
    if (this.#refusal !== undefined) this.health.fail(this.unstored);
    else this.health.tell({ status: 'connected', account: account() });
  }
}

function earliest(...instants: readonly (number | undefined)[]): number | undefined {
  const known = instants.filter((instant) => instant !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
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
 * gaps noted meanwhile are for the next one, and cut the pause short. Stops when the signal aborts.
 */
class MissedMessages {
  readonly #options: ReceptionOptions;
  #open: Gap | undefined;
  #filling: Gap | undefined;
  #lookAgain = new AbortController();

  constructor(options: ReceptionOptions) {
    this.#options = options;
  }

  /** Since when messages may be missing, also after the signal aborts. Undefined if none are. */
  get since(): number | undefined {
    return earliest(this.#open?.since, this.#filling?.since);
  }

  fill(gap: Gap): void {
    this.#note(gap);
    this.#lookAgain.abort();
    if (this.#filling !== undefined) return;
    this.#options.background.run('what was said meanwhile could not be asked for', () => this.#lookBack());
  }

  #note({ since, isShort }: Gap): void {
    const { since: former = since, isShort: wasShort = true } = this.#open ?? {};
    this.#open = { since: Math.min(since, former), isShort: isShort && wasShort };
  }

  async #lookBack(): Promise<void> {
    const { host, look, signal } = this.#options;
    const { clock } = host;
    let failures = 0;
    try {
      for (let gap = this.#open; gap !== undefined && !signal.aborted; gap = this.#open) {
        this.#open = undefined;
        this.#filling = gap;
        const isWhole = await look({ ...gap, since: Math.max(gap.since - margin, clock.now() - furthest) });
        failures = isWhole ? 0 : failures + 1;
        if (isWhole || signal.aborted) continue;
        // The platform does not redeliver what `look` reads, so retrying is up to us.
        this.#lookAgain = new AbortController();
        await sleep(clock, backOff(failures, pauses), AbortSignal.any([signal, this.#lookAgain.signal]));
        this.#note(gap);
      }
    } finally {
      // Stopped early: the next session takes over the gap.
      if (!signal.aborted) this.#filling = undefined;
    }
  }
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
export class PatientReading {
  readonly #options: ReadingOptions;
  readonly #logged = new Set<string>();
  #isLacking = false;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  /** Whether something was unreadable that a later try may read. */
  get isLacking(): boolean {
    return this.#isLacking;
  }

  /** Undefined if it cannot be fetched. */
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
