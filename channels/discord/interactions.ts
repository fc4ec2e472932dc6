import type { Clock } from '../../src/lib/clock.ts';
import { Perishable } from '../../src/lib/perishable.ts';
import { Remembered } from '../../src/lib/remembered.ts';

/** What an interaction is answered through. */
export interface OpenInteraction {
  readonly id: string;
  readonly application_id: string;
  readonly token: string;
}

/** Its token holds for 15 minutes; the last of them are too near the end. In milliseconds. */
const lifetime = 14 * 60_000;
const mostRemembered = 1_000;

/** A slash command, as what answers it names it: who gave it, and which one it is. */
export interface PrivateCommand {
  readonly userId: string;
  readonly interactionId: string;
}

/** The name under which a slash command is answered in private. */
export function privateName({ userId, interactionId }: PrivateCommand): string {
  return `${userId}:${interactionId}`;
}

/** The slash command with this name. Undefined if it is no such name. */
export function commandNamed(name: string): PrivateCommand | undefined {
  const [, userId, interactionId] = /^(\d{1,20}):(\d{1,20})$/.exec(name) ?? [];
  return userId === undefined || interactionId === undefined ? undefined : { userId, interactionId };
}

/** The slash commands that can still be answered to the person alone. Those of a former process are forgotten. */
export class Interactions {
  readonly #open: Perishable<string, OpenInteraction>;
  /** Which message stands, or will stand, in the place of "is thinking". */
  readonly #first = new Remembered<string, string>(mostRemembered);

  constructor(clock: Clock) {
    this.#open = new Perishable({ clock, most: mostRemembered });
  }

  remember({ id, application_id, token }: OpenInteraction): void {
    this.#open.set(id, { id, application_id, token }, lifetime);
  }

  /** Undefined once it cannot be answered any more. */
  find(id: string): OpenInteraction | undefined {
    return this.#open.get(id);
  }

  /** Its token is not good any more. */
  forget(id: string): void {
    this.#open.delete(id);
  }

  /** Whether the message is the one in the place of "is thinking": the first that is asked for, as often as it is. */
  isFirst(id: string, messageId: string): boolean {
    const first = this.#first.get(id) ?? messageId;
    this.#first.set(id, first);
    return first === messageId;
  }
}
