import { framesWith, type OutgoingFile } from './file-frames.ts';
import { type Json, randomName } from './json.ts';

/** A file of a message. `voice`: spoken instead of typed. */
export interface MessageFile extends OutgoingFile {
  readonly type: 'image' | 'voice' | 'audio' | 'video' | 'file';
}

interface Said {
  readonly content: string;
  readonly files: readonly MessageFile[];
  readonly messageId: string | undefined;
}

interface Pending {
  readonly frames: () => Iterable<Json>;
  readonly accepted: () => void;
  readonly failed: (error: Error) => void;
}

const mostPending = 100;

/** Messages that the server has not confirmed: resent after each reconnect, under an id that makes them idempotent. */
export class PendingMessages {
  readonly #pending = new Map<string, Pending>();

  /** Keeps a message and sends its frames. Resolves once the server has stored it. */
  add({ content, files, messageId = randomName() }: Said, send: (frame: Json) => void): Promise<void> {
    if (this.#pending.size >= mostPending)
      return Promise.reject(new Error(`${mostPending} messages wait already: the server is not there`));
    return new Promise((accepted, failed) => {
      const said = { type: 'message', content, message_id: messageId };
      const frames = (): Iterable<Json> => framesWith(files, { type: 'message_chunk' }, said, 'attachments');
      this.#pending.set(messageId, { frames, accepted, failed });
      for (const frame of frames()) send(frame);
    });
  }

  accepted(messageId: string): void {
    this.#pending.get(messageId)?.accepted();
    this.#pending.delete(messageId);
  }

  /** The server has refused it for good. */
  refused(messageId: string, reason: string): void {
    this.#pending.get(messageId)?.failed(new Error(reason));
    this.#pending.delete(messageId);
  }

  /** The frames of all messages, in order. */
  *frames(): Generator<Json> {
    for (const { frames } of this.#pending.values()) yield* frames();
  }

  /** Fails all messages: nothing will be sent. */
  fail(error: Error): void {
    for (const { failed } of this.#pending.values()) failed(error);
    this.#pending.clear();
  }
}
