import type { StoredFile } from './files.ts';
import { type Guild, type User, userOf } from './places.ts';

export const messageFlags = {
  suppressEmbeds: 1 << 2,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  /** No device rings for it. */
  suppressNotifications: 1 << 12,
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
  readonly author: User;
  readonly webhookId?: string | undefined;
  /** 0 for what somebody says, 19 for a reply, 20 for the answer to a command; others are said by the platform. */
  readonly type: number;
  readonly nonce?: string | undefined;
  readonly replyTo?: string | undefined;
  /** Chosen by the store if not set. */
  readonly id?: string;
}

export interface StoredMessage extends NewMessage {
  readonly id: string;
  readonly channelId: string;
  /** In milliseconds since 1970. */
  readonly sentAt: number;
  readonly editedAt?: number;
  readonly edits: number;
  /** Those of the bot. */
  readonly reactions: readonly string[];
}

/** What stands in each channel, the oldest first. */
export class Messages {
  readonly #channels = new Map<string, Map<string, StoredMessage>>();

  /** Puts it into its channel, or in the place of what it was. */
  put(message: StoredMessage): StoredMessage {
    const channel = this.#channels.get(message.channelId) ?? new Map<string, StoredMessage>();
    this.#channels.set(message.channelId, channel.set(message.id, message));
    return message;
  }

  find(channelId: string, messageId: string | undefined): StoredMessage | undefined {
    return this.#channels.get(channelId)?.get(messageId ?? '');
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

/** Whom a message calls. */
export interface Mentions {
  readonly users: readonly User[];
  /** All of it as it stands in a text: `@everyone`, `@here`, `<@id>`, `<@&id>`. */
  readonly pings: readonly string[];
}

/** As far as it limits whom a message calls. */
export interface AllowedMentions {
  readonly parse?: readonly string[] | undefined;
  readonly replied_user: boolean;
}

interface MentionsIn {
  /** Undefined in a direct chat, where nobody can call roles or everyone. */
  readonly guild: Guild | undefined;
  readonly mayCallEveryone: boolean;
  /** Who wrote what is replied to. */
  readonly repliedUser?: User | undefined;
  /** Undefined allows all. */
  readonly allowed?: AllowedMentions | undefined;
}

/** Finds whom a text calls, as far as it may. */
export function findMentions(text: string, where: MentionsIn): Mentions {
  const { guild, mayCallEveryone, repliedUser, allowed } = where;
  const mayCall = (kind: string): boolean => allowed?.parse?.includes(kind) ?? true;
  const named = mayCall('users') ? idsIn(text, /<@!?(\d+)>/g) : [];
  const roles = mayCall('roles') ? idsIn(text, /<@&(\d+)>/g).filter((id) => guild?.roles.has(id) === true) : [];
  const mayAll = guild !== undefined && mayCallEveryone && mayCall('everyone');
  const all = mayAll ? ['@everyone', '@here'].filter((word) => text.includes(word)) : [];
  const replied = repliedUser !== undefined && (allowed?.replied_user ?? true) ? [repliedUser] : [];
  const users = [...named.map((id) => guild?.members.get(id)?.user ?? userOf(id)), ...replied];
  const single = [...new Map(users.map((user) => [user.id, user])).values()];
  return {
    users: single,
    pings: [...all, ...single.map(({ id }) => `<@${id}>`), ...roles.map((id) => `<@&${id}>`)],
  };
}

function idsIn(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, id = '']) => id))];
}
