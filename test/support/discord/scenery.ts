import type { BotAccount } from './bot-account.ts';
import type { Person } from './bot-user.ts';
import type { DirectChats } from './direct-chats.ts';
import { intents, type Publish } from './intents.ts';
import { bitsOf, type Permission } from './permissions.ts';
import { wireGuildCreate } from './place-wire.ts';
import { channelTypes, type Guild, type Places } from './places.ts';
import type { Posts } from './posts.ts';
import type { Snowflakes } from './snowflakes.ts';

export interface GuildOptions {
  readonly name?: string;
  readonly owner?: Person;
  /** Whether the gateway tells that there is one. */
  readonly isAnnounced?: boolean;
}

export interface ChannelOptions {
  readonly name?: string;
  readonly type?: 'text' | 'announcement' | 'forum';
  /** What the bot may not do there. */
  readonly denied?: readonly Permission[];
  /** Whether the gateway tells that there is one. */
  readonly isAnnounced?: boolean;
}

interface Dependencies {
  readonly account: BotAccount;
  readonly directChats: DirectChats;
  readonly places: Places;
  readonly posts: Posts;
  readonly publish: Publish;
  readonly snowflakes: Snowflakes;
  readonly now: () => number;
}

/** Makes guilds and channels, and says what the bot may do in them. */
export class Scenery {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** A guild that the bot is in, with nothing in it. */
  addGuild({ name = 'Guild', owner = '1001', isAnnounced = true }: GuildOptions = {}): Guild {
    const { account, directChats, places, publish, snowflakes, now } = this.#dependencies;
    const [id, botRoleId] = [snowflakes.next(), snowflakes.next()];
    const user = directChats.meet(owner);
    const roles = [
      { id, name: '@everyone' },
      { id: botRoleId, name: account.user.username, isOfBot: true },
    ];
    const members = [
      { user: account.user, roles: [botRoleId] },
      { user, roles: [] },
    ];
    const guild: Guild = {
      id,
      name,
      ownerId: user.id,
      botRoleId,
      roles: new Map(roles.map((role) => [role.id, role])),
      members: new Map(members.map((member) => [member.user.id, member])),
      isAnnounced,
      joinedAt: now(),
    };
    places.guilds.set(id, guild);
    if (isAnnounced) publish({ event: 'GUILD_CREATE', intent: intents.guilds, data: wireGuildCreate(guild, places) });
    return guild;
  }

  /** The bot is thrown out. */
  removeGuild(guildId: string): void {
    const { places, publish } = this.#dependencies;
    places.guilds.delete(guildId);
    publish({ event: 'GUILD_DELETE', intent: intents.guilds, data: { id: guildId } });
  }

  /** Gives its id. */
  addChannel(guildId: string, options: ChannelOptions = {}): string {
    const { places, posts, snowflakes } = this.#dependencies;
    const { name = 'general', type = 'text', denied = [], isAnnounced = true } = options;
    const id = snowflakes.next();
    const place = { id, type: channelTypes[type], name, guildId, denied: bitsOf(denied), isAnnounced };
    posts.tellOfChannel('CHANNEL_CREATE', places.add(place));
    return id;
  }

  /** From now on the bot may do everything there but this. */
  deny(channelId: string, ...denied: readonly Permission[]): void {
    const { places, posts } = this.#dependencies;
    posts.tellOfChannel('CHANNEL_UPDATE', places.add({ ...places.get(channelId), denied: bitsOf(denied) }));
  }

  /** A role that people can have and that can be called. Gives its id. */
  addRole(guildId: string, name: string, holders: readonly Person[] = []): string {
    const { account, directChats, places, snowflakes } = this.#dependencies;
    const guild = places.guild(guildId);
    const id = snowflakes.next();
    guild.roles.set(id, { id, name });
    for (const holder of holders) {
      const user = holder === account.user.id ? account.user : directChats.meet(holder);
      const { roles = [] } = guild.members.get(user.id) ?? {};
      guild.members.set(user.id, { user, roles: [...roles, id] });
    }
    return id;
  }
}
