import { Changes } from '../changes.ts';
import { Attachments } from './files.ts';
import { Gateway } from './gateway.ts';
import { type MessageContent, Messages, type NewMessage, type StoredMessage } from './messages.ts';
import { applicationId, botId, type Channel, Places, type User, userOf, wireChannel, wireMember } from './places.ts';
import type { Wire } from './refusal.ts';
import { type DiscordTimes, makeTimes } from './times.ts';

export interface DiscordOptions {
  /** In milliseconds since 1970. Everything goes by it. */
  readonly now?: () => number;
  /** By it all of Discord's times are multiplied; 1 if not set. */
  readonly timeScale?: number;
  /** Some of the times, in milliseconds, whatever the scale is. */
  readonly times?: Partial<DiscordTimes>;
  /** The host that it says it has, behind https: its own address if not set. */
  readonly shownAs?: string;
}

/** A message as events carry it, as far as tests look into it. */
export type MessageEvent = Wire & {
  readonly id: string;
  readonly channel_id: string;
  readonly attachments: readonly ReturnType<Attachments['wire']>[];
};

/** A command that people can pick. */
export interface RegisteredCommand {
  readonly id: string;
  /** 1 is a slash command, 3 stands in the menu of messages. */
  readonly type: 1 | 3;
  readonly name: string;
  readonly description: string;
  readonly description_localizations: Readonly<Partial<Record<string, string>>>;
  readonly options: readonly RegisteredOption[];
}

interface RegisteredOption {
  readonly description_localizations: Readonly<Partial<Record<string, string>>>;
}

/** What an application may be told, by the bits of its flags: the real one, and the one for small bots. */
const grants = [
  { intent: 1 << 8, flags: (1 << 12) | (1 << 13) },
  { intent: 1 << 1, flags: (1 << 14) | (1 << 15) },
  { intent: 1 << 15, flags: (1 << 18) | (1 << 19) },
];

/** The application that the bot belongs to. */
class Application {
  readonly id = applicationId;
  /** What its owner has switched on. */
  flags = 1 << 19;
  /** Where interactions go. The gateway does not tell of them then. */
  interactionsEndpoint: string | null = null;

  mayBeTold(wanted: number): boolean {
    return grants.every(({ intent, flags }) => (wanted & intent) === 0 || (this.flags & flags) !== 0);
  }
}

/** The bot's token: as real ones, the user's number, a time, a signature. */
class BotAccount {
  readonly user: User = { ...userOf(botId), username: 'keyturn_test', global_name: null, bot: true };
  readonly first = `${Buffer.from(botId).toString('base64').replaceAll('=', '')}.GtEsT1.${'t'.repeat(38)}`;
  /** Undefined if there is none that holds. */
  token: string | undefined = this.first;
  /** How often Discord has taken the token away. */
  resets = 0;

  /** No token holds any more. */
  reset(): void {
    this.token = undefined;
    this.resets += 1;
  }
}

const discordEpoch = 1_420_070_400_000;

/** All that there is on a Discord, and how the gateway hears of what changes. */
export class DiscordWorld {
  readonly now: () => number;
  readonly times: DiscordTimes;
  readonly changes = new Changes();
  readonly application = new Application();
  readonly account = new BotAccount();
  readonly places = new Places(() => this.nextId());
  readonly messages = new Messages();
  readonly attachments: Attachments;
  readonly gateway: Gateway;
  commands: readonly RegisteredCommand[] = [];
  /** How often the list of commands was written. */
  commandWrites = 0;
  /** How often a message of more than an hour may be changed. */
  mostLateEdits = 30;
  #lastId = 0n;

  constructor({ now = Date.now, timeScale = 1, times }: DiscordOptions) {
    this.now = now;
    this.times = makeTimes(timeScale, times);
    this.attachments = new Attachments(this.times, now);
    this.gateway = new Gateway(this);
  }

