import type { Attachments } from './attachments.ts';
import type { BotAccount } from './bot-account.ts';
import { findMentions, type Mentions } from './mentions.ts';
import type { ChangedMessageBody, GivenFile, MessageBody, NewMessageBody } from './message-body.ts';
import { readableText } from './message-text.ts';
import type { Messages, NewMessage, StoredMessage } from './messages.ts';
import type { Permission } from './permissions.ts';
import { type Channel, channelTypes, type Places } from './places.ts';
import type { Posts } from './posts.ts';
import { invalidForm, missingPermissions, Refusal } from './refusal.ts';
import type { DiscordTimes } from './times.ts';

interface Dependencies {
  readonly account: BotAccount;
  readonly attachments: Attachments;
  readonly messages: Messages;
  readonly places: Places;
  readonly posts: Posts;
  readonly times: DiscordTimes;
  readonly now: () => number;
}

/** What the bot shows in channels, and all that Discord wants of it first. */
export class BotMessages {
  readonly #dependencies: Dependencies;
  readonly #nonces = new Map<string, { readonly message: StoredMessage; readonly at: number }>();
  /** How often a message of more than an hour may be changed. */
  mostLateEdits = 30;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws the refusal that Discord would give. Gives the message that there is already if the nonce says so. */
  send(channel: Channel, body: NewMessageBody): StoredMessage {
    const { messages, posts } = this.#dependencies;
    this.#checkPermissions(channel, body);
    const known = body.isNonceEnforced ? this.#sentWith(body.nonce) : undefined;
    if (known !== undefined) return messages.find(known.channelId, known.id) ?? known;
    const replyTo = this.#replyTo(channel, body);
    const message = posts.add(channel.id, {
      ...this.make(channel, body, replyTo),
      ...(replyTo !== undefined && { replyTo, type: 19 }),
      ...(body.nonce !== undefined && { nonce: body.nonce }),
    });
    const { now } = this.#dependencies;
    if (body.nonce !== undefined) this.#nonces.set(String(body.nonce), { message, at: now() });
    return message;
  }

  /** Throws a refusal if it is an old message that was changed too often. */
  change(message: StoredMessage, body: ChangedMessageBody): StoredMessage {
    const { places, posts, times, now } = this.#dependencies;
    const isOld = now() - message.sentAt > times.oldMessage;
    if (isOld && message.edits >= this.mostLateEdits) {
      const words = 'Maximum number of edits to messages older than 1 hour reached. Try again later';
      throw new Refusal(429, 30046, words, { retry_after: 60, global: false });
    }
    return posts.change(message, this.changed(places.get(message.channelId), message, body));
  }

  /** The message that the body makes, not yet shown. */
  make(channel: Channel, body: MessageBody, replyTo?: string): NewMessage {
    const { account } = this.#dependencies;
    const { content, embeds, components, flags } = body;
    const files = this.#store(channel, body.files);
    const mentions = this.#mentions(channel, body, replyTo);
    return { author: account.user, type: 0, content, embeds, components, flags, files, mentions };
  }

  /** What the message holds when it is changed. */
  changed(channel: Channel, message: StoredMessage, body: ChangedMessageBody): Omit<NewMessage, 'author' | 'type'> {
    const { content, embeds, components, flags, kept } = body;
    const left = message.files.filter(({ id }) => kept?.includes(id) ?? true);
    const files = [...left, ...this.#store(channel, body.files)];
    const mentions = this.#mentions(channel, body, message.replyTo);
    return { content, embeds, components, flags, files, mentions };
  }

  forget(): void {
    this.#nonces.clear();
  }

  #checkPermissions(channel: Channel, { embeds, files, reference }: NewMessageBody): void {
    const { places } = this.#dependencies;
    if (channel.type === channelTypes.forum)
      throw new Refusal(400, 50008, 'Cannot send messages in a non-text channel');
    if (channel.isClosed === true) throw new Refusal(403, 50007, 'Cannot send messages to this user');
    if (channel.thread?.archived === true && channel.thread.locked) throw new Refusal(400, 50083, 'Thread is archived');
    const needed: Permission[] = [channel.thread === undefined ? 'SEND_MESSAGES' : 'SEND_MESSAGES_IN_THREADS'];
    if (files.length > 0) needed.push('ATTACH_FILES');
    if (embeds.length > 0) needed.push('EMBED_LINKS');
    if (!places.allows(channel, needed)) throw missingPermissions();
    if (reference !== undefined && !places.allows(channel, ['READ_MESSAGE_HISTORY']))
      throw new Refusal(403, 160002, 'Cannot reply without permission to read message history');
  }

  #sentWith(nonce: string | number | undefined): StoredMessage | undefined {
    const { times, now } = this.#dependencies;
    const known = nonce === undefined ? undefined : this.#nonces.get(String(nonce));
    return known !== undefined && now() - known.at < times.nonce ? known.message : undefined;
  }

  /** Undefined if what it answers is gone, and it goes without. */
  #replyTo(channel: Channel, { reference }: NewMessageBody): string | undefined {
    if (reference === undefined) return undefined;
    const { messages } = this.#dependencies;
    if (messages.find(channel.id, reference.messageId) !== undefined) return reference.messageId;
    if (!reference.mustExist) return undefined;
    const path = ['message_reference'];
    throw invalidForm([{ path, code: 'REPLIES_UNKNOWN_MESSAGE', message: 'Unknown message' }]);
  }

  #store(channel: Channel, files: readonly GivenFile[]) {
    const { attachments } = this.#dependencies;
    return files.map(({ description, ...file }) => attachments.add(channel.id, file, description));
  }

  /** Embeds call nobody. */
  #mentions(channel: Channel, body: MessageBody, replyTo: string | undefined): Mentions {
    const { messages, places } = this.#dependencies;
    const replied = replyTo === undefined ? undefined : messages.find(channel.id, replyTo);
    return findMentions(readableText({ ...body, embeds: [] }), {
      guild: places.guildOf(channel),
      mayCallEveryone: places.allows(channel, ['MENTION_EVERYONE']),
      repliedUser: replied?.author,
      allowed: body.allowed,
    });
  }
}
