import type { Clock } from '../../src/lib/clock.ts';
import { Perishable } from '../../src/lib/perishable.ts';
import { Remembered } from '../../src/lib/remembered.ts';

/** What an interaction is answered through. */
export interface OpenInteraction {
  readonly id: string;
  readonly application_id: string;
  readonly token: string;
}

/** For how long an interaction can be answered, in milliseconds: its token holds for a minute longer. */
export const tokenLifetime = 14 * 60_000;
const mostRemembered = 1_000;

/** The slash commands that can still be answered to the person alone. Those of a former process are forgotten. */
export class Interactions {
  readonly #open: Perishable<string, OpenInteraction>;
  /** Which message stands, or will stand, in the place of "is thinking". */
  readonly #first = new Remembered<string, string>(mostRemembered);

  constructor(clock: Clock) {
    this.#open = new Perishable({ clock, most: mostRemembered });
  }

  remember({ id, application_id, token }: OpenInteraction): void {
    this.#open.set(id, { id, application_id, token }, tokenLifetime);
  }

  /** Undefined once it cannot be answered any more. */
  find(id: string): OpenInteraction | undefined {
    return this.#open.get(id);
  }

  /** Its token is not good any more. */
  forget(id: string): void {
    this.#open.delete(id);
  }

  /** Whether the message may stand in the place of "is thinking": the first that claims that, as often as it does. */
  claimFirst(id: string, messageId: string): boolean {
    const first = this.#first.get(id) ?? messageId;
    this.#first.set(id, first);
    return first === messageId;
  }
}