  /** An id as Discord gives it: what was made later has the greater one, and the time stands in it. */
  nextId(): string {
    const fresh = BigInt(Math.trunc(this.now()) - discordEpoch) << 22n;
    this.#lastId = fresh > this.#lastId ? fresh : this.#lastId + 1n;
    return String(this.#lastId);
  }

  /** Shows a message in a channel. A thread that was archived is opened by it. */
  post(channelId: string, message: NewMessage): StoredMessage {
    const channel = this.places.get(channelId);
    if (channel.thread?.archived === true) this.changeThread(channel, { archived: false });
    const id = message.id ?? this.nextId();
    const stored = this.messages.put({ ...message, id, channelId, sentAt: this.now(), edits: 0, reactions: [] });
    this.#tellOfMessage('MESSAGE_CREATE', stored);
    return stored;
  }

  change(message: StoredMessage, content: Partial<MessageContent>): StoredMessage {
    const edited = { ...message, ...content, edits: message.edits + 1, editedAt: this.now() };
    this.#tellOfMessage('MESSAGE_UPDATE', this.messages.put(edited));
    return edited;
  }

  remove({ id, channelId }: StoredMessage): void {
    if (!this.messages.delete(channelId, id)) return;
    const { guildId } = this.places.get(channelId);
    this.#publish(channelId, 'MESSAGE_DELETE', { id, channel_id: channelId, guild_id: guildId });
  }

  /** Archives or locks a thread, or opens it again. */
  changeThread(channel: Channel, state: Partial<Channel['thread']>): Channel {
    const { thread } = channel;
    if (thread === undefined) throw new Error(`The channel ${channel.id} is no thread.`);
    const changed = this.places.add({ ...channel, thread: { ...thread, ...state } });
    this.tellOfChannel('THREAD_UPDATE', changed);
    return changed;
  }

  /** Tells of a channel or thread that is new or changed. */
  tellOfChannel(event: string, channel: Channel): void {
    const isTold = channel.isAnnounced && this.places.allows(channel, ['VIEW_CHANNEL']);
    if (isTold) this.gateway.publish(event, 1 << 0, wireChannel(channel));
    this.changes.notify();
  }

  /** A message as an answer carries it: without the guild and the member. */
  wire(message: StoredMessage, isWithin = false): MessageEvent {
    const { id, channelId, author, content, mentions, flags, nonce, webhookId, type, files, replyTo } = message;
    const { embeds, components, editedAt, sentAt, reactions } = message;
    const replied = this.messages.find(channelId, replyTo);
    const reference = replyTo !== undefined && {
      message_reference: { type: 0, message_id: replyTo, channel_id: channelId },
      ...(!isWithin && { referenced_message: replied === undefined ? null : this.wire(replied, true) }),
    };
    return {
      id,
      channel_id: channelId,
      author,
      content,
      type,
      flags,
      tts: false,
      pinned: false,
      embeds,
      components,
      timestamp: new Date(sentAt).toISOString(),
      edited_timestamp: editedAt === undefined ? null : new Date(editedAt).toISOString(),
      mention_everyone: false,
      mention_roles: [],
      mentions: mentions.users,
      attachments: files.map((file) => this.attachments.wire(file)),
      ...(reactions.length > 0 && { reactions: reactions.map((name) => ({ count: 1, me: true, emoji: { name } })) }),
      ...(nonce !== undefined && { nonce }),
      ...(webhookId !== undefined && { webhook_id: webhookId }),
      ...reference,
    };
  }

  /** A message as an event carries it. */
  wireEvent(message: StoredMessage): MessageEvent {
    const channel = this.places.get(message.channelId);
    const guild = this.places.guildOf(channel);
    const member = message.webhookId === undefined ? wireMember(guild, message.author.id, true) : undefined;
    const mentions = message.mentions.users.map((user) => {
      const mentioned = wireMember(guild, user.id, true);
      return { ...user, ...(mentioned !== undefined && { member: mentioned }) };
    });
    const place = channel.guildId !== undefined && { guild_id: channel.guildId };
    const about = { mentions, channel_type: channel.type, ...place, ...(member !== undefined && { member }) };
    return { ...this.wire(message), ...about };
  }

  #tellOfMessage(event: string, message: StoredMessage): void {
    this.#publish(message.channelId, event, this.wireEvent(message));
  }

  #publish(channelId: string, event: string, data: Wire): void {
    const channel = this.places.get(channelId);
    const intent = channel.guildId === undefined ? 1 << 12 : 1 << 9;
    if (this.places.allows(channel, ['VIEW_CHANNEL'])) this.gateway.publish(event, intent, data);
    this.changes.notify();
  }
}
