import { Refusal } from './refusal.ts';
import type { ScaledTime } from './scaled-time.ts';

const lifetime = 3;

/** What an act of a person allows: a modal, once, and soon. */
export class Triggers {
  readonly #time: ScaledTime;
  readonly #triggers = new Map<string, { readonly userId: string; readonly at: number; isUsed: boolean }>();
  #issued = 0;

  constructor(time: ScaledTime) {
    this.#time = time;
  }

  issue(userId: string): string {
    this.#issued += 1;
    const id = `${this.#issued}.1000.${'f'.repeat(32)}`;
    this.#triggers.set(id, { userId, at: this.#time.now(), isUsed: false });
    return id;
  }

  /** Gives whose act it was. Throws a refusal. */
  exchange(id: string): string {
    const trigger = this.#triggers.get(id);
    if (trigger === undefined) throw new Refusal('invalid_trigger_id');
    if (this.#time.isOver(trigger.at, lifetime)) throw new Refusal('expired_trigger_id');
    if (trigger.isUsed) throw new Refusal('exchanged_trigger_id');
    trigger.isUsed = true;
    return trigger.userId;
  }
  /** None that was issued holds any more. */
  forget(): void {
    this.#triggers.clear();
  }
}
