import { ChannelType } from 'discord-api-types/v10';
import { ChannelError, type Conversation } from '../../../src/contract.ts';
import type { Known } from './known.ts';
import { type LookUpDependencies, lookUp } from './look-up.ts';
import { channelGoneShape, channelShape, type DiscordChannel, guildShape, threadsShape } from './payload.ts';

export interface PlacesDependencies extends LookUpDependencies {
  readonly channels: Known['channels'];
}

/** What an event says of its place. */
export interface PlaceHint {
  readonly guildId?: string | null | undefined;
  readonly type?: number | undefined;
}

const threads: readonly number[] = [
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
];

/** Where Discord's channels and threads are: known from what the gateway tells, or asked for. */
export class Places {
  readonly #dependencies: PlacesDependencies;
  readonly #looks = new Map<string, Promise<void>>();

  constructor(dependencies: PlacesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Takes any event, of any shape. */
  note(event: string, payload: unknown): void {
    switch (event) {
      case 'GUILD_CREATE': {
        const { data } = guildShape.safeParse(payload);
        for (const channel of [...(data?.channels ?? []), ...(data?.threads ?? [])]) this.add(channel, data?.id);
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
        const { data } = channelGoneShape.safeParse(payload);
        if (data !== undefined) this.#dependencies.channels.delete(data.id);
        return;
      }
    }
  }

  /** Remembers where the channel is. What does not say so is not remembered. */
  add(channel: DiscordChannel, guildId: string | null | undefined = channel.guild_id): void {
    const told = { ...channel, guild_id: guildId };
    if (conversationOf(told) !== undefined) this.#dependencies.channels.set(channel.id, told);
  }

  nameOf(channelId: string): string | undefined {
    return this.#dependencies.channels.get(channelId)?.name;
  }

  /** The conversation that takes place there, as far as it is sure without asking. */
  find(channelId: string, { guildId, type }: PlaceHint = {}): Conversation | undefined {
    const known = this.#dependencies.channels.get(channelId);
    if (known !== undefined) return conversationOf(known);
    return type === undefined ? undefined : conversationOf({ id: channelId, type, guild_id: guildId, name: undefined });
  }

  /** Asks where it is. Throws `ChannelError`: a permanent one if nothing can be said there. */
  async learn(channelId: string): Promise<Conversation> {
    const look = this.#looks.get(channelId) ?? this.#look(channelId);
    this.#looks.set(channelId, look);
    await look;
    const conversation = this.find(channelId);
    if (conversation === undefined)
      throw new ChannelError({ type: 'permanent' }, 'Discord says nothing of this place that could be understood');
    return conversation;
  }

  async #look(channelId: string): Promise<void> {
    try {
      const { data } = channelShape.safeParse(await lookUp(`/channels/${channelId}`, this.#dependencies));
      if (data?.id !== channelId)
        throw new ChannelError({ type: 'transient' }, 'Discord, a channel: it says nothing of it');
      this.add(data);
    } finally {
      this.#looks.delete(channelId);
    }
  }
}

/** Undefined where it is not said, or where nobody talks. */
function conversationOf({ id, type, name, guild_id, parent_id }: DiscordChannel): Conversation | undefined {
  if (typeof guild_id !== 'string') {
    if (type === ChannelType.DM) return { channel: 'discord', chatId: id, kind: 'direct' };
    return type === ChannelType.GroupDM ? { channel: 'discord', chatId: id, kind: 'group' } : undefined;
  }
  const guild = { channel: 'discord', tenant: guild_id, kind: 'group' } as const;
  const isNamed = name !== undefined && name !== '';
  if (!threads.includes(type)) return { ...guild, chatId: id, ...(isNamed && { title: `#${name}` }) };
  if (typeof parent_id !== 'string') return undefined;
  return { ...guild, chatId: parent_id, threadId: id, ...(isNamed && { title: name }) };
}
