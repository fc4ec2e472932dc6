import type { Clock } from '../../../src/lib/clock.ts';

export interface ReceptionDependencies {
  readonly clock: Clock;
  /** Reads what was said meanwhile: who was not heard would have to wait until Slack delivers again, a minute later or five. */
  readonly onGap: (gap: Gap) => void;
}

/** A time in which something was said that has not come in. */
export interface Gap {
  /** When it began, at the earliest, in milliseconds since 1970. */
  readonly since: number;
  /** So short that it concerns only who was talking just then. */
  readonly isShort: boolean;
}

/** In milliseconds. */
const longestShortGap = 15_000;
/** Slack delivers an event again for so long, and gives it up then, in milliseconds. */
const slackPatience = 300_000;
/** What was delivered right before a gap may not have come through, in milliseconds. */
const margin = 60_000;
/** What has waited longer than this to be stored is stuck, in milliseconds; Slack has given up waiting for it. */
const longestStoring = 3_000;

/** What came in, while it is being stored. */
export interface Arriving {
  readonly at: number;
}

/** Knows until when everything that Slack had to say has surely come in, and says so when something may not have. */
export class Reception {
  readonly #dependencies: ReceptionDependencies;
  /** Undefined where nothing has ever come in, so that nothing was missed. */
  #heardAt: number | undefined;
  #isNew = true;
  #isClosed = false;
  /** Since when nothing can be stored, and when what Slack has given up since then was last asked for. */
  #refused: { readonly at: number; soughtAt: number } | undefined;
  /** The oldest first. */
  readonly #arriving = new Set<Arriving>();

  /** `heardAt`: until when a former session, or a former process, has listened. */
  constructor(dependencies: ReceptionDependencies, heardAt: number | undefined) {
    this.#dependencies = dependencies;
    this.#heardAt = heardAt;
  }

  get heardAt(): number | undefined {
    const { value: oldest } = this.#arriving.values().next();
    const instants = [this.#refused?.at, oldest?.at, this.#heardAt].filter((instant) => instant !== undefined);
    return instants.length === 0 ? undefined : Math.min(...instants);
  }

  /** The last that came in could not be stored. */
  get isRefusing(): boolean {
    return this.#refused !== undefined;
  }

  /** Something that came in waits to be stored, and waits too long. */
  get isStuck(): boolean {
    const { value: oldest } = this.#arriving.values().next();
    return oldest !== undefined && this.#dependencies.clock.now() - oldest.at > longestStoring;
  }

  /** From this instant on Slack can deliver, which it could not before: there is a gap, unless it never could. */
  opened(at: number): void {
    const before = this.#heardAt;
    const wasNew = this.#isNew;
    this.#isNew = false;
    this.#isClosed = false;
    this.heard(at);
    if (before !== undefined) this.#seek(before, !wasNew && at - before <= longestShortGap);
  }

  /** From now on Slack cannot deliver, until `opened` is called, whatever signs of life there are. */
  closed(): void {
    this.#isClosed = true;
  }

  /** Until this instant Slack could deliver. While nothing can be stored, what it has given up is asked for now and then. */
  heard(at: number): void {
    if (!this.#isClosed) this.#heardAt = Math.max(at, this.#heardAt ?? at);
    if (this.#refused === undefined || at - this.#refused.soughtAt <= slackPatience) return;
    this.#refused.soughtAt = at;
    this.missed(this.#refused.at);
  }

  /** What Slack has sent since that instant may not have come in. */
  missed(since: number): void {
    this.#seek(since, false);
  }

  /** Something comes in. Must be followed by one of `stored`, `refused` and `ignored` with what this gives. */
  begin(): Arriving {
    const arriving = { at: this.#dependencies.clock.now() };
    this.#arriving.add(arriving);
    return arriving;
  }

  /** There was nothing to store in it. */
  ignored(arriving: Arriving): void {
    this.#arriving.delete(arriving);
  }

  /** It could not be stored. */
  refused(arriving: Arriving): void {
    this.#arriving.delete(arriving);
    this.#refused ??= { at: arriving.at, soughtAt: arriving.at };
  }

  /** It was stored. If that had been impossible for long, Slack has given some of it up. */
  stored(arriving: Arriving): void {
    const { clock } = this.#dependencies;
    this.#arriving.delete(arriving);
    const refused = this.#refused;
    this.#refused = undefined;
    if (refused !== undefined && clock.now() - refused.at > slackPatience) this.missed(refused.at);
  }

  #seek(since: number, isShort: boolean): void {
    this.#dependencies.onGap({ since: since - margin, isShort });
  }
}
