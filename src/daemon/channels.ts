import type { Config } from '../config/schema.ts';
import type { ChannelAdapter, ChannelHealth, ChannelHost } from '../contract.ts';
import { ChannelTroubles, ChannelWatch } from '../conversation/health/channel-watch.ts';
import type { InboxStore } from '../conversation/inbox.ts';
import type { Intake } from '../engine/receive.ts';
import type { Delivery } from '../engine/send.ts';
import type { RunQueue } from '../engine/wake.ts';
import { redactedAdapter } from '../tools/guard/redact/redacted-adapter.ts';
import { ownerNotices } from './owner-notices.ts';
import type { Services } from './parts.ts';
import { enabledChannels } from './settings.ts';

export interface ChannelsDependencies {
  readonly services: Services;
  /** Those that run, as all parts see them: channels from elsewhere come and go. */
  readonly adapters: Map<string, ChannelAdapter>;
  readonly host: HostParts;
}

/** Channels of Keyturn's own that an edit of the config has changed. */
export interface ChannelEdit {
  /** Their settings are others, or they were switched on. */
  readonly made: ReadonlyMap<string, ChannelAdapter>;
  readonly gone: readonly string[];
}

/** The channels that run. When the input of all has ended, the process may. */
export class Channels {
  readonly #dependencies: ChannelsDependencies;
  readonly #watch: ChannelWatch;
  /** Those whose input has not ended, or that may still come. */
  readonly #listening: Set<string>;

  constructor(dependencies: ChannelsDependencies) {
    this.#dependencies = dependencies;
    const { services, adapters, host } = dependencies;
    const { health, clock, log, config } = services;
    this.#listening = new Set([...adapters.keys(), ...pluggedChannels(config)]);
    const ended = (name: string): void => this.#ended(name);
    const reportHealth = (name: string, reported: ChannelHealth): void => this.#watch.heard(name, reported);
    this.#watch = new ChannelWatch({
      adapters,
      health,
      troubles: new ChannelTroubles(ownerNotices(services), clock),
      hostOf: (channel, over) => channelHost(channel, { ...services, ...host, reportHealth, ended }, over),
      allRefused: services.stopRequested,
      clock,
      log,
    });
  }

  /** Connects them, one after the other. Throws what an adapter throws. */
  async start(): Promise<void> {
    const { services, adapters } = this.#dependencies;
    // Known from the first instant on, if not yet there.
    for (const name of pluggedChannels(services.config)) services.health.report(name, { status: 'connecting' });
    for (const [name, adapter] of adapters) {
      await this.#watch.start(name);
      await this.#showCards(name, adapter);
    }
  }

  plugged(): readonly string[] {
    return pluggedChannels(this.#dependencies.services.config);
  }

  /** From now on, those that fall silent are noticed. */
  watch(): void {
    this.#watch.begin();
  }

  /** The clock was set back. */
  clockSet(): void {
    this.#watch.clockSet();
  }

  /** Stops all, in little more than 3 s. */
  stop(): Promise<void> {
    return this.#watch.stop();
  }

  /** Has one more channel run, and shows there what has waited. Rejects with what its start throws; then it does not run. */
  async attach(name: string, adapter: ChannelAdapter): Promise<void> {
    try {
      await this.#run(name, adapter);
    } catch (error) {
      await this.detach(name);
      throw error;
    }
  }

  /** Ends a channel. What was to be shown there is kept. */
  async detach(name: string): Promise<void> {
    this.#dependencies.adapters.delete(name);
    await this.#watch.remove(name);
  }

  /**
   * From now on, those that were `made` run, each in place of the one of its name, and those that are `gone` no more. One
   * that can't be started counts as refused by its platform: it is tried again. All others run on.
   */
  async edited({ made, gone }: ChannelEdit): Promise<void> {
    const { health, log } = this.#dependencies.services;
    const end = async (name: string): Promise<void> => {
      await this.detach(name);
      health.forget(name);
      this.#listening.delete(name);
    };
    const swap = async (name: string, adapter: ChannelAdapter): Promise<void> => {
      await this.detach(name);
      this.#listening.add(name);
      await this.#run(name, adapter).catch((err: unknown) => {
        log.error({ channel: name, err }, 'a channel could not be started after an edit of the config');
        this.#watch.heard(name, { status: 'dead', reason: err instanceof Error ? err.message : String(err) });
      });
    };
    await Promise.all([...gone.map(end), ...[...made].map(([name, adapter]) => swap(name, adapter))]);
  }

  async #run(name: string, unguarded: ChannelAdapter): Promise<void> {
    const { services, adapters } = this.#dependencies;
    const adapter = redactedAdapter(unguarded, services.redact);
    adapters.set(name, adapter);
    await this.#watch.add(name, adapter);
    await this.#showCards(name, adapter);
    services.deliver(await services.store.outbox.undelivered(name));
  }

  async #showCards(name: string, { capabilities }: ChannelAdapter): Promise<void> {
    const { deliver, store } = this.#dependencies.services;
    if (!capabilities.history) deliver(await store.outbox.showCardsAgain(name));
  }

  #ended(name: string): void {
    this.#listening.delete(name);
    if (this.#listening.size === 0) this.#dependencies.services.stopRequested();
  }
}

