import { type Json, randomName } from './json.ts';

interface Pending {
  readonly frame: Json;
  readonly accepted: () => void;
  readonly failed: (error: Error) => void;
}

const mostPending = 100;

/** What the person has said and the server has not confirmed: said again after each reconnect, and taken once. */
export class PendingMessages {
  readonly #pending = new Map<string, Pending>();

  /** Keeps a message; `send` is called with its frame. Resolves once the server has stored it. */
  add(content: string, send: (frame: Json) => void): Promise<void> {
    if (this.#pending.size >= mostPending)
      return Promise.reject(new Error(`${mostPending} messages wait already: the server is not there`));
    return new Promise((accepted, failed) => {
      const messageId = randomName();
      const frame = { type: 'message', content, message_id: messageId };
      this.#pending.set(messageId, { frame, accepted, failed });
      send(frame);
    });
  }

  accepted(messageId: string): void {
    this.#pending.get(messageId)?.accepted();
    this.#pending.delete(messageId);
  }

  /** In the order in which they were said. */
  get frames(): readonly Json[] {
    return [...this.#pending.values()].map(({ frame }) => frame);
  }

  /** Nothing will be sent any more. */
  fail(error: Error): void {
    for (const { failed } of this.#pending.values()) failed(error);
    this.#pending.clear();
  }
}
