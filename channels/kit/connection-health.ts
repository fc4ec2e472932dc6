import type { ChannelHealth, ChannelHost } from '../../src/contract.ts';
import { sleep } from '../../src/lib/clock.ts';
import { endsWithin } from '../../src/lib/ends-within.ts';

/** In a long pause it is said so often why nothing comes in, in milliseconds. */
const tellEvery = 30_000;
/** The same beside work, of which nobody knows how long it takes. */
const beat = 10_000;

/**
 * How a channel is connected, as it is told to the host. The reason of a failure is logged once, and told as often as it is
 * said. A channel that is shut out stays so.
 */
export class ConnectionHealth {
  readonly #channel: string;
  readonly #host: Pick<ChannelHost, 'reportHealth' | 'log' | 'clock'>;
  #health: ChannelHealth = { status: 'connecting' };

  constructor(channel: string, host: Pick<ChannelHost, 'reportHealth' | 'log' | 'clock'>) {
    this.#channel = channel;
    this.#host = host;
  }

  get isConnected(): boolean {
    return this.#health.status === 'connected';
  }

  tell(health: ChannelHealth): void {
    if (this.#health.status === 'dead') return;
    this.#health = health;
    this.#host.reportHealth(health);
  }

  fail(reason: string): void {
    const isNew = this.#health.status !== 'failing' || this.#health.reason !== reason;
    if (isNew) this.#host.log.warn({ reason }, `${this.#channel} does not receive`);
    this.tell({ status: 'failing', reason });
  }

  die(reason: string): void {
    this.tell({ status: 'dead', reason });
  }

  /** Says again why nothing comes in: who is silent is taken for deaf. That all is well is not said again without reason. */
  repeat(): void {
    if (!this.isConnected) this.tell(this.#health);
  }

  /** Waits for the work, and says meanwhile again and again why nothing comes in. */
  async accompany<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
    const { clock } = this.#host;
    const settled = Promise.allSettled([work]).then(() => {});
    while (!signal.aborted && !(await endsWithin(settled, { clock, milliseconds: beat, signal })))
      if (!signal.aborted) this.repeat();
    return work;
  }

  /** Waits, and says meanwhile again and again why nothing comes in. */
  async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    for (let left = milliseconds; left > 0 && !signal.aborted; left -= tellEvery) {
      await sleep(this.#host.clock, Math.min(left, tellEvery), signal);
      if (left > tellEvery && !signal.aborted) this.repeat();
    }
  }
}
