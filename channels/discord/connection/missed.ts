import type { ChannelHost } from '../../../src/contract.ts';
import { backfill } from '../incoming/backfill.ts';
import type { DiscordIntake } from '../incoming/intake.ts';
import type { DiscordApi } from '../web-api/api.ts';

export interface MissedDependencies {
  readonly api: Pick<DiscordApi, 'call'>;
  readonly host: ChannelHost;
  readonly intake: Pick<DiscordIntake, 'take'>;
  readonly needsRoles: boolean;
  readonly signal: AbortSignal;
}

const mostPlaces = 200;

/** Looks for what was said while nobody listened: one time after the other, and each begins where it has to. */
export class Missed {
  readonly #dependencies: MissedDependencies;
  /** Since when something may have been missed that nobody has looked for to the end. */
  #since: number | undefined;
  #superseded = new AbortController();

  constructor(dependencies: MissedDependencies) {
    this.#dependencies = dependencies;
  }

  /** Looks for what was said since then, in milliseconds since 1970. What is not found by now is looked for again. */
  async look(since: number): Promise<void> {
    const { host, intake, api, needsRoles, signal } = this.#dependencies;
    this.#superseded.abort();
    const superseded = new AbortController();
    this.#superseded = superseded;
    this.#since = Math.min(since, this.#since ?? since);
    await backfill({
      since: this.#since,
      places: await host.places(mostPlaces),
      take: (event, data) => intake.take(event, data),
      api,
      needsRoles,
      signal: AbortSignal.any([signal, superseded.signal]),
      clock: host.clock,
      log: host.log,
    });
    if (!superseded.signal.aborted) this.#since = undefined;
  }
}
