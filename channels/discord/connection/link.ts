import type { ChannelHealth, ChannelHost } from '../../../src/contract.ts';

/** How we are connected, as it is told to the host. */
export class Link {
  readonly #host: Pick<ChannelHost, 'reportHealth' | 'log'>;
  #health: ChannelHealth = { status: 'connecting' };
  #username: string | undefined;

  constructor(host: Pick<ChannelHost, 'reportHealth' | 'log'>) {
    this.#host = host;
  }

  connect(): void {
    this.#tell({ status: 'connecting' });
  }

  /** What the bot is called. */
  name(username: string): void {
    this.#username = username;
  }

  /** The last that Discord had to deliver has come in. */
  succeed(): void {
    this.#tell({ status: 'connected', ...(this.#username !== undefined && { account: `@${this.#username}` }) });
  }

  fail(reason: string): void {
    this.#host.log.warn({ reason }, 'discord does not receive');
    this.#tell({ status: 'failing', reason });
  }

  die(reason: string): void {
    this.#tell({ status: 'dead', reason });
  }

  /** Says again why nothing comes in: who is silent is taken for deaf. That all is well is not said again without reason. */
  repeat(): void {
    if (this.#health.status !== 'connected') this.#tell(this.#health);
  }

  #tell(health: ChannelHealth): void {
    this.#health = health;
    this.#host.reportHealth(health);
  }
}
