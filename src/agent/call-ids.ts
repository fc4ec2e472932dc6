import { newId } from '../lib/ids.ts';

/** The ids of one answer's calls: a call has its own from its first partial argument on. */
export class CallIds {
  readonly #ids = new Map<string, string>();

  /** Whether no call has begun to be written. */
  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  /** The id of a call that the model still writes. True the first time. */
  announce(modelCallId: string): { readonly id: string; readonly isNew: boolean } {
    const known = this.#ids.get(modelCallId);
    if (known !== undefined) return { id: known, isNew: false };
    const id = newId(12);
    this.#ids.set(modelCallId, id);
    return { id, isNew: true };
  }

  /** The id of a call that is complete. Models may give two calls the same id: the second gets another. */
  take(modelCallId: string): string {
    const { id } = this.announce(modelCallId);
    this.#ids.delete(modelCallId);
    return id;
  }
}
