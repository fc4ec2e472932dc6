import type { Upload } from './files.ts';
import { findMentions, type NewMessage } from './messages.ts';
import {
  botId,
  type Channel,
  channelTypes,
  type Guild,
  type Permission,
  type Person,
  userOf,
  wireGuild,
} from './places.ts';
import type { DiscordWorld, MessageEvent } from './world.ts';

export interface SayOptions {
  /** In a direct chat the person of the chat, if not set; elsewhere the owner of the guild. */
  readonly from?: Person;
  readonly replyTo?: string;
  /** Whether a reply calls the one whom it answers. It does, if not set. */
  readonly ping?: boolean;
  readonly files?: readonly (Omit<Upload, 'mediaType'> & { readonly mediaType?: string })[];
  /** A program that writes with a webhook: its id and its name. */
  readonly webhook?: { readonly id: string; readonly name: string };
  /** What the platform itself says has other types than 0 and 19. */
  readonly type?: number;
  readonly embeds?: readonly unknown[];
}

export interface ThreadOptions {
  readonly from?: Person;
  /** Whether the gateway tells that there is one. */
  readonly isAnnounced?: boolean;
}

/** What people and other programs do, told to the bot as events. */
export function createPeople(world: DiscordWorld) {
  const { places, messages } = world;
  return {
    /** Writes a message. Gives it as the event carries it. */
    say(channelId: string, text: string, options: SayOptions = {}): MessageEvent {
      return world.wireEvent(world.post(channelId, messageOf(channelId, text, options, world)));
    },

    /** Writes the first message of a new thread in a forum. The thread and the message have one id. */
    post(forumId: string, name: string, text: string, options: SayOptions = {}): MessageEvent {
      const { id } = openThread(forumId, name, options, world);
      return world.wireEvent(world.post(id, { ...messageOf(id, text, options, world), id }));
    },

    /** Opens a thread in a channel, of which the platform tells there. Gives its id. */
    startThread(channelId: string, name: string, options: ThreadOptions = {}): string {
      const { id, thread } = openThread(channelId, name, options, world);
      world.post(channelId, messageOf(channelId, name, { from: thread?.ownerId ?? '', type: 18 }, world));
      return id;
    },

    /** Changes what somebody said. */
    edit(channelId: string, messageId: string, text: string): MessageEvent {
      const message = messages.get(channelId, messageId);
      const mentions = mentionsIn({ channelId, text, replyTo: message.replyTo }, world);
      return world.wireEvent(world.change(message, { content: text, mentions }));
    },

    /** Takes back what somebody said. */
    delete(channelId: string, messageId: string): void {
      world.remove(messages.get(channelId, messageId));
    },

    /** Archives or locks a thread, or opens it again. */
    changeThread(threadId: string, state: { readonly archived?: boolean; readonly locked?: boolean }): void {
      world.changeThread(places.get(threadId), state);
    },

    /** Lets no direct message of the bot come through. */
    closeDirectChat(person: Person): void {
      places.add({ ...places.direct(person), isClosed: true });
    },
  };
}

function mentionsIn(
  {
    channelId,
    text,
    replyTo,
  }: { readonly channelId: string; readonly text: string; readonly replyTo?: string | undefined },
  world: DiscordWorld,
): NewMessage['mentions'] {
  const { places, messages } = world;
  const guild = places.guildOf(places.get(channelId));
  const repliedUser = messages.find(channelId, replyTo)?.author;
  const { users, pings } = findMentions(text, { guild, mayCallEveryone: true, repliedUser });
  const known = users.filter(({ id }) => id === botId || places.people.has(id));
  return { pings, users: known.map((user) => (user.id === botId ? world.account.user : user)) };
}

