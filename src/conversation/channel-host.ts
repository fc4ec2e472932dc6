import type { ChannelHost } from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Delivery } from './delivery/delivery.ts';
import type { HealthBoard } from './health/health-board.ts';
import type { InboxStore } from './inbox.ts';
import type { Intake } from './intake.ts';
import type { RunQueue } from './run-queue.ts';

export interface HostDependencies {
  readonly intake: Intake;
  readonly queue: RunQueue;
  readonly delivery: Delivery;
  readonly health: HealthBoard;
  readonly inbox: Pick<InboxStore, 'latestPlaces'>;
  /** Until when former processes have heard all that was said on the channel, if there were any. */
  readonly leftAt: (channel: string) => number | undefined;
  readonly clock: Clock;
  readonly log: Log;
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
  const { intake, queue, delivery, health, inbox, clock, log, ended, stopRequested } = dependencies;
  const leftAt = dependencies.leftAt(channel);
  return {
    async receive(event) {
      refuseIf(over);
      return intake.receive(event);
    },
    async moved(from, chatId) {
      refuseIf(over);
      await intake.moved(from, chatId);
    },
    places: (most) => inbox.latestPlaces(channel, most),
    ...(leftAt === undefined ? {} : { leftAt }),
    whenIdle: async (conversation) => {
      const id = intake.idOf(conversation);
      do {
        await queue.whenIdle(id);
        await delivery.whenIdle(id);
      } while (queue.isBusy(id) || delivery.isBusy(id));
    },
    reportHealth(reported) {
      if (!over.aborted) health.report(channel, reported);
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
