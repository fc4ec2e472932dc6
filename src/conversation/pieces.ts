import type { Clock } from '../lib/clock.ts';

/** After a piece, the next one may still come for so long, in milliseconds. */
const settles = 1_000;

/** Wakes a conversation when a message that comes in pieces, as an album does, seems to be whole. */
export class Pieces {
  readonly #clock: Clock;
  readonly #wake: (conversationIds: readonly string[]) => void;
  readonly #waiting = new Map<string, () => void>();

  constructor(dependencies: { readonly clock: Clock; readonly wake: (conversationIds: readonly string[]) => void }) {
    this.#clock = dependencies.clock;
    this.#wake = dependencies.wake;
  }

  /** A piece was stored. */
  came(conversationId: string): void {
    this.#waiting.get(conversationId)?.();
    const cancel = this.#clock.after(settles, () => {
      this.#waiting.delete(conversationId);
      this.#wake([conversationId]);
    });
    this.#waiting.set(conversationId, cancel);
  }
}
