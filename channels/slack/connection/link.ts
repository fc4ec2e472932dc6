import type { ChannelHealth, ChannelHost } from '../../../src/contract.ts';
import { endsWithin } from '../../../src/lib/ends-within.ts';
import type { Arriving, Reception } from './reception.ts';

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

  /** Slack can deliver now, and could not before. */
  opened(): void {
    const { reception, host } = this.#dependencies;
    reception.opened(host.clock.now());
    this.#tellOpen();
  }

  /** Slack cannot deliver any more, until it is opened again. */
  closed(): void {
    this.#dependencies.reception.closed();
  }

  /** What Slack has sent since that instant may not have come in. */
  missed(since: number): void {
    this.#dependencies.reception.missed(since);
  }

  /** Until this instant Slack could deliver. Says that all is well only if what came in was stored. */
  heard(at: number): void {
    this.#dependencies.reception.heard(at);
    this.#tellOpen();
  }

  /** What came in could not be stored. */
  refused(arriving: Arriving): void {
    this.#dependencies.reception.refused(arriving);
    this.fail(unstoredWords);
  }

  /** What came in was stored. */
  stored(arriving: Arriving): void {
    const { reception } = this.#dependencies;
    const { isRefusing } = reception;
    reception.stored(arriving);
    if (isRefusing) this.#tellOpen();
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

  /** Where something is stuck, nothing is said: who stays silent is connected anew. */
  #tellOpen(): void {
    const { account, reception } = this.#dependencies;
    if (reception.isStuck) return;
    if (reception.isRefusing) this.fail(unstoredWords);
    else this.#tell({ status: 'connected', account: account() });
  }

  /** Who is shut out stays so. */
  #tell(health: ChannelHealth): void {
    if (this.#health.status === 'dead') return;
    this.#health = health;
    this.#dependencies.host.reportHealth(health);
  }
}

const unstoredWords = 'What Slack delivers cannot be stored. Slack delivers it again; the log says what is wrong.';
