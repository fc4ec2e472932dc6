import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Remembered } from '../../lib/remembered.ts';

/** Why a delivery was not taken. */
export type Refusal =
  | 'late'
  | 'wrong-signature'
  | 'too-long'
  | 'compressed'
  | 'not-utf8'
  | 'not-json'
  | 'too-deep'
  | 'too-many'
  | 'not-stored'
  | 'no-chat';

/** What was refused since the start. */
export interface Refusals {
  readonly count: number;
  /** Of the last one. */
  readonly why: Refusal;
  readonly at: number;
}

const minute = 60_000;
/** More webhooks, of both kinds, than anybody configures. */
const most = 2_000;

/** `new`: what is not known yet · `idle`: what changes nothing. */
type Kind = 'new' | 'idle';

/** Counts deliveries and refusals by webhook, in memory only. */
export class Tally {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #times = new Remembered<string, readonly number[]>(most);
  readonly #refusals = new Remembered<string, Refusals>(most);

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Counts a delivery. If there were `limit` of its kind in the last minute, it is not counted: how long to wait, in ms. */
  take(name: string, kind: Kind, limit: number): number {
    const now = this.#clock.now();
    const key = `${kind} ${name}`;
    // If the clock was set back, it starts over.
    const counted = (this.#times.get(key) ?? []).filter((at) => at <= now && now < at + minute);
    const oldest = counted.at(-limit);
    if (oldest !== undefined) return oldest + minute - now;
    this.#times.set(key, [...counted, now]);
    return 0;
  }

  /** The newest one that was counted as new was not. */
  giveBack(name: string): void {
    const key: `${Kind} ${string}` = `new ${name}`;
    this.#times.set(key, (this.#times.get(key) ?? []).slice(0, -1));
  }

  /** Logged once in a minute: anybody can be refused as often as they like. */
  refused(name: string, why: Refusal): void {
    const now = this.#clock.now();
    const before = this.#refusals.get(name);
    this.#refusals.set(name, { count: (before?.count ?? 0) + 1, why, at: now });
    if (before === undefined || before.why !== why || Math.abs(now - before.at) >= minute)
      this.#log.warn({ webhook: name, reason: why }, 'a call of a webhook was refused');
  }

  refusalsOf(name: string): Refusals | undefined {
    return this.#refusals.get(name);
  }
}
