import type { ChannelHealth, ChannelHost } from '../../src/contract.ts';
import { endsWithin } from '../../src/lib/ends-within.ts';
import type { Reception } from './reception.ts';

export interface LinkDependencies {
  readonly host: ChannelHost;
  readonly reception: Reception;
  /** What we are connected as. */
  readonly account: () => string;
}

/** How often it is said at least how it is, in milliseconds. */
const beat = 10_000;

/** How we are connected, as it is told to the host. A reason is logged once, and told as often as it is said. */
export class Link {
  readonly #dependencies: LinkDependencies;
  #health: ChannelHealth = { status: 'connecting' };

  constructor(dependencies: LinkDependencies) {
    this.#dependencies = dependencies;
  }

  /** Until this instant Slack could deliver. */
  heard(at: number): void {
    const { account, reception } = this.#dependencies;
    this.#tell({ status: 'connected', account: account() });
    reception.heard(at);
  }

  fail(reason: string): void {
    const isNew = this.#health.status !== 'failing' || this.#health.reason !== reason;
    if (isNew) this.#dependencies.host.log.warn({ reason }, 'slack does not receive');
    this.#tell({ status: 'failing', reason });
  }

  /** Nothing comes in now. Says again why, as far as that is known. */
  repeat(): void {
    const { status } = this.#health;
    this.#tell(status === 'connected' ? { status: 'failing', reason: 'No socket to Slack is open.' } : this.#health);
  }

  /** Waits for the work, and says meanwhile again and again how it is: who is silent is taken for deaf. */
  async accompany<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
    const { clock } = this.#dependencies.host;
    const settled = Promise.allSettled([work]).then(() => {});
    while (!signal.aborted && !(await endsWithin(settled, { clock, milliseconds: beat, signal })))
      if (!signal.aborted && this.#health.status !== 'connected') this.repeat();
    return work;
  }

  die(reason: string): void {
    this.#tell({ status: 'dead', reason });
  }

  #tell(health: ChannelHealth): void {
    this.#health = health;
    this.#dependencies.host.reportHealth(health);
  }
}