function messageOf(channelId: string, text: string, options: SayOptions, world: DiscordWorld): NewMessage {
  const { places, attachments } = world;
  const channel = places.get(channelId);
  const {
    replyTo,
    webhook,
    from,
    embeds = [],
    files = [],
    ping = true,
    type = replyTo === undefined ? 0 : 19,
  } = options;
  const stored = files.map(({ mediaType = 'application/octet-stream', ...file }) =>
    attachments.add(world.nextId(), channelId, { ...file, mediaType }),
  );
  const program = webhook && { ...userOf(webhook.id), username: webhook.name, global_name: null, bot: true };
  return {
    author: program ?? places.actor(channel, from),
    type,
    content: text,
    embeds,
    components: [],
    files: stored,
    flags: 0,
    mentions: mentionsIn({ channelId, text, replyTo: ping ? replyTo : undefined }, world),
    replyTo,
    webhookId: webhook?.id,
  };
}

function openThread(
  parentId: string,
  name: string,
  { from, isAnnounced = true }: ThreadOptions,
  world: DiscordWorld,
): Channel {
  const { places } = world;
  const { id, guildId = '', ...parent } = places.get(parentId);
  const { id: ownerId } = places.actor({ id, guildId, ...parent }, from);
  const state = { ownerId, archived: false, locked: false };
  const place = { name, guildId, parentId, denied: [], isAnnounced, thread: state };
  const thread = places.add({ id: world.nextId(), type: channelTypes.thread, ...place });
  world.tellOfChannel('THREAD_CREATE', thread);
  return thread;
}

export interface GuildOptions {
  readonly name?: string;
  readonly owner?: Person;
  readonly isNew?: boolean;
}

/** Makes guilds and channels, and says what the bot may do in them. */
export function createScenery(world: DiscordWorld) {
  const { places, account } = world;
  return {
    /** A guild that the bot is in, with nothing in it: for long, or only now. */
    addGuild({ name = 'Guild', owner = '1001', isNew = false }: GuildOptions = {}): Guild {
      const [id, botRoleId] = [world.nextId(), world.nextId()];
      const user = places.meet(owner);
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
        joinedAt: isNew ? new Date(world.now()).toISOString() : '2026-01-01T00:00:00.000Z',
        roles: new Map(roles.map((role) => [role.id, role])),
        members: new Map(members.map((member) => [member.user.id, member])),
      };
      places.guilds.set(id, guild);
      world.gateway.publish('GUILD_CREATE', 1 << 0, wireGuild(guild, places));
      return guild;
    },

    /** Somebody takes the bot out of the guild. */
    leaveGuild(guildId: string): void {
      places.guilds.delete(guildId);
      world.gateway.publish('GUILD_DELETE', 1 << 0, { id: guildId });
    },

    /** `denied`: what the bot may not do there. Gives its id. */
    addChannel(
      guildId: string,
      options: {
        readonly name?: string;
        readonly type?: 'text' | 'forum';
        readonly denied?: readonly Permission[];
      } = {},
    ): string {
      const { name = 'general', type = 'text', denied = [] } = options;
      const id = world.nextId();
      const place = { id, type: channelTypes[type], name, guildId, denied, isAnnounced: true };
      world.tellOfChannel('CHANNEL_CREATE', places.add(place));
      return id;
    },

    /** From now on the bot may do everything there but this. */
    deny(channelId: string, ...denied: readonly Permission[]): void {
      world.tellOfChannel('CHANNEL_UPDATE', places.add({ ...places.get(channelId), denied }));
    },

    /** A role that people can have and that can be called. Gives its id. */
    addRole(guildId: string, name: string, holders: readonly Person[] = []): string {
      const guild = places.guilds.get(guildId);
      const id = world.nextId();
      guild?.roles.set(id, { id, name });
      for (const holder of holders) {
        const user = holder === botId ? account.user : places.meet(holder);
        const { roles = [] } = guild?.members.get(user.id) ?? {};
        guild?.members.set(user.id, { user, roles: [...roles, id] });
      }
      return id;
    },
  };
}
