import type { ChannelHost } from '../../src/contract.ts';
import { ConnectionHealth } from '../kit/connection-health.ts';
import type { Gap } from '../kit/missed.ts';

/** In milliseconds. */
const longestShortGap = 15_000;
/** Slack delivers an event again for so long, and gives it up then, in milliseconds. */
const slackPatience = 300_000;
/** What was delivered right before a gap may not have come through, in milliseconds. */
const margin = 60_000;
/** What has waited longer than this to be stored is stuck, in milliseconds; Slack has given up waiting for it. */
const longestStoring = 3_000;

/** What came in, while it is being stored. */
interface Arriving {
  readonly at: number;
}

/**
 * Knows until when everything that Slack had to say has surely come in, has it asked for where something may not have, and
 * tells the host how we are connected. A reason is logged once, and told as often as it is said.
 */
export class Reception {
  readonly health: ConnectionHealth;
  readonly #host: ChannelHost;
  readonly #account: () => string;
  readonly #onGap: (gap: Gap) => void;
  #heardAt: number | undefined;
  #isNew = true;
  /** Until it is opened: a sign of life in the same packet as the greeting must not hide what was missed before. */
  #isClosed = true;
  /** Since when nothing can be stored, and when what Slack has given up since then was last asked for. */
  #refused: { readonly at: number; soughtAt: number } | undefined;
  /** The oldest first. */
  readonly #arriving = new Set<Arriving>();

  /**
   * `account`: what we are connected as. `onGap` reads what was said meanwhile: it would have to wait until Slack delivers
   * again, a minute later or five. `heardAt`: until when a former session, or a former process, has listened. Undefined
   * where none has: nothing was missed.
   */
  constructor(host: ChannelHost, account: () => string, onGap: (gap: Gap) => void, heardAt: number | undefined) {
    this.#host = host;
    this.#account = account;
    this.#onGap = onGap;
    this.health = new ConnectionHealth('slack', host);
    this.#heardAt = heardAt;
  }

  get heardAt(): number | undefined {
    const instants = [this.#refused?.at, this.#oldest?.at, this.#heardAt].filter((instant) => instant !== undefined);
    return instants.length === 0 ? undefined : Math.min(...instants);
  }

  /**
   * Slack can deliver now, and could not before: there is a gap, unless it never could. It began with the last sign of life,
   * or with what was lost before.
   */
  opened(lostSince = Number.POSITIVE_INFINITY): void {
    const at = this.#now;
    const before = this.#heardAt && Math.min(this.#heardAt, lostSince);
    const wasNew = this.#isNew;
    this.#isNew = false;
    this.#isClosed = false;
    this.heard(at);
    if (before !== undefined) this.#seek(before, !wasNew && at - before <= longestShortGap);
  }

  /** Slack cannot deliver any more, until it is opened again, whatever signs of life there are. */
  closed(): void {
    this.#isClosed = true;
  }

  /**
   * Until this instant Slack could deliver. Says that all is well only if what came in was stored; while nothing can be
   * stored, what Slack has given up is asked for now and then.
   */
  heard(at: number): void {
    if (!this.#isClosed) this.#heardAt = Math.max(at, this.#heardAt ?? at);
    if (this.#refused !== undefined && at - this.#refused.soughtAt > slackPatience) {
      this.#refused.soughtAt = at;
      this.missed(this.#refused.at);
    }
    this.#tellOpen();
  }

  /** What Slack has sent since that instant may not have come in. */
  missed(since: number): void {
    this.#seek(since, this.#now - since <= longestShortGap);
  }

  /**
   * Has something stored that comes in; `store` gives whether there was anything to store. Throws what it throws. If storing
   * had been impossible for long, Slack has given some of what it had up.
   */
  async take(store: () => Promise<boolean>): Promise<void> {
    const arriving = { at: this.#now };
    this.#arriving.add(arriving);
    try {
      if (!(await store())) return;
    } catch (error) {
      this.#arriving.delete(arriving);
      this.#refused ??= { at: arriving.at, soughtAt: arriving.at };
      this.health.fail(unstoredWords);
      throw error;
    } finally {
      this.#arriving.delete(arriving);
    }
    const refused = this.#refused;
    if (refused === undefined) return;
    this.#refused = undefined;
    if (this.#now - refused.at > slackPatience) this.missed(refused.at);
    this.#tellOpen();
  }

  /** Nothing comes in now. Says again why, as far as that is known. */
  repeat(): void {
    if (this.health.isConnected) this.health.fail('No socket to Slack is open.');
    else this.health.repeat();
  }

  get #now(): number {
    return this.#host.clock.now();
  }

  get #oldest(): Arriving | undefined {
    return this.#arriving.values().next().value;
  }

  #seek(since: number, isShort: boolean): void {
    this.#onGap({ since: since - margin, isShort });
  }

  /** Where something waits too long to be stored, nothing is said: a silent channel is replaced. */
  #tellOpen(): void {
    const oldest = this.#oldest;
    if (oldest !== undefined && this.#now - oldest.at > longestStoring) return;
    if (this.#refused !== undefined) this.health.fail(unstoredWords);
    else this.health.tell({ status: 'connected', account: this.#account() });
  }
}

const unstoredWords = 'What Slack delivers cannot be stored. Slack delivers it again; the log says what is wrong.';
