import type { Clock } from '../../src/lib/clock.ts';
import { Remembered } from './remembered.ts';

/** What an interaction is answered through. */
export interface OpenInteraction {
  readonly id: string;
  readonly application_id: string;
  readonly token: string;
}

/** Its token holds for 15 minutes; the last of them are too near the end. In milliseconds. */
const lifetime = 14 * 60_000;
const mostRemembered = 1_000;
const prefix = 'command:';

/** The `messageId` of a message that is a slash command. */
export function commandMessageId(interactionId: string): string {
  return prefix + interactionId;
}

/** Whether this is the `messageId` of a slash command, which is no message that can be answered or marked. */
export function isCommand(messageId: string): boolean {
  return messageId.startsWith(prefix);
}

/** The slash commands that can still be answered to the person alone. Those of a former process are forgotten. */
export class Interactions {
  readonly #clock: Clock;
  readonly #open = new Remembered<string, OpenInteraction & { readonly until: number }>(mostRemembered);
  /** Which message stands, or will stand, in the place of "is thinking". */
  readonly #first = new Remembered<string, string>(mostRemembered);
  /** By the id of the first part of an answer: what follows it is for nobody else either. */
  readonly #answered = new Remembered<string, string>(mostRemembered);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  remember({ id, application_id, token }: OpenInteraction): void {
    this.#open.set(id, { id, application_id, token, until: this.#clock.now() + lifetime });
  }

  /** Undefined once it cannot be answered any more. */
  find(id: string): OpenInteraction | undefined {
    const found = this.#open.get(id);
    return found !== undefined && this.#clock.now() < found.until ? found : undefined;
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

  /**
   * The command that a message answers. Of an answer in several parts only the first names it; the others have its id with
   * a number after it.
   */
  answeredBy({ id, replyTo }: { readonly id: string; readonly replyTo?: string }): OpenInteraction | undefined {
    if (replyTo?.startsWith(prefix)) {
      const interactionId = replyTo.slice(prefix.length);
      this.#answered.set(id, interactionId);
      return this.find(interactionId);
    }
    const first = [id.slice(0, -1), id.slice(0, -2)].find((start) => this.#answered.get(start) !== undefined);
    const interactionId = first === undefined ? undefined : this.#answered.get(first);
    return interactionId === undefined ? undefined : this.find(interactionId);
  }
}
