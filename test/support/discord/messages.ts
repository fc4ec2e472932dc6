import type { APIUser } from 'discord.js';
import type { StoredFile } from './attachments.ts';
import type { Mentions } from './mentions.ts';

export const messageFlags = {
  suppressEmbeds: 1 << 2,
  hasThread: 1 << 5,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  suppressNotifications: 1 << 12,
  componentsV2: 1 << 15,
} as const;

/** What a message says, and with what. */
export interface MessageContent {
  readonly content: string;
  readonly embeds: readonly unknown[];
  readonly components: readonly unknown[];
  readonly files: readonly StoredFile[];
  readonly flags: number;
  readonly mentions: Mentions;
}

/** What is to be put into a channel. */
export interface NewMessage extends MessageContent {
  readonly author: APIUser;
  readonly webhookId?: string;
  /** 0 for what somebody says, 19 for a reply; the others are said by the platform. */
  readonly type: number;
  readonly nonce?: string | number;
  readonly replyTo?: string;
  /** Chosen by the store if not set. */
  readonly id?: string;
  /** The interaction that it answers. */
  readonly interaction?: { readonly id: string; readonly type: number; readonly user: APIUser };
}

export interface StoredMessage extends NewMessage {
  readonly id: string;
  readonly channelId: string;
  /** In milliseconds since 1970. */
  readonly sentAt: number;
  readonly editedAt?: number;
  readonly edits: number;
  /** Who reacted with each emoji. */
  readonly reactions: ReadonlyMap<string, readonly string[]>;
}

/** What stands in each channel, the oldest first. */
export class Messages {
  readonly #channels = new Map<string, Map<string, StoredMessage>>();

  /** Puts it into its channel, or in the place of what it was. */
  put(message: StoredMessage): StoredMessage {
    const channel = this.#channels.get(message.channelId) ?? new Map<string, StoredMessage>();
    this.#channels.set(message.channelId, channel);
    channel.set(message.id, message);
    return message;
  }

  find(channelId: string, messageId: string): StoredMessage | undefined {
    return this.#channels.get(channelId)?.get(messageId);
  }

  /** For people and tests, who know what there is. */
  get(channelId: string, messageId: string): StoredMessage {
    const message = this.find(channelId, messageId);
    if (message === undefined) throw new Error(`There is no message ${messageId} in the channel ${channelId}.`);
    return message;
  }

  delete(channelId: string, messageId: string): boolean {
    return this.#channels.get(channelId)?.delete(messageId) ?? false;
  }

  in(channelId: string): readonly StoredMessage[] {
    return [...(this.#channels.get(channelId)?.values() ?? [])];
  }

  forget(): void {
    this.#channels.clear();
  }
}
