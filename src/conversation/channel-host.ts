import type { ChannelHealth, ChannelHost } from '../contract.ts';
import type { Intake } from '../engine/receive.ts';
import type { Delivery } from '../engine/send.ts';
import type { RunQueue } from '../engine/wake.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { HealthBoard } from './health/health-board.ts';
import type { InboxStore } from './inbox.ts';

/** What a channel has to show when it begins. */
export interface ChannelMessages {
  /** The conversations of a channel with messages that are not shown as they should be. */
  undelivered(channel: string): Promise<readonly string[]>;
  /** Shows the open cards of a channel once more, where people can't see what was shown before the restart. */
  showCardsAgain(channel: string): Promise<readonly string[]>;
}

export interface HostDependencies {
  readonly intake: Intake;
  readonly queue: RunQueue;
  readonly delivery: Delivery;
  readonly health: Pick<HealthBoard, 'of'>;
  readonly inbox: Pick<InboxStore, 'latestPlaces'>;
  /** Until when former processes have heard all that was said on the channel, if there were any. */
  readonly leftAt: (channel: string) => number | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly reportHealth: (channel: string, reported: ChannelHealth) => void;
  /** A channel's input has ended. */
  readonly ended: (channel: string) => void;
  /** A person wants the process to end. */
  readonly stopRequested: () => void;
}

/**
 * What Keyturn is to one session of the channel of this name. Once the session is over, by the signal, nothing is taken
 * from it any more: what it receives is refused, so that the platform delivers it again, and what it reports is ignored.
 */
export function channelHost(channel: string, dependencies: HostDependencies, over: AbortSignal): ChannelHost {
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
