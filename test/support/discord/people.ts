import type { APIUser } from 'discord.js';
import type { Attachments } from './attachments.ts';
import { botId, type Person, userOf } from './bot-user.ts';
import type { DirectChats } from './direct-chats.ts';
import { intents, type Publish } from './intents.ts';
import { findMentions } from './mentions.ts';
import type { MessageEvent, MessageWire } from './message-wire.ts';
import type { Messages, NewMessage } from './messages.ts';
import { channelTypes, type Places } from './places.ts';
import type { Posts } from './posts.ts';
import type { Threads } from './threads.ts';

/** A file that a person sends. */
export interface PersonFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly mediaType?: string;
}

export interface SayOptions {
  /** In a direct chat the person of the chat, if not set; elsewhere the owner of the guild. */
  readonly from?: Person;
  readonly replyTo?: string;
  /** Whether a reply calls the one whom it answers. It does, if not set. */
  readonly ping?: boolean;
  readonly files?: readonly PersonFile[];
  /** A program that writes with a webhook: its id and its name. */
  readonly webhook?: { readonly id: string; readonly name: string };
  /** What the platform itself says has other types than 0 and 19. */
  readonly type?: number;
  readonly embeds?: readonly unknown[];
}

export interface ThreadOptions {
  readonly from?: Person;
  /** The message that it belongs to. */
  readonly messageId?: string;
  /** Whether the gateway tells that there is one. */
  readonly isAnnounced?: boolean;
}

interface Dependencies {
  readonly attachments: Attachments;
  readonly directChats: DirectChats;
  readonly messages: Messages;
  readonly places: Places;
  readonly posts: Posts;
  readonly publish: Publish;
  readonly threads: Threads;
  readonly wire: MessageWire;
  readonly now: () => number;
}

/** What people and other programs do, told to the bot as events. */
export class People {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Writes a message. Gives it as the event carries it. */
  say(channelId: string, text: string, options: SayOptions = {}): MessageEvent {
    const { posts, wire } = this.#dependencies;
    return wire.event(posts.add(channelId, this.#message(channelId, text, options)));
  }

  /** Writes the first message of a new thread in a forum. The thread and the message have one id. */
  post(forumId: string, name: string, text: string, options: SayOptions & ThreadOptions = {}): MessageEvent {
    const { posts, wire } = this.#dependencies;
    const thread = this.startThread(forumId, name, options);
    return wire.event(posts.add(thread, { ...this.#message(thread, text, options), id: thread }));
  }

  /** Opens a thread in a channel. Gives its id. */
  startThread(channelId: string, name: string, { from, ...options }: ThreadOptions = {}): string {
    const { directChats, places, threads } = this.#dependencies;
    const channel = places.get(channelId);
    const ownerId = directChats.actor(channel, from).id;
    return threads.open(channel, { name, ownerId, ...options }).id;
  }

  /** Changes what somebody said. */
  edit(channelId: string, messageId: string, text: string): MessageEvent {
    const { messages, posts, wire } = this.#dependencies;
    const message = messages.get(channelId, messageId);
    const mentions = this.#mentions(channelId, text, message.replyTo);
    return wire.event(posts.change(message, { content: text, mentions }));
  }

  /** Takes back what somebody said. */
  delete(channelId: string, messageId: string): void {
    const { messages, posts } = this.#dependencies;
    posts.remove(messages.get(channelId, messageId));
  }

  react(channelId: string, messageId: string, emoji: string, options: { from?: Person; isOn?: boolean } = {}): void {
    const { directChats, messages, places, posts } = this.#dependencies;
    const { id } = directChats.actor(places.get(channelId), options.from);
    posts.react(messages.get(channelId, messageId), emoji, id, options.isOn ?? true);
  }

  /** Archives or locks a thread, or opens it again. */
  changeThread(threadId: string, state: { readonly archived?: boolean; readonly locked?: boolean }): void {
    const { places, posts } = this.#dependencies;
    posts.changeThread(places.get(threadId), state);
  }

  /** Lets no direct message of the bot come through, or every one. */
  closeDirectChat(person: Person, isClosed = true): void {
    const { directChats, places } = this.#dependencies;
    places.add({ ...directChats.open(person), isClosed });
  }

  /** Begins to write. */
  type(channelId: string, from?: Person): void {
    const { directChats, places, publish, now } = this.#dependencies;
    const channel = places.get(channelId);
    const { id } = directChats.actor(channel, from);
    const intent = channel.guildId === undefined ? intents.directTyping : intents.guildTyping;
    const data = { channel_id: channelId, guild_id: channel.guildId, user_id: id, timestamp: Math.floor(now() / 1000) };
    publish({ event: 'TYPING_START', intent, data });
  }

  #message(channelId: string, text: string, options: SayOptions): NewMessage {
    const { attachments, directChats, places } = this.#dependencies;
    const channel = places.get(channelId);
    if (channel.type === channelTypes.forum) throw new Error('Nobody can write in a forum itself: post there instead.');
    const { replyTo, webhook } = options;
    const stored = (options.files ?? []).map(({ mediaType = 'application/octet-stream', ...file }) =>
      attachments.add(channelId, { ...file, mediaType }),
    );
    return {
      author: webhook === undefined ? directChats.actor(channel, options.from) : userOfWebhook(webhook),
      type: options.type ?? (replyTo === undefined ? 0 : 19),
      content: text,
      embeds: options.embeds ?? [],
      components: [],
      files: stored,
      flags: 0,
      mentions: this.#mentions(channelId, text, options.ping === false ? undefined : replyTo),
      ...(replyTo !== undefined && { replyTo }),
      ...(webhook !== undefined && { webhookId: webhook.id }),
    };
  }

  #mentions(channelId: string, text: string, replyTo: string | undefined) {
    const { directChats, messages, places } = this.#dependencies;
    const guild = places.guildOf(places.get(channelId));
    const exists = (id: string): boolean => id === botId || directChats.knows(id);
    const repliedUser = replyTo === undefined ? undefined : messages.find(channelId, replyTo)?.author;
    return findMentions(text, { guild, mayCallEveryone: true, exists, repliedUser });
  }
}

function userOfWebhook({ id, name }: NonNullable<SayOptions['webhook']>): APIUser {
  return { ...userOf(id), username: name, global_name: null, bot: true };
}
