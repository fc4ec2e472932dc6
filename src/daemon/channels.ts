import type { Config } from '../config/schema.ts';
import type { ChannelAdapter, ChannelHost } from '../contract.ts';
import { createChannelWatch } from '../conversation/health/channel-watch.ts';
import type { Intake } from '../engine/receive.ts';
import type { Delivery } from '../engine/send.ts';
import type { RunQueue } from '../engine/wake.ts';
import { redactedAdapter } from '../tools/guard/redact/redacted-output.ts';
import { ownerNotices } from './owner-notices.ts';
import type { Services } from './parts.ts';
import { enabledChannels } from './settings.ts';

/** Channels of Keyturn's own that an edit of the config changes. */
export interface ChannelEdit {
  /** New or changed channels. */
  readonly made: ReadonlyMap<string, ChannelAdapter>;
  readonly gone: readonly string[];
}

/** The parts that channels reach. */
interface HostParts {
  readonly intake: Intake;
  readonly queue: RunQueue;
  readonly delivery: Delivery;
  /** Until when earlier processes received everything on the channel; undefined if there were none. */
  readonly leftAt: (channel: string) => number | undefined;
}

/**
 * Runs the channels. `adapters` is shared with all parts, since channels come and go. When the input of all channels
 * has ended, requests the end of the process.
 */
export function createChannels(services: Services, adapters: Map<string, ChannelAdapter>, parts: HostParts) {
  const { config, health, store, clock, log, deliver, stopRequested } = services;
  const { intake, queue, delivery } = parts;
  const plugged = (): readonly string[] => pluggedChannels(config);
  /** Channels whose input has not ended, or that may still be plugged in. */
  const listening = new Set([...adapters.keys(), ...plugged()]);
  const watch = createChannelWatch({
    adapters,
    health,
    tellOwners: ownerNotices(services),
    hostOf,
    allRefused: stopRequested,
    clock,
    log,
  });

  /** Connects them, one after the other. Throws errors of adapters. */
  async function start(): Promise<void> {
    // Listed from the start, even before they are plugged in.
    for (const name of plugged()) health.report(name, { status: 'connecting' });
    for (const [name, adapter] of adapters) {
      await watch.start(name);
      await showCards(name, adapter);
    }
  }

  /** Adds a channel, and delivers what has waited for it. Rejects if it cannot start, and removes it. */
  async function attach(name: string, adapter: ChannelAdapter): Promise<void> {
    try {
      await run(name, adapter);
    } catch (error) {
      await detach(name);
      throw error;
    }
  }

  /** Removes a channel. Messages for it are kept. */
  async function detach(name: string): Promise<void> {
    adapters.delete(name);
    await watch.remove(name);
  }

  /**
   * Replaces the channels in `made` and ends those in `gone`; all others run on. A channel that cannot start counts as
   * refused by its platform, and is retried.
   */
  async function edited({ made, gone }: ChannelEdit): Promise<void> {
    const end = async (name: string): Promise<void> => {
      await detach(name);
      health.forget(name);
      listening.delete(name);
    };
    const swap = async (name: string, adapter: ChannelAdapter): Promise<void> => {
      await detach(name);
      listening.add(name);
      await run(name, adapter).catch((err: unknown) => {
        log.error({ channel: name, err }, 'a channel could not be started after an edit of the config');
        watch.heard(name, { status: 'dead', reason: err instanceof Error ? err.message : String(err) });
      });
    };
    await Promise.all([...gone.map(end), ...[...made].map(([name, adapter]) => swap(name, adapter))]);
  }

  async function run(name: string, unguarded: ChannelAdapter): Promise<void> {
    const adapter = redactedAdapter(unguarded, services.redact);
    adapters.set(name, adapter);
    await watch.add(name, adapter);
    await showCards(name, adapter);
    deliver(await store.outbox.undelivered(name));
  }

  async function showCards(name: string, { capabilities }: ChannelAdapter): Promise<void> {
    if (!capabilities.history) deliver(await store.outbox.showCardsAgain(name));
  }

  /**
   * The host for one session of a channel. Once the session is over (`over` aborts), `receive` rejects, so that the
   * platform delivers the event again, and its reports are ignored.
   */
  function hostOf(channel: string, over: AbortSignal): ChannelHost {
    return {
      async receive(event) {
        refuseIf(over);
        return intake.receive(event, channel);
      },
      async moved(from, chatId) {
        refuseIf(over);
        await intake.moved(from, chatId);
      },
      places: (most) => store.inbox.latestPlaces(channel, most),
      leftAt: parts.leftAt(channel),
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
        watch.heard(channel, reported);
        if (isBack) delivery.revive(channel);
      },
      reportEnd() {
        if (over.aborted) return;
        listening.delete(channel);
        if (listening.size === 0) stopRequested();
      },
      requestStop() {
        if (!over.aborted) stopRequested();
      },
      log: log.child({ channel }),
      clock,
    };
  }

  return {
    start,
    plugged,
    /** Starts noticing channels that fall silent. */
    watch: () => watch.begin(),
    /** The clock was set back. */
    clockSet: () => watch.clockSet(),
    /** Stops all channels, in little more than 3 s. */
    stop: () => watch.stop(),
    attach,
    detach,
    edited,
  };
}

/** The names of the enabled channels from plugins. */
function pluggedChannels(config: Config): readonly string[] {
  const plugins = Object.keys(config.channel_plugins);
  if (plugins.length === 0) return [];
  const enabled = enabledChannels(config);
  return plugins.filter((name) => enabled.has(name));
}

function refuseIf(over: AbortSignal): void {
  if (over.aborted) throw new Error('This session of the channel is over: another one receives in its place.');
}
