import type { ChannelHealth, ChannelHost } from '../../src/contract.ts';
import { endsWithin, sleep } from '../../src/lib/clock.ts';
import { type Words, wordsIn } from '../../src/lib/words.ts';

/** How often the failure is reported during a long pause, in ms. */
const tellEvery = 30_000;
/** The same during work of unknown length, in ms. */
const beat = 10_000;

type HealthHost = Pick<ChannelHost, 'reportHealth' | 'log' | 'clock'>;

export function createHealth(channel: string, host: HealthHost): ConnectionHealth {
  return new ConnectionHealth(channel, host);
}

/** Reports a channel's health. A failure's reason is logged once, but reported each time. `dead` is final. */
export class ConnectionHealth {
  readonly #channel: string;
  readonly #host: HealthHost;
  #health: ChannelHealth = { status: 'connecting' };

  constructor(channel: string, host: HealthHost) {
    this.#channel = channel;
    this.#host = host;
  }

  tell(next: ChannelHealth): void {
    if (this.#health.status === 'dead') return;
    this.#health = next;
    this.#host.reportHealth(next);
  }

  /** Reports a failure again: a silent channel counts as deaf. Does not repeat `connected`. */
  repeat(): void {
    if (this.#health.status !== 'connected') this.tell(this.#health);
  }

  fail(reason: Words): void {
    const health = this.#health;
    const said = wordsIn('en', reason);
    const isNew = health.status !== 'failing' || wordsIn('en', health.reason) !== said;
    if (isNew) this.#host.log.warn({ reason: said }, `${this.#channel} does not receive`);
    this.tell({ status: 'failing', reason });
  }

  die(reason: Words): void {
    this.tell({ status: 'dead', reason });
  }

  /** Waits for the work and keeps reporting. */
  async accompany<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
    const { clock } = this.#host;
    const settled = Promise.allSettled([work]);
    while (!signal.aborted && !(await endsWithin(settled, { clock, milliseconds: beat, signal })))
      if (!signal.aborted) this.repeat();
    return work;
  }

  /** Waits and keeps reporting. */
  async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    for (let left = milliseconds; left > 0 && !signal.aborted; left -= tellEvery) {
      await sleep(this.#host.clock, Math.min(left, tellEvery), signal);
      if (left > tellEvery && !signal.aborted) this.repeat();
    }
  }
}
