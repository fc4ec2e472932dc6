import type { APIUser } from 'discord.js';
import { botId } from './bot-user.ts';
import { bitsOf, type Permission, usualPermissions } from './permissions.ts';
import { missingAccess, missingPermissions, unknownThing } from './refusal.ts';

export interface Role {
  readonly id: string;
  readonly name: string;
  /** Comes with the bot and belongs to it. */
  readonly isOfBot?: boolean;
}

export interface Member {
  readonly user: APIUser;
  readonly roles: readonly string[];
}

/** A server, as people call it. Its id is also that of the role that everyone has. */
export interface Guild {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly botRoleId: string;
  readonly roles: Map<string, Role>;
  readonly members: Map<string, Member>;
  /** Whether the gateway tells of it. */
  readonly isAnnounced: boolean;
  readonly joinedAt: number;
}

export const channelTypes = { text: 0, dm: 1, announcement: 5, thread: 11, privateThread: 12, forum: 15 } as const;

export interface ThreadState {
  readonly ownerId: string;
  readonly archived: boolean;
  readonly locked: boolean;
  readonly autoArchiveMinutes: number;
  /** When it was archived or opened for the last time. */
  readonly changedAt: number;
}

/** A place to write in: a channel of a guild, a thread, a direct chat; or a forum, which holds threads only. */
export interface Channel {
  readonly id: string;
  readonly type: (typeof channelTypes)[keyof typeof channelTypes];
  readonly name: string;
  readonly guildId?: string;
  /** Of a thread: the channel that it is in. */
  readonly parentId?: string;
  /** Of a direct chat. */
  readonly recipient?: APIUser;
  readonly thread?: ThreadState;
  /** What the bot may not do there. */
  readonly denied: bigint;
  readonly isAnnounced: boolean;
  /** The person takes no direct messages of the bot. */
  readonly isClosed?: boolean;
}

/** All guilds, channels, threads and direct chats that there are. */
export class Places {
  readonly guilds = new Map<string, Guild>();
  readonly #channels = new Map<string, Channel>();

  add(channel: Channel): Channel {
    this.#channels.set(channel.id, channel);
    return channel;
  }

  remove(channelId: string): void {
    this.#channels.delete(channelId);
  }

  get channels(): readonly Channel[] {
    return [...this.#channels.values()];
  }

  /** For people and tests, who know what there is. */
  get(channelId: string): Channel {
    const channel = this.#channels.get(channelId);
    if (channel === undefined) throw new Error(`There is no channel ${channelId}.`);
    return channel;
  }

  has(channelId: string): boolean {
    return this.#channels.has(channelId);
  }

  guild(guildId: string): Guild {
    const guild = this.guilds.get(guildId);
    if (guild === undefined) throw new Error(`There is no guild ${guildId}.`);
    return guild;
  }

  guildOf({ guildId }: Channel): Guild | undefined {
    return guildId === undefined ? undefined : this.guilds.get(guildId);
  }

  directChat(userId: string): Channel | undefined {
    return this.channels.find(({ recipient }) => recipient?.id === userId);
  }

  threadsIn(parentId: string): readonly Channel[] {
    return this.channels.filter((channel) => channel.parentId === parentId);
  }

  /** As the bot sees it. Throws a refusal if it may not see the channel, or do there what it wants to do. */
  visible(channelId: string, needed: readonly Permission[] = []): Channel {
    const channel = this.#channels.get(channelId);
    if (channel === undefined) throw unknownThing(10003, 'Channel');
    if (!this.isVisible(channel)) throw missingAccess();
    if (!this.allows(channel, needed)) throw missingPermissions();
    return channel;
  }

  isVisible(channel: Channel): boolean {
    return (
      this.allows(channel, ['VIEW_CHANNEL']) && (channel.guildId === undefined || this.guildOf(channel) !== undefined)
    );
  }

  allows(channel: Channel, needed: readonly Permission[]): boolean {
    if (channel.guildId === undefined) return !needed.some((name) => name.startsWith('MANAGE'));
    return (bitsOf(needed) & ~this.botPermissions(channel)) === 0n;
  }

  /** A thread takes what holds in its channel. */
  botPermissions(channel: Channel): bigint {
    const parent = channel.parentId === undefined ? undefined : this.#channels.get(channel.parentId);
    return usualPermissions() & ~channel.denied & ~(parent?.denied ?? 0n);
  }

  botMember(guild: Guild): Member {
    const member = guild.members.get(botId);
    if (member === undefined) throw new Error('The bot is in each of its guilds.');
    return member;
  }
}
