import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Remembered } from '../../lib/remembered.ts';

/** What was refused since the start. */
export interface Refusals {
  readonly count: number;
  /** Of the last one. */
  readonly why: string;
  readonly at: number;
}

export type Tally = ReturnType<typeof createTally>;

const minute = 60_000;
/** More webhooks than anybody configures. */
const most = 1_000;

/** Counts deliveries and refusals by webhook, in memory only. */
export function createTally({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
  const times = new Remembered<string, readonly number[]>(most);
  const refusals = new Remembered<string, Refusals>(most);
  return {
    /** Counts a delivery. If there were `limit` in the last minute, it is not counted: how long to wait, in ms. */
    take(name: string, limit: number): number {
      const now = clock.now();
      // If the clock was set back, it starts over.
      const counted = (times.get(name) ?? []).filter((at) => at <= now && now < at + minute);
      const oldest = counted.at(-limit);
      if (oldest !== undefined) return oldest + minute - now;
      times.set(name, [...counted, now]);
      return 0;
    },
    /** Logged once in a minute: anybody can be refused as often as they like. */
    refused(name: string, why: string): void {
      const now = clock.now();
      const before = refusals.get(name);
      refusals.set(name, { count: (before?.count ?? 0) + 1, why, at: now });
      if (before === undefined || before.why !== why || Math.abs(now - before.at) >= minute)
        log.warn({ webhook: name, reason: why }, 'a call of a webhook was refused');
    },
    refusalsOf: (name: string): Refusals | undefined => refusals.get(name),
  };
}
