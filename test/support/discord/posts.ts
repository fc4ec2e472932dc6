import type { Changes } from '../wait-for.ts';
import { intents, type Publish } from './intents.ts';
import type { MessageEvent, MessageWire } from './message-wire.ts';
import type { MessageContent, Messages, NewMessage, StoredMessage } from './messages.ts';
import { wireChannel, wireMember } from './place-wire.ts';
import type { Channel, Places, ThreadState } from './places.ts';
import type { Snowflakes } from './snowflakes.ts';

interface Dependencies {
  readonly messages: Messages;
  readonly places: Places;
  readonly wire: MessageWire;
  readonly snowflakes: Snowflakes;
  readonly publish: Publish;
  readonly changes: Changes;
  readonly now: () => number;
}

/** Changes what stands in the channels, and tells the gateway of it. */
export class Posts {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** A thread that was archived is opened by it. */
  add(channelId: string, message: NewMessage): StoredMessage {
    const { messages, places, snowflakes, now } = this.#dependencies;
    const channel = places.get(channelId);
    if (channel.thread?.archived === true) this.changeThread(channel, { archived: false });
    const id = message.id ?? snowflakes.next();
    const stored = messages.put({ ...message, id, channelId, sentAt: now(), edits: 0, reactions: new Map() });
    this.#tell('MESSAGE_CREATE', stored);
    return stored;
  }

  change(message: StoredMessage, content: Partial<MessageContent>): StoredMessage {
    const { messages, now } = this.#dependencies;
    const changed = messages.put({ ...message, ...content, edits: message.edits + 1, editedAt: now() });
    this.#tell('MESSAGE_UPDATE', changed);
    return changed;
  }

  /** The platform adds something to it, which is no edit though it is told of as one. */
  decorate(message: StoredMessage, added: Partial<Pick<MessageContent, 'flags' | 'embeds'>>): void {
    this.#tell('MESSAGE_UPDATE', this.#dependencies.messages.put({ ...message, ...added }));
  }

  remove({ id, channelId }: Pick<StoredMessage, 'id' | 'channelId'>): boolean {
    const { messages, places } = this.#dependencies;
    const wasThere = messages.delete(channelId, id);
    const channel = places.get(channelId);
    if (wasThere) this.#publish(channel, 'MESSAGE_DELETE', { id, channel_id: channelId, guild_id: channel.guildId });
    return wasThere;
  }

  /** Somebody adds a reaction or takes it back. The same one twice is one. */
  react(message: StoredMessage, emoji: string, userId: string, isOn: boolean): void {
    const { messages, places } = this.#dependencies;
    const before = message.reactions.get(emoji) ?? [];
    if (before.includes(userId) === isOn) return;
    const after = isOn ? [...before, userId] : before.filter((id) => id !== userId);
    const reactions = new Map(message.reactions).set(emoji, after);
    if (after.length === 0) reactions.delete(emoji);
    messages.put({ ...message, reactions });
    const channel = places.get(message.channelId);
    const guild = places.guildOf(channel);
    const member = guild?.members.get(userId);
    this.#publish(channel, isOn ? 'MESSAGE_REACTION_ADD' : 'MESSAGE_REACTION_REMOVE', {
      user_id: userId,
      channel_id: message.channelId,
      message_id: message.id,
      guild_id: channel.guildId,
      emoji: { id: null, name: emoji },
      burst: false,
      type: 0,
      ...(isOn && { message_author_id: message.author.id }),
      ...(isOn && member !== undefined && guild !== undefined && { member: wireMember(member, guild) }),
    });
  }

  /** Archives, locks or renames a thread, or opens it again. */
  changeThread(channel: Channel, state: Partial<ThreadState>, name = channel.name): Channel {
    const { places, now } = this.#dependencies;
    const { thread } = channel;
    if (thread === undefined) throw new Error(`The channel ${channel.id} is no thread.`);
    const changed = places.add({ ...channel, name, thread: { ...thread, ...state, changedAt: now() } });
    this.tellOfChannel('THREAD_UPDATE', changed);
    return changed;
  }

  /** Tells of a channel or thread that is new, changed or gone. */
  tellOfChannel(event: string, channel: Channel, extra: object = {}): void {
    const { places, publish, changes } = this.#dependencies;
    const isTold = channel.guildId !== undefined && channel.isAnnounced && places.isVisible(channel);
    if (isTold) publish({ event, intent: intents.guilds, data: { ...wireChannel(channel), ...extra } });
    changes.notify();
  }

  #tell(event: string, message: StoredMessage): void {
    const { places, wire } = this.#dependencies;
    const data = wire.event(message);
    this.#publish(places.get(message.channelId), event, data, wire.withoutContent<MessageEvent>(data));
  }

  #publish(channel: Channel, event: string, data: unknown, withoutContent = data): void {
    const { places, publish, changes } = this.#dependencies;
    const isDirect = channel.guildId === undefined;
    const isReaction = event.startsWith('MESSAGE_REACTION');
    const forMessages = isDirect ? intents.directMessages : intents.guildMessages;
    const forReactions = isDirect ? intents.directReactions : intents.guildReactions;
    const intent = isReaction ? forReactions : forMessages;
    if (places.isVisible(channel)) publish({ event, intent, data, withoutContent });
    changes.notify();
  }
}
