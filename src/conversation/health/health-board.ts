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

/** How each channel's connection is, as it reports it itself: `connected` means that the last receive succeeded. */
export class HealthBoard {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #redact: Redactor;
  readonly #states = new Map<string, ChannelState>();
  /** Who waits for all channels to be connected. */
  #waiting: (() => void)[] = [];

  /** `redact`: a platform's own words may repeat what it was sent. */
  constructor(dependencies: { readonly clock: Clock; readonly log: Log; readonly redact?: Redactor }) {
    this.#clock = dependencies.clock;
    this.#log = dependencies.log;
    this.#redact = dependencies.redact ?? noRedaction;
  }

  report(name: string, reported: ChannelHealth, retryAt?: number): void {
    const health = 'reason' in reported ? { ...reported, reason: this.#redact(reported.reason) } : reported;
    const before = this.#states.get(name);
    const now = this.#clock.now();
    const since = before?.health.status === health.status ? before.since : now;
    this.#states.set(name, { name, health, since, heardAt: now, retryAt });
    if (JSON.stringify(before?.health) === JSON.stringify(health)) return;
    this.#note(name, health, before);
    if (this.#areSettled()) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** The clock was set back: nothing was later than now. */
  clockSet(): void {
    const now = this.#clock.now();
    for (const [name, state] of this.#states) {
      this.#states.set(name, { ...state, since: Math.min(state.since, now), heardAt: Math.min(state.heardAt, now) });
    }
  }

  /** The channel runs no more, because nobody wants it to. */
  forget(name: string): void {
    this.#states.delete(name);
  }

  all(): readonly ChannelState[] {
    return [...this.#states.values()];
  }

  of(name: string): ChannelState | undefined {
    return this.#states.get(name);
  }

  /** Resolves once all channels are connected that can be: it may never come to that. */
  whenConnected(): Promise<void> {
    if (this.#areSettled()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #areSettled(): boolean {
    return this.all().every(({ health: { status } }) => status === 'connected' || status === 'dead');
  }

  #note(name: string, health: ChannelHealth, before: ChannelState | undefined): void {
    const former =
      before === undefined ? {} : { before: before.health.status, beforeSince: new Date(before.since).toISOString() };
    const level = health.status === 'failing' || health.status === 'dead' ? 'warn' : 'info';
    this.#log[level]({ channel: name, ...health, ...former }, `channel ${health.status}`);
  }
}
