import type { Clock } from '../../src/lib/clock.ts';

export interface ReceptionDependencies {
  readonly clock: Clock;
  /** Reads what was said since that instant, in milliseconds since 1970. */
  readonly onGap: (since: number) => void;
}

/** Slack delivers an event again for so long, and gives it up then, in milliseconds. */
const slackPatience = 300_000;
/** What was delivered right before a gap may not have come through, in milliseconds. */
const margin = 60_000;

/** Knows until when everything that Slack had to say has surely come in, and says so when something may not have. */
export class Reception {
  readonly #dependencies: ReceptionDependencies;
  /** Undefined where nothing has ever come in, so that nothing was missed. */
  #heardAt: number | undefined;
  #isNew = true;
  #refusedAt: number | undefined;

  /** `heardAt`: until when a former session, or a former process, has listened. */
  constructor(dependencies: ReceptionDependencies, heardAt: number | undefined) {
    this.#dependencies = dependencies;
    this.#heardAt = heardAt;
  }

  get heardAt(): number | undefined {
    return this.#refusedAt ?? this.#heardAt;
  }

  /** Until this instant Slack could deliver. The first time, and after more time than Slack tries for, there is a gap. */
  heard(at: number): void {
    const before = this.#heardAt;
    const wasNew = this.#isNew;
    this.#isNew = false;
    this.#heardAt = Math.max(at, before ?? at);
    if (before !== undefined && (wasNew || at - before > slackPatience)) this.#dependencies.onGap(before - margin);
  }

  /** Something that came in could not be stored. */
  refused(): void {
    this.#refusedAt ??= this.#dependencies.clock.now();
  }

  /** Something that came in was stored. If that had been impossible for long, Slack has given some of it up. */
  stored(): void {
    const { clock, onGap } = this.#dependencies;
    if (this.#refusedAt === undefined) return;
    const refusedAt = this.#refusedAt;
    this.#refusedAt = undefined;
    if (clock.now() - refusedAt > slackPatience) onGap(refusedAt - margin);
  }
}
