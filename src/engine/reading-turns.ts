/*
 * What is delivered together is stored in order, though something is read before each event is stored: whether its thread
 * is followed, and which card it may answer. The events of a conversation read one after the other. Who awaits `inTurn` itself
 * goes on before the next one reads: if they ask for their write without awaiting anything else, it comes first.
 */

import type { Core } from './feature.ts';

/**
 * Turns to read, by conversation, first come, first served. In each it becomes known who reads there, as it may be answered. No
 * turn may wait for another event of its conversation.
 */
export class ReadingTurns {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #prepareReaders: Core['prepareReaders'];

  constructor(prepareReaders: Core['prepareReaders']) {
    this.#prepareReaders = prepareReaders;
  }

  /** Reads once those before have. */
  inTurn<Found>(conversationId: string, read: () => Promise<Found>): Promise<Found> {
    const before = this.#last.get(conversationId);
    const found = this.#read(before, conversationId, read);
    const left = (): void => {
      if (this.#last.get(conversationId) === found) this.#last.delete(conversationId);
    };
    this.#last.set(conversationId, found);
    found.then(left, left);
    return found;
  }

  async #read<Found>(before: Promise<unknown> | undefined, conversationId: string, read: () => Promise<Found>) {
    await before?.catch(() => {});
    await this.#prepareReaders([conversationId]);
    return read();
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
