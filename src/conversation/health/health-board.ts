import type { ChannelHealth } from '../../contract.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { noRedaction, type Redactor } from '../../tools/guard/redact/redact.ts';

export interface ChannelState {
  readonly name: string;
  readonly health: ChannelHealth;
  /** When it came to be so. */
  readonly since: number;
  /** When that was last said. */
  readonly heardAt: number;
  /** When it is tried again, where the platform has refused it. */
  readonly retryAt?: number;
}

/** The longest pause until a channel is tried again that its platform has refused, in milliseconds. */
export const longestRetryPause = 900_000;

interface BoardParts {
  readonly clock: Clock;
  readonly log: Log;
  /** A platform's own words may repeat what it was sent. */
  readonly redact?: Redactor;
}

export type HealthBoard = ReturnType<typeof createHealthBoard>;

/** How each channel's connection is, as it reports it itself: `connected` means that the last receive succeeded. */
export function createHealthBoard({ clock, log, redact = noRedaction }: BoardParts) {
  const states = new Map<string, ChannelState>();
  /** Who waits for all channels to be connected. */
  const waiting: (() => void)[] = [];

  function areSettled(): boolean {
    return [...states.values()].every(({ health: { status } }) => status === 'connected' || status === 'dead');
  }

  function note(name: string, health: ChannelHealth, before: ChannelState | undefined): void {
    const former =
      before === undefined ? {} : { before: before.health.status, beforeSince: new Date(before.since).toISOString() };
    const level = health.status === 'failing' || health.status === 'dead' ? 'warn' : 'info';
    log[level]({ channel: name, ...health, ...former }, `channel ${health.status}`);
  }

  return {
    report(name: string, reported: ChannelHealth, retryAt?: number): void {
      const health = 'reason' in reported ? { ...reported, reason: redact(reported.reason) } : reported;
      const before = states.get(name);
      const now = clock.now();
      const since = before?.health.status === health.status ? before.since : now;
      states.set(name, { name, health, since, heardAt: now, retryAt });
      if (JSON.stringify(before?.health) === JSON.stringify(health)) return;
      note(name, health, before);
      if (areSettled()) for (const resolve of waiting.splice(0)) resolve();
    },

    /** The clock was set back: nothing was later than now, and nothing is tried again later than it would be. */
    clockSet(): void {
      const now = clock.now();
      for (const [name, state] of states) {
        const { retryAt } = state;
        const [since, heardAt] = [Math.min(state.since, now), Math.min(state.heardAt, now)];
        states.set(name, { ...state, since, heardAt, retryAt: retryAt && Math.min(retryAt, now + longestRetryPause) });
      }
    },

    /** The channel runs no more, because nobody wants it to. */
    forget: (name: string): void => void states.delete(name),

    all: (): readonly ChannelState[] => [...states.values()],

    of: (name: string): ChannelState | undefined => states.get(name),

    /** Resolves once all channels are connected that can be: it may never come to that. */
    whenConnected(): Promise<void> {
      if (areSettled()) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}
