import { ChannelError, type OutboundFile, type OutboundMessage } from '../../src/contract.ts';
import type { Parse } from '../../src/lib/markdown-parser.ts';
import type { TelegramApi } from './api.ts';
import type { Address, Payload } from './payload.ts';
import { renderCaption } from './render.ts';

export interface FileSenderDependencies {
  readonly api: Pick<TelegramApi, 'sendMessage' | 'sendFile'>;
  readonly parse: Parse;
}

const longestCaption = 1024;

/** Sends messages that have a file. */
export class FileSender {
  readonly #dependencies: FileSenderDependencies;
  /** The messages whose text stands in the chat already, above the place of their file. */
  readonly #introduced = new Set<string>();

  constructor(dependencies: FileSenderDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Shows the file with the text of the message below it. A text that is too long for that comes first, as a message of its
   * own, and only once if the file has to be sent again. Answers with the id of the message with the file.
   */
  async send(to: Address, message: OutboundMessage, file: OutboundFile): Promise<number> {
    const { api } = this.#dependencies;
    const caption = await this.#captionOf(to, message);
    try {
      const messageId = await api.sendFile(to, file, caption);
      this.#introduced.delete(message.id);
      return messageId;
    } catch (error) {
      if (error instanceof ChannelError && error.fault.type === 'permanent') this.#introduced.delete(message.id);
      throw error;
    }
  }

  async #captionOf(to: Address, message: OutboundMessage): Promise<Payload> {
    const { api, parse } = this.#dependencies;
    const payload = renderCaption(message, parse);
    if (payload.text.length <= longestCaption) return payload;
    if (!this.#introduced.has(message.id)) {
      await api.sendMessage(to, { ...payload, keyboard: [] });
      this.#introduced.add(message.id);
    }
    return { text: '', entities: [], keyboard: payload.keyboard };
  }
}
