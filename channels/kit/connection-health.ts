import type { ChannelHealth, ChannelHost } from '../../src/contract.ts';
import { endsWithin, sleep } from '../../src/lib/clock.ts';

/** How often the failure is reported during a long pause, in ms. */
const tellEvery = 30_000;
/** The same during work of unknown length, in ms. */
const beat = 10_000;

/** Reports a channel's health. A failure's reason is logged once, but reported each time. `dead` is final. */
export function createHealth(channel: string, host: Pick<ChannelHost, 'reportHealth' | 'log' | 'clock'>) {
  const { clock, log } = host;
  let health: ChannelHealth = { status: 'connecting' };

  function tell(next: ChannelHealth): void {
    if (health.status === 'dead') return;
    health = next;
    host.reportHealth(next);
  }

  /** Reports a failure again: a silent channel counts as deaf. Does not repeat `connected`. */
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

    /** Waits for the work and keeps reporting. */
    async accompany<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
      const settled = Promise.allSettled([work]);
      while (!signal.aborted && !(await endsWithin(settled, { clock, milliseconds: beat, signal })))
        if (!signal.aborted) repeat();
      return work;
    },

    /** Waits and keeps reporting. */
    async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
      for (let left = milliseconds; left > 0 && !signal.aborted; left -= tellEvery) {
        await sleep(clock, Math.min(left, tellEvery), signal);
        if (left > tellEvery && !signal.aborted) repeat();
      }
    },
  };
}