/** The names of the channels from elsewhere that are switched on. */
function pluggedChannels(config: Config): readonly string[] {
  const plugins = Object.keys(config.channel_plugins);
  if (plugins.length === 0) return [];
  const enabled = enabledChannels(config);
  return plugins.filter((name) => enabled.has(name));
}

/** What channels reach in Keyturn. */
interface HostParts {
  readonly intake: Intake;
  readonly queue: RunQueue;
  readonly delivery: Delivery;
  readonly inbox: Pick<InboxStore, 'latestPlaces'>;
  /** Until when former processes have heard all that was said on the channel, if there were any. */
  readonly leftAt: (channel: string) => number | undefined;
}

interface HostDependencies extends HostParts, Pick<Services, 'health' | 'clock' | 'log' | 'stopRequested'> {
  readonly reportHealth: (channel: string, reported: ChannelHealth) => void;
  /** A channel's input has ended. */
  readonly ended: (channel: string) => void;
}

/**
 * What Keyturn is to one session of the channel of this name. Once the session is over, by the signal, nothing is taken
 * from it any more: what it receives is refused, so that the platform delivers it again, and what it reports is ignored.
 */
function channelHost(channel: string, dependencies: HostDependencies, over: AbortSignal): ChannelHost {
  const { intake, queue, delivery, health, inbox, clock, log, reportHealth, ended, stopRequested } = dependencies;
  const leftAt = dependencies.leftAt(channel);
  return {
    async receive(event) {
      refuseIf(over);
      return intake.receive(event, channel);
    },
    async moved(from, chatId) {
      refuseIf(over);
      await intake.moved(from, chatId);
    },
    places: (most) => inbox.latestPlaces(channel, most),
    leftAt,
    whenIdle: async (conversation) => {
      if (over.aborted) return;
      const id = intake.idOf(conversation);
      do {
        await queue.whenIdle(id);
        await delivery.whenIdle(id);
      } while (!over.aborted && (queue.isBusy(id) || delivery.isBusy(id)));
    },
    reportHealth(reported) {
      if (over.aborted) return;
      const isBack = reported.status === 'connected' && health.of(channel)?.health.status !== 'connected';
      reportHealth(channel, reported);
      if (isBack) delivery.revive(channel);
    },
    reportEnd() {
      if (!over.aborted) ended(channel);
    },
    requestStop() {
      if (!over.aborted) stopRequested();
    },
    log: log.child({ channel }),
    clock,
  };
}

function refuseIf(over: AbortSignal): void {
  if (over.aborted) throw new Error('This session of the channel is over: another one receives in its place.');
}
