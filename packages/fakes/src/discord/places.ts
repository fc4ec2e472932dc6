import { refusals, type Wire } from './refusal.ts';

export const botId = '1100000000000000001';
/** Not the bot's own id, as with old applications, so that nobody takes the one for the other. */
export const applicationId = '1100000000000000002';

/** Somebody, as the platform tells about them. */
export interface User {
  readonly id: string;
  readonly username: string;
  readonly discriminator: string;
  readonly global_name: string | null;
  readonly avatar: string | null;
  readonly bot?: boolean;
}

/** Who does something: the id of a person, or all that the platform tells about one. */
export type Person = string | User;

export function userOf(person: Person): User {
  if (typeof person !== 'string') return person;
  return {
    id: person,
    username: `person_${person}`,
    discriminator: '0',
    global_name: `Person ${person}`,
    avatar: null,
  };
}

/** What a bot may or may not do in a channel, as far as anything here depends on it. */
export type Permission =
  | 'ADD_REACTIONS'
  | 'ATTACH_FILES'
  | 'MENTION_EVERYONE'
  | 'READ_MESSAGE_HISTORY'
  | 'SEND_MESSAGES'
  | 'SEND_MESSAGES_IN_THREADS'
  | 'VIEW_CHANNEL';

interface Role {
  readonly id: string;
  readonly name: string;
  /** Comes with the bot and belongs to it. */
  readonly isOfBot?: boolean;
}

interface Member {
  readonly user: User;
  readonly roles: readonly string[];
}

/** A server, as people call it. Its id is also that of the role that everyone has. */
export interface Guild {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly botRoleId: string;
  /** When the bot came into it. */
  readonly joinedAt: string;
  readonly roles: Map<string, Role>;
  readonly members: Map<string, Member>;
}

export const channelTypes = { text: 0, dm: 1, thread: 11, forum: 15 } as const;

/** A place to write in: a channel of a guild, a thread, a direct chat; or a forum, which holds threads only. */
export interface Channel {
  readonly id: string;
  readonly type: (typeof channelTypes)[keyof typeof channelTypes];
  readonly name: string;
  readonly guildId?: string;
  /** Of a thread: the channel that it is in. */
  readonly parentId?: string;
  /** Of a direct chat. */
  readonly recipient?: User;
  readonly thread?: { readonly ownerId: string; readonly archived: boolean; readonly locked: boolean };
  /** What the bot may not do there. */
  readonly denied: readonly Permission[];
  /** Whether the gateway tells that there is one. */
  readonly isAnnounced: boolean;
  /** The person takes no direct messages of the bot. */
  readonly isClosed?: boolean;
}

/** All guilds, channels, threads, direct chats and people that there are. */
export class Places {
  readonly guilds = new Map<string, Guild>();
  readonly people = new Map<string, User>();
  readonly #channels = new Map<string, Channel>();
  readonly #nextId: () => string;

  constructor(nextId: () => string) {
    this.#nextId = nextId;
  }

  add(channel: Channel): Channel {
    this.#channels.set(channel.id, channel);
    return channel;
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

  guildOf({ guildId = '' }: Channel): Guild | undefined {
    return this.guilds.get(guildId);
  }

  /** From now on, this person exists. */
  meet(person: Person): User {
    const user = typeof person === 'string' ? (this.people.get(person) ?? userOf(person)) : person;
    this.people.set(user.id, user);
    return user;
  }

  /** The chat that the person and the bot have alone. There is one for each, and it stays the same. */
  direct(person: Person): Channel {
    const recipient = this.meet(person);
    const known = this.channels.find((channel) => channel.recipient?.id === recipient.id);
    const fresh = { type: channelTypes.dm, name: '', denied: [], isAnnounced: false, recipient };
    return known ?? this.add({ id: this.#nextId(), ...fresh });
  }

  /** Who acts in the channel: the one who is named, or its own person. Who acts in a guild is a member of it. */
  actor(channel: Channel, named: Person | undefined): User {
    const guild = this.guildOf(channel);
    const user = this.meet(named ?? channel.recipient ?? guild?.ownerId ?? '');
    if (guild !== undefined && !guild.members.has(user.id)) guild.members.set(user.id, { user, roles: [] });
    return user;
  }

  /** As the bot sees it. Throws a refusal if it may not see the channel. */
  visible(channelId: string): Channel {
    const channel = this.#channels.get(channelId);
    if (channel === undefined) throw refusals.unknown(10003, 'Channel');
    if (!this.allows(channel, ['VIEW_CHANNEL'])) throw refusals.missingAccess();
    return channel;
  }

  /** A thread takes what holds in its channel; in a direct chat nothing is denied. */
  allows({ denied, parentId = '' }: Channel, needed: readonly Permission[]): boolean {
    const parent = this.#channels.get(parentId)?.denied ?? [];
    return !needed.some((name) => denied.includes(name) || parent.includes(name));
  }
}

/** A channel, thread or direct chat as an answer or an event carries it. */
export function wireChannel({ id, type, name, guildId, parentId, recipient, thread }: Channel): Wire {
  if (recipient !== undefined) return { id, type, flags: 0, last_message_id: null, recipients: [recipient] };
  const shared = { id, type, name, flags: 0, guild_id: guildId, last_message_id: null };
  if (thread === undefined) return { ...shared, position: 0, parent_id: null, permission_overwrites: [] };
  const { ownerId: owner_id, ...state } = thread;
  return { ...shared, parent_id: parentId, owner_id, thread_metadata: { ...state, auto_archive_duration: 1440 } };
}

/** A guild as the gateway tells of it: with the channels that the bot may see. */
export function wireGuild(guild: Guild, places: Places): Wire {
  const told = places.channels.filter(
    (channel) => channel.guildId === guild.id && channel.isAnnounced && places.allows(channel, ['VIEW_CHANNEL']),
  );
  const { id, name, ownerId: owner_id, joinedAt: joined_at, roles, members } = guild;
  return {
    id,
    name,
    icon: null,
    owner_id,
    joined_at,
    features: [],
    emojis: [],
    large: false,
    unavailable: false,
    member_count: members.size,
    voice_states: [],
    presences: [],
    members: [wireMember(guild, botId)],
    roles: [...roles.values()].map(wireRole),
    channels: told.filter(({ thread }) => thread === undefined).map(wireChannel),
    threads: told.filter(({ thread }) => thread?.archived === false).map(wireChannel),
  };
}

/** Undefined where they are none. `alone`: as a message carries it, whose author stands beside it. */
export function wireMember(guild: Guild | undefined, userId: string, alone = false): Wire | undefined {
  const member = guild?.members.get(userId);
  if (member === undefined) return undefined;
  const { user, roles } = member;
  const about = { nick: null, roles, joined_at: '2026-01-01T00:00:00.000Z', deaf: false, mute: false, flags: 0 };
  return alone ? about : { user, ...about };
}

function wireRole({ id, name, isOfBot = false }: Role): Wire {
  const tags = isOfBot && { tags: { bot_id: botId, integration_id: applicationId } };
  return { id, name, color: 0, permissions: '0', managed: isOfBot, mentionable: !isOfBot, ...tags };
}
