import { userOf } from './bot-user.ts';
import { noMentions } from './mentions.ts';
import { type Messages, messageFlags } from './messages.ts';
import { type Channel, channelTypes, type Places } from './places.ts';
import type { Posts } from './posts.ts';
import type { Snowflakes } from './snowflakes.ts';

export interface NewThread {
  readonly name: string;
  readonly ownerId: string;
  readonly type?: 11 | 12;
  readonly auto_archive_duration?: number;
  /** The message of the channel that it belongs to. */
  readonly messageId?: string;
  /** Whether the gateway tells of it. */
  readonly isAnnounced?: boolean;
}

interface Dependencies {
  readonly messages: Messages;
  readonly places: Places;
  readonly posts: Posts;
  readonly snowflakes: Snowflakes;
  readonly now: () => number;
}

/** Opens threads, for the bot and for people. */
export class Threads {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  open(parent: Channel, { name, ownerId, type = 11, messageId, ...rest }: NewThread): Channel {
    const { messages, places, posts, snowflakes, now } = this.#dependencies;
    if (parent.guildId === undefined) throw new Error('There are no threads in a direct chat.');
    const channel = places.add({
      id: messageId ?? snowflakes.next(),
      type: messageId === undefined ? type : channelTypes.thread,
      name,
      guildId: parent.guildId,
      parentId: parent.id,
      denied: 0n,
      isAnnounced: rest.isAnnounced ?? true,
      thread: {
        ownerId,
        archived: false,
        locked: false,
        autoArchiveMinutes: rest.auto_archive_duration ?? 1440,
        changedAt: now(),
      },
    });
    posts.tellOfChannel('THREAD_CREATE', channel, { newly_created: true });
    const message = messageId === undefined ? undefined : messages.find(parent.id, messageId);
    if (message !== undefined) posts.decorate(message, { flags: message.flags | messageFlags.hasThread });
    else if (parent.type !== channelTypes.forum) this.#tellOf(parent, channel, ownerId);
    return channel;
  }

  /** The platform says in the channel that there is a thread now: a message that nobody wrote. */
  #tellOf(parent: Channel, thread: Channel, ownerId: string): void {
    const empty = { embeds: [], components: [], files: [], flags: 1 << 5, mentions: noMentions };
    this.#dependencies.posts.add(parent.id, { ...empty, author: userOf(ownerId), type: 18, content: thread.name });
  }
}
