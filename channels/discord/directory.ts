import { ChannelType } from 'discord.js';
import { z } from 'zod';
import type { Conversation } from '../../src/contract.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import { lenient, list, optionalText } from '../kit/read-payload.ts';
import { channelShape, type DiscordChannel, type DiscordMessage, id, namedShape } from './payload.ts';

/** `bot_id` marks a bot's own role: mentioning it addresses the bot. */
const role = z.object({ id, name: optionalText, tags: lenient(z.object({ bot_id: lenient(id) })) });
const guildShape = z.object({ id, channels: list(channelShape), threads: list(channelShape), roles: list(role) });
const guildGoneShape = z.object({ id, unavailable: lenient(z.boolean()) });
const threadsShape = z.object({ guild_id: id, threads: list(channelShape) });
const roleShape = z.object({ guild_id: id, role });
const roleGoneShape = z.object({ guild_id: id, role_id: id });

/** Enough for a large guild with its threads: about 2 MB. */
const mostChannels = 10_000;
/** Beyond this many guilds, the roles of some are unknown. */
const mostGuilds = 500;

/**
 * What events have said about channels, threads and the roles of guilds. Discord sends this at the start of a session,
 * and a session spans many connections, so the directory outlives the adapter's stop and start.
 */
export class Directory {
  readonly #channels = new Remembered<string, DiscordChannel>(mostChannels);
  readonly #roles = new Remembered<string, Map<string, z.output<typeof role>>>(mostGuilds);

  note(event: string, payload: unknown): void {
    switch (event) {
      case 'GUILD_CREATE': {
        const { data } = guildShape.safeParse(payload);
        if (data === undefined) return;
        for (const channel of [...data.channels, ...data.threads]) this.add(channel, data.id);
        this.#roles.set(data.id, new Map(data.roles.map((role) => [role.id, role])));
        return;
      }
      case 'GUILD_DELETE': {
        const { data } = guildGoneShape.safeParse(payload);
        if (data !== undefined && data.unavailable !== true) this.#roles.delete(data.id);
        return;
      }
      case 'THREAD_LIST_SYNC': {
        const { data } = threadsShape.safeParse(payload);
        for (const thread of data?.threads ?? []) this.add(thread, data?.guild_id);
        return;
      }
      case 'CHANNEL_CREATE':
      case 'CHANNEL_UPDATE':
      case 'THREAD_CREATE':
      case 'THREAD_UPDATE': {
        const { data } = channelShape.safeParse(payload);
        if (data !== undefined) this.add(data);
        return;
      }
      case 'CHANNEL_DELETE':
      case 'THREAD_DELETE': {
        const { data } = namedShape.safeParse(payload);
        if (data !== undefined) this.#channels.delete(data.id);
        return;
      }
      case 'GUILD_ROLE_CREATE':
      case 'GUILD_ROLE_UPDATE': {
        const { data } = roleShape.safeParse(payload);
        if (data !== undefined) this.#roles.get(data.guild_id)?.set(data.role.id, data.role);
        return;
      }
      case 'GUILD_ROLE_DELETE': {
        const { data } = roleGoneShape.safeParse(payload);
        if (data !== undefined) this.#roles.get(data.guild_id)?.delete(data.role_id);
      }
    }
  }

  /** Remembers the channel's place. Ignores channels without one. */
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

  channelName(channelId: string): string | undefined {
    return this.#channels.get(channelId)?.name;
  }

  roleName(guildId: string, roleId: string): string | undefined {
    return this.#roles.get(guildId)?.get(roleId)?.name;
  }

  /** Whether this is the bot's own managed role: mentioning it addresses the bot. */
  isRoleOf(botId: string, guildId: string, roleId: string): boolean {
    return this.#roles.get(guildId)?.get(roleId)?.tags?.bot_id === botId;
  }
}

const threads: readonly number[] = [
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
];

/** Undefined if the place is unknown, or not one where people talk. */
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
