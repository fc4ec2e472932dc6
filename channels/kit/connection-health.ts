import type { ChannelHealth, ChannelHost } from '../../src/contract.ts';
import { endsWithin, sleep } from '../../src/lib/clock.ts';

/** In a long pause it is said so often why nothing comes in, in milliseconds. */
const tellEvery = 30_000;
/** The same beside work, of which nobody knows how long it takes. */
const beat = 10_000;

/**
 * How a channel is connected, as it is told to the host. The reason of a failure is logged once, and told as often as it is
 * said. A channel that is shut out stays so.
 */
export function createHealth(channel: string, host: Pick<ChannelHost, 'reportHealth' | 'log' | 'clock'>) {
  const { clock, log } = host;
  let health: ChannelHealth = { status: 'connecting' };

  function tell(next: ChannelHealth): void {
    if (health.status === 'dead') return;
    health = next;
    host.reportHealth(next);
  }

  /** Says again why nothing comes in: who is silent is taken for deaf. That all is well is not said again without reason. */
  function repeat(): void {
    if (health.status !== 'connected') tell(health);
  }

  return {
    tell,
    repeat,

    fail(reason: string): void {
      const isNew = health.status !== 'failing' || health.reason !== reason;
      if (isNew) log.warn({ reason }, `${channel} does not receive`);
      tell({ status: 'failing', reason });
    },

    die: (reason: string): void => tell({ status: 'dead', reason }),

    /** Waits for the work, and says meanwhile again and again why nothing comes in. */
    async accompany<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
      const settled = Promise.allSettled([work]).then(() => {});
      while (!signal.aborted && !(await endsWithin(settled, { clock, milliseconds: beat, signal })))
        if (!signal.aborted) repeat();
      return work;
    },

    /** Waits, and says meanwhile again and again why nothing comes in. */
    async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
      for (let left = milliseconds; left > 0 && !signal.aborted; left -= tellEvery) {
        await sleep(clock, Math.min(left, tellEvery), signal);
        if (left > tellEvery && !signal.aborted) repeat();
      }
    },
  };
}
