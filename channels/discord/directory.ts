import { ChannelType } from 'discord.js';
import { z } from 'zod';
import type { Conversation } from '../../src/contract.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import { lenient, list, optionalText } from '../kit/read-payload.ts';
import { channelShape, type DiscordChannel, type DiscordMessage, id } from './payload.ts';

/** `bot_id` marks a bot's own role: mentioning it addresses the bot. */
const role = z.object({ id, name: optionalText, tags: lenient(z.object({ bot_id: lenient(id) })) });
const guildShape = z.object({
  id,
  name: optionalText,
  joined_at: optionalText,
  channels: list(channelShape),
  threads: list(channelShape),
  roles: list(role),
});
const threadsShape = z.object({ guild_id: id, threads: list(channelShape) });
const roleShape = z.object({ guild_id: id, role });

/** Enough for a large guild with its threads: about 2 MB. */
const mostChannels = 10_000;
/** Beyond this many guilds, the roles of some are unknown. */
const mostGuilds = 500;

interface KnownGuild {
  readonly name: string | undefined;
  /** When the bot joined it, as Discord spells it. */
  readonly joinedAt: string | undefined;
  readonly roles: Map<string, z.output<typeof role>>;
}

/**
 * What events have said about channels, threads and the roles of guilds. Discord sends this at the start of a session,
 * and a session spans many connections, so the directory outlives the adapter's stop and start. No event comes from what is
 * gone, and its id is never used again: it is forgotten when there is no room.
 */
export class Directory {
  readonly #channels = new Remembered<string, DiscordChannel>(mostChannels);
  readonly #guilds = new Remembered<string, KnownGuild>(mostGuilds);
  /** Keys of memberships that the host has. */
  readonly #told = new Remembered<string, true>(mostGuilds);

  note(event: string, payload: unknown) {
    switch (event) {
      case 'GUILD_CREATE':
        return read(guildShape, payload, ({ id, name, joined_at: joinedAt, channels, threads, roles }) => {
          for (const channel of [...channels, ...threads]) this.add(channel, id);
          this.#guilds.set(id, { name, joinedAt, roles: new Map(roles.map((role) => [role.id, role])) });
        });
      case 'THREAD_LIST_SYNC':
        return read(threadsShape, payload, ({ guild_id, threads }) => {
          for (const thread of threads) this.add(thread, guild_id);
        });
      case 'CHANNEL_CREATE':
      case 'CHANNEL_UPDATE':
      case 'THREAD_CREATE':
      case 'THREAD_UPDATE':
        return read(channelShape, payload, (channel) => this.add(channel));
      case 'GUILD_ROLE_CREATE':
      case 'GUILD_ROLE_UPDATE':
        return read(roleShape, payload, ({ guild_id, role }) => this.#guilds.get(guild_id)?.roles.set(role.id, role));
    }
  }

  /** Remembers where the channel belongs. Ignores channels without one. */
  add(channel: DiscordChannel, guildId: string | null | undefined = channel.guild_id): void {
    const told = { ...channel, guild_id: guildId };
    if (conversationOf(told) !== undefined) this.#channels.set(channel.id, told);
  }

  /** The conversation of a channel, if known without a request, also from the fields of an event. */
  find(
    channelId: string,
    { guild_id, channel_type: type }: Pick<DiscordMessage, 'guild_id' | 'channel_type'> = {},
  ): Conversation | undefined {
    const known = this.#channels.get(channelId);
    if (known !== undefined) return conversationOf(known);
    return type === undefined ? undefined : conversationOf({ id: channelId, type, guild_id, name: undefined });
  }

  guild(guildId: string): Pick<KnownGuild, 'name' | 'joinedAt'> | undefined {
    return this.#guilds.get(guildId);
  }

  /** Whether the host has this membership. */
  hasTold(key: string): boolean {
    return this.#told.has(key);
  }

  noteTold(key: string): void {
    this.#told.set(key, true);
  }

  channelName(channelId: string): string | undefined {
    return this.#channels.get(channelId)?.name;
  }

  roleName(guildId: string, roleId: string): string | undefined {
    return this.#guilds.get(guildId)?.roles.get(roleId)?.name;
  }

  /** Whether this is the bot's own managed role: mentioning it addresses the bot. */
  isRoleOf(botId: string, guildId: string, roleId: string): boolean {
    return this.#guilds.get(guildId)?.roles.get(roleId)?.tags?.bot_id === botId;
  }
}

/** Ignores what is not of this shape. */
function read<Shape extends z.ZodType>(shape: Shape, payload: unknown, note: (data: z.output<Shape>) => unknown): void {
  const { success, data } = shape.safeParse(payload);
  if (success) note(data);
}

const threads: readonly number[] = [
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
];

/** Undefined if the channel is unknown, or not one where people talk. */
function conversationOf({ id, type, name, guild_id, parent_id }: DiscordChannel): Conversation | undefined {
  if (typeof guild_id !== 'string') {
    if (type === ChannelType.DM) return { channel: 'discord', chatId: id, kind: 'direct' };
    return type === ChannelType.GroupDM ? { channel: 'discord', chatId: id, kind: 'group' } : undefined;
  }
  const guild = { channel: 'discord', tenant: guild_id, kind: 'group' } as const;
  if (!threads.includes(type)) return { ...guild, chatId: id, title: name ? `#${name}` : undefined };
  if (typeof parent_id !== 'string') return undefined;
  return { ...guild, chatId: parent_id, threadId: id, title: name || undefined };
}
