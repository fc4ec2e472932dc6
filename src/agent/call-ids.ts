import { newId } from '../lib/ids.ts';

/** The ids of one answer's calls: a call has its own from its first partial argument on. */
export class CallIds {
  readonly #ids = new Map<string, string>();

  /** Whether no call has begun to be written. */
  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  /** The id of a call that the model still writes: the same each time. */
  announce(modelCallId: string): string {
    const id = this.#ids.get(modelCallId) ?? newId(12);
    this.#ids.set(modelCallId, id);
    return id;
  }

  /** The id of a call that is complete. Models may give two calls the same id: the second gets another. */
  take(modelCallId: string): string {
    const id = this.announce(modelCallId);
    this.#ids.delete(modelCallId);
    return id;
  }
}
