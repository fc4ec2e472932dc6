import type { ConnectionHealth } from '../kit/connection-health.ts';
import { Missed } from './backfill.ts';
import type { GatewayEvent } from './gateway-socket.ts';
import { DiscordIntake } from './intake.ts';
import type { Runtime } from './runtime.ts';

/** While so many events wait to be stored, no more are taken. */
const mostBacklog = 1_000;

/** Said while nothing can be stored. */
export const unstoredWords =
  'What Discord delivers cannot be stored. It is tried again and again; the log says what is wrong.';

/** Has what comes in stored, and says that all is well only while that succeeds. */
export class Reception {
  readonly #runtime: Runtime;
  readonly #health: ConnectionHealth;
  readonly #intake: DiscordIntake;
  readonly missed: Missed;
  /** How many events are on their way into the store. */
  #waiting = 0;
  #isFull = false;
  /** When Discord was heard last, in milliseconds since 1970. */
  #heardAt = 0;
  /** That all is well is to be said as soon as everything is stored. */
  #isOwed = false;
  /** The bot's name, once that is known. */
  account: string | undefined;

  constructor(runtime: Runtime, health: ConnectionHealth) {
    this.#runtime = runtime;
    this.#health = health;
    this.#intake = new DiscordIntake(runtime);
    this.missed = new Missed(runtime, this.#intake);
  }

  /** Resolves when nothing is left to be said to those who gave commands. Comes soon after the channel is stopped. */
  settled(): Promise<void> {
    return this.#intake.settled();
  }

  /** More has come in than could be stored, and not all of it is stored by now: nothing else may come. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Takes an event, unless there are too many: gives whether it has. What was not stored when the channel is stopped comes again. */
  accept({ name, data, sequence }: GatewayEvent): boolean {
    const { host, signal, continuity } = this.#runtime;
    const { session } = continuity;
    if (this.#waiting >= mostBacklog) this.#isFull = true;
    if (session === undefined || this.#isFull) return false;
    this.#heardAt = host.clock.now();
    const stored = session.arrived(sequence);
    this.#waiting += 1;
    void this.missed
      .cameBefore(name, data)
      .then(() => this.#intake.take(name, data))
      .catch((error: unknown) => host.log.error({ event: name, err: error }, 'an event of Discord was not understood'))
      .then(() => {
        this.#waiting -= 1;
        if (this.#waiting === 0) this.#isFull = false;
        // Given up is not stored: it comes again.
        if (signal.aborted) return;
        stored();
        if (this.#waiting === 0) this.#allStored();
      });
    return true;
  }

  /** Discord is there. If something is on its way into the store, all is well once it is there. */
  heard(): void {
    this.#heardAt = this.#runtime.host.clock.now();
    this.#isOwed = true;
    if (this.#waiting === 0) this.#allStored();
    else if (this.#intake.isStuck) this.#health.fail(unstoredWords);
  }

  /** The connection has ended: that all is well is not said before Discord is heard again. */
  ended(): void {
    this.#isOwed = false;
  }

  #allStored(): void {
    this.#runtime.continuity.heardAt = this.#heardAt;
    if (!this.#isOwed) return;
    this.#isOwed = false;
    this.#health.tell({ status: 'connected', account: this.account });
  }
}
