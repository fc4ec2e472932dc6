import type { ChannelHealth } from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

export interface ChannelState {
  readonly name: string;
  readonly health: ChannelHealth;
  /** When it came to be so. */
  readonly since: number;
}

/** How each channel's connection is, as it reports it itself: `connected` means that the last receive succeeded. */
export class HealthBoard {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #states = new Map<string, ChannelState>();

  constructor(dependencies: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = dependencies.clock;
    this.#log = dependencies.log;
  }

  report(name: string, health: ChannelHealth): void {
    const before = this.#states.get(name)?.health;
    if (JSON.stringify(before) === JSON.stringify(health)) return;
    const since = before?.status === health.status ? this.#states.get(name)?.since : undefined;
    this.#states.set(name, { name, health, since: since ?? this.#clock.now() });
    const level = health.status === 'failing' || health.status === 'dead' ? 'warn' : 'info';
    this.#log[level]({ channel: name, ...health }, `channel ${health.status}`);
  }

  all(): readonly ChannelState[] {
    return [...this.#states.values()];
  }
}
