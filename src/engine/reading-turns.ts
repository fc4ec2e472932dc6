/*
 * What is delivered together is stored in order, though something is read before each event is stored: whether its thread
 * is followed, and which card it may answer. The events of a conversation read one after the other. Who awaits `inTurn` itself
 * goes on before the next one reads: if they ask for their write without awaiting anything else, it comes first.
 */

/** Turns to read, by conversation, first come, first served. No turn may wait for another event of its conversation. */
export class ReadingTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Reads once those before have. */
  inTurn<Found>(conversationId: string, read: () => Promise<Found>): Promise<Found> {
    const before = this.#last.get(conversationId);
    const found = before === undefined ? read() : before.then(read, read);
    const left = (): void => {
      if (this.#last.get(conversationId) === found) this.#last.delete(conversationId);
    };
    this.#last.set(conversationId, found);
    found.then(left, left);
    return found;
  }

  /** Resolves once those before have read. */
  turn(conversationId: string): Promise<void> {
    return this.inTurn(conversationId, async () => {});
  }

  /** Resolves once all events before have read, in all conversations. */
  async all(): Promise<void> {
    // Twice, as those in a followed thread read twice.
    await Promise.allSettled(this.#last.values());
    await Promise.allSettled(this.#last.values());
  }
}
