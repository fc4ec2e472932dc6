import type { ChannelHost, Conversation } from '../../src/contract.ts';
import { Background } from '../../src/lib/background.ts';
import { type Clock, sleep } from '../../src/lib/clock.ts';
import { Connection } from './connection/connection.ts';
import { type Gap, Reception } from './connection/reception.ts';
import { backfill } from './incoming/backfill.ts';
import { SlackIntake } from './incoming/intake.ts';
import type { Writer } from './incoming/last-writers.ts';
import type { ResponseUrls } from './outgoing/response-urls.ts';
import type { SlackSettings } from './settings.ts';
import { SlackApi } from './web-api/api.ts';
import type { Workspaces } from './workspaces.ts';

export interface SessionDependencies {
  readonly settings: SlackSettings;
  readonly host: ChannelHost;
  readonly workspaces: Workspaces;
  readonly responseUrls: ResponseUrls;
  /** Until when a former session, or a former process, has heard Slack. Left undefined where none has. */
  readonly heardAt: number | undefined;
}

/** In how many places it is looked for what was missed, the latest first. */
const mostPlaces = { short: 20, long: 200 } as const;

/** What was found and could not be stored is looked for again after so long, and ever more seldom, in milliseconds. */
const firstPause = 60_000;
const longestPause = 3_600_000;

/** From one start to the next stop: receives, and fetches what was missed. */
export class Session {
  readonly #dependencies: SessionDependencies;
  readonly #background: Background;
  readonly #intake: SlackIntake;
  readonly #reception: Reception;
  readonly #connection: Connection;
  readonly #ending = new AbortController();
  /** What was not looked for yet. */
  #gap: Gap | undefined;
  /** What is being looked for. */
  #filling: Gap | undefined;

  /** Begins to connect. */
  constructor(dependencies: SessionDependencies) {
    const { settings, host, workspaces, responseUrls, heardAt } = dependencies;
    this.#dependencies = dependencies;
    this.#background = new Background(host.log);
    this.#intake = new SlackIntake({ host, workspaces, settings, responseUrls, background: this.#background });
    this.#reception = new Reception({ clock: host.clock, onGap: (gap) => this.#fill(gap) }, heardAt);
    const { api_url: apiUrl, request_timeout_secs: requestTimeoutSecs } = settings;
    this.#connection = new Connection({
      ...{ settings, host, workspaces, reception: this.#reception },
      apiFor: (token) => new SlackApi({ token, apiUrl, requestTimeoutSecs, onShutOut: () => this.#connection.doubt() }),
      take: (body) => this.#intake.take(body),
    });
    this.#background.run('receiving has ended by a fault', () => this.#connection.run());
  }

  get clock(): Clock {
    return this.#dependencies.host.clock;
  }

  /** Until when Slack was surely heard: what is still to be looked for was not. */
  get heardAt(): number | undefined {
    const instants = [this.#reception.heardAt, this.#gap?.since, this.#filling?.since];
    const known = instants.filter((instant) => instant !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  /** Who has last said something to the bot there, if that is known. */
  lastWriter(conversation: Conversation): Writer | undefined {
    return this.#intake.lastWriter(conversation);
  }

  /** Resolves when nothing of it is left. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#connection.stop();
    await this.#background.settled();
  }

  /** One look at a time: what is missed meanwhile is looked for afterwards. */
  #fill(gap: Gap): void {
    this.#note(gap);
    if (this.#filling === undefined)
      this.#background.run('what was said meanwhile could not be asked for', () => this.#lookBack());
  }

  #note({ since, isShort }: Gap): void {
    const { since: former = since, isShort: wasShort = true } = this.#gap ?? {};
    this.#gap = { since: Math.min(since, former), isShort: isShort && wasShort };
  }

  async #lookBack(): Promise<void> {
    const { host, workspaces } = this.#dependencies;
    const { clock, log } = host;
    const { signal } = this.#ending;
    const take = (body: unknown): Promise<void> => this.#connection.take(body);
    let failures = 0;
    try {
      for (let gap = this.#gap; gap !== undefined && !signal.aborted; gap = this.#gap) {
        this.#gap = undefined;
        this.#filling = gap;
        const places = await host.places(gap.isShort ? mostPlaces.short : mostPlaces.long);
        const isWhole = await backfill({ since: gap.since, places, workspaces, take, signal, clock, log });
        failures = isWhole ? 0 : failures + 1;
        if (isWhole || signal.aborted) continue;
        // Slack does not deliver it again: what is brought as an event is its business, and this is ours.
        await sleep(clock, Math.min(firstPause * 2 ** Math.min(failures - 1, 6), longestPause), signal);
        this.#note(gap);
      }
    } finally {
      // Stopped halfway, it is left for the next session.
      if (!signal.aborted) this.#filling = undefined;
    }
  }
}
