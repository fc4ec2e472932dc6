import type { ChannelHost } from '../../../src/contract.ts';
import { type BackfillOptions, backfill, mostPlaces } from '../incoming/backfill.ts';
import type { DiscordIntake } from '../incoming/intake.ts';
import type { DiscordApi } from '../web-api/api.ts';
import type { Continuity } from './continuity.ts';

export interface MissedDependencies {
  readonly api: Pick<DiscordApi, 'call'>;
  readonly host: ChannelHost;
  readonly intake: Pick<DiscordIntake, 'take'>;
  readonly continuity: Continuity;
  readonly needsRoles: boolean;
  readonly signal: AbortSignal;
}

/** Looks for what was said while nobody listened: one time after the other, and each begins where it has to. */
export class Missed {
  readonly #dependencies: MissedDependencies;
  #looking: AbortController | undefined;

  constructor(dependencies: MissedDependencies) {
    this.#dependencies = dependencies;
  }

  /** Looks for what was said since then, in milliseconds since 1970. What is not found by now is looked for again. */
  async look(since: number): Promise<void> {
    this.#dependencies.continuity.missed(since);
    this.#looking?.abort();
    this.#looking = new AbortController();
    await this.#look(this.#looking);
  }

  /** Goes on with what a former session of the channel did not come to the end of. */
  async goOn(): Promise<void> {
    if (this.#looking !== undefined) return;
    this.#looking = new AbortController();
    await this.#look(this.#looking);
  }

  async #look(looking: AbortController): Promise<void> {
    const { host, intake, api, continuity, needsRoles } = this.#dependencies;
    const since = continuity.missedSince;
    if (since === undefined) return;
    const signal = AbortSignal.any([this.#dependencies.signal, looking.signal]);
    const places = await host.places(mostPlaces);
    const take: BackfillOptions['take'] = (event, data) => intake.take(event, data);
    await backfill({ since, places, take, api, needsRoles, signal, clock: host.clock, log: host.log });
    if (!signal.aborted) continuity.found();
  }
}
