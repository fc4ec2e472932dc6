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
/** More webhooks, of both kinds, than anybody configures. */
const most = 2_000;

/** `new`: what is not known yet · `idle`: what changes nothing. */
type Kind = 'new' | 'idle';

/** Counts deliveries and refusals by webhook, in memory only. */
export function createTally({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
  const times = new Remembered<string, readonly number[]>(most);
  const refusals = new Remembered<string, Refusals>(most);
  return {
    /** Counts a delivery. If there were `limit` of its kind in the last minute, it is not counted: how long to wait, in ms. */
    take(name: string, kind: Kind, limit: number): number {
      const now = clock.now();
      const key = `${kind} ${name}`;
      // If the clock was set back, it starts over.
      const counted = (times.get(key) ?? []).filter((at) => at <= now && now < at + minute);
      const oldest = counted.at(-limit);
      if (oldest !== undefined) return oldest + minute - now;
      times.set(key, [...counted, now]);
      return 0;
    },
    /** The newest one that was counted as new was not. */
    giveBack(name: string): void {
      const key: `${Kind} ${string}` = `new ${name}`;
      times.set(key, (times.get(key) ?? []).slice(0, -1));
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
