import type { ChannelHost } from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Delivery } from './delivery.ts';
import type { HealthBoard } from './health-board.ts';
import type { Intake } from './intake.ts';
import type { RunQueue } from './run-queue.ts';

export interface HostDependencies {
  readonly intake: Intake;
  readonly queue: RunQueue;
  readonly delivery: Delivery;
  readonly health: HealthBoard;
  readonly clock: Clock;
  readonly log: Log;
  /** A channel's input has ended. */
  readonly ended: (channel: string) => void;
  /** A person wants the process to end. */
  readonly stopRequested: () => void;
}

/** What Keyturn is to the channel of this name. */
export function channelHost(channel: string, dependencies: HostDependencies): ChannelHost {
  const { intake, queue, delivery, health, clock, log, ended, stopRequested } = dependencies;
  return {
    receive: (event) => intake.receive(event),
    moved: (from, chatId) => intake.moved(from, chatId),
    whenIdle: async (conversation) => {
      const id = intake.idOf(conversation);
      do {
        await queue.whenIdle(id);
        await delivery.whenIdle(id);
      } while (queue.isBusy(id) || delivery.isBusy(id));
    },
    reportHealth: (reported) => health.report(channel, reported),
    reportEnd: () => ended(channel),
    requestStop: stopRequested,
    log: log.child({ channel }),
    clock,
  };
}
