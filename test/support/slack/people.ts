import type { JsonObject } from '../../../src/lib/json.ts';
import type { Changes } from '../wait-for.ts';
import type { BotMethods } from './bot-methods.ts';
import type { Delivery } from './deliveries.ts';
import type { Directory } from './directory.ts';
import type { Events } from './events.ts';
import { type Files, mediaTypeOf } from './files.ts';
import type { Identifiers } from './identifiers.ts';
import { asTyped, richTextOf } from './markup.ts';
import type { Author, NewMessage, Room, Rooms, StoredMessage } from './rooms.ts';
import { directRoom, selfOf } from './self.ts';
import type { Installation } from './workspace-options.ts';

export interface SayOptions {
  /** A user's id. In a direct conversation the person of it, if not set; elsewhere `U00PERSON`. */
  readonly from?: string;
  /** In a thread: of the message that begins it. */
  readonly threadTs?: string;
  /** Shows an answer in the channel, too. */
  readonly isBroadcast?: boolean;
  /** Which of the two events comes first where the app is mentioned. */
  readonly order?: 'message-first' | 'mention-first';
  /** Says it as `/me` does. */
  readonly isMe?: boolean;
  /** Another app says it. */
  readonly bot?: { readonly botId: string; readonly username?: string; readonly userId?: string };
  /** The workspace of a guest, in a channel that both workspaces share. */
  readonly guestTeamId?: string;
  /** What the text is on the wire, if not what clients make of what was typed. */
  readonly isRaw?: boolean;
  /** In place of the tree that clients make of the text. */
  readonly blocks?: readonly JsonObject[];
}

/** A file that a person sends. */
export interface PersonFile {
  readonly bytes: Buffer;
  readonly name: string;
  readonly mediaType?: string;
  /** The event tells no more than that the file has to be asked about. */
  readonly isHidden?: boolean;
}

/** What somebody did, and what the app was told of it. */
export interface Said {
  readonly channel: string;
  readonly ts: string;
  readonly deliveries: readonly Delivery[];
}

interface Dependencies {
  readonly installation: Installation;
  readonly rooms: Rooms;
  readonly directory: Directory;
  readonly files: Files;
  readonly events: Events;
  readonly bot: BotMethods;
  readonly identifiers: Identifiers;
  readonly changes: Changes;
  readonly hasMessagesTab: () => boolean;
}

const somebody = 'U00PERSON';

/** What people do in their conversations, told to the app as events. */
export class People {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  say(channel: string, text: string, options: SayOptions = {}): Said {
    return this.#post(channel, text, options, {});
  }

  /** Sends files, with a text or without. */
  share(channel: string, files: readonly PersonFile[], text = '', options: SayOptions = {}): Said {
    const userId = options.from ?? defaultPerson(this.#room(channel));
    const stored = files.map(({ bytes, name, mediaType = mediaTypeOf(name), isHidden = false }) =>
      this.#dependencies.files.add({ bytes, name, title: name, mediaType, userId, isHidden }),
    );
    return this.#post(channel, text, options, { files: stored, subtype: 'file_share' });
  }

  /** Changes what a person said. */
  edit(channel: string, ts: string, text: string): Said {
    const { rooms, events } = this.#dependencies;
    const message = this.#message(channel, ts);
    const wired = asTyped(text);
    const edited = rooms.edit(message, { text: wired, blocks: [richTextOf(wired)] });
    return this.#told(channel, ts, [events.changed(message, edited)]);
  }

  delete(channel: string, ts: string): Said {
    const message = this.#message(channel, ts);
    message.room.messages.delete(ts);
    return this.#told(channel, ts, [this.#dependencies.events.deleted(message)]);
  }

  react(channel: string, ts: string, name: string, options: { from?: string; remove?: boolean } = {}): Said {
    const { from = defaultPerson(this.#room(channel)), remove = false } = options;
    this.#dependencies.bot.react(
      { channel, timestamp: ts, name },
      remove ? 'reaction_removed' : 'reaction_added',
      from,
    );
    return this.#told(channel, ts, []);
  }

  /** Opens the assistant pane: the app begins a thread there, which `ts` names. */
  openAssistant(userId: string, context: { readonly channelId?: string } = {}): Said {
    const { installation, rooms, directory, events, identifiers } = this.#dependencies;
    directory.add({ id: userId });
    const room = directRoom(rooms, userId);
    const author = selfOf(installation);
    const root = rooms.add(room, { author, text: 'New Assistant Thread', subtype: 'assistant_app_thread' });
    const { channelId } = context;
    const seen = {
      ...(channelId !== undefined && { channel_id: channelId }),
      team_id: installation.teamId,
      enterprise_id: null,
    };
    const assistant_thread = { user_id: userId, context: seen, channel_id: room.id, thread_ts: root.ts };
    const started = events.tell({
      type: 'assistant_thread_started',
      assistant_thread,
      event_ts: identifiers.timestamp(),
    });
    return this.#told(room.id, root.ts, [started]);
  }

  /** Opens the app's own page. */
  openHome(userId: string, tab: 'home' | 'messages' = 'messages'): Said {
    const { rooms, directory, events, identifiers } = this.#dependencies;
    directory.add({ id: userId });
    const channel = directRoom(rooms, userId).id;
    const event_ts = identifiers.timestamp();
    return this.#told(channel, event_ts, [
      events.tell({ type: 'app_home_opened', user: userId, channel, tab, event_ts }),
    ]);
  }

  #post(channel: string, text: string, options: SayOptions, extra: Partial<NewMessage>): Said {
    const { rooms, events } = this.#dependencies;
    const room = this.#room(channel);
    if (room.kind === 'im' && !this.#dependencies.hasMessagesTab()) {
      throw new Error('Sending messages to this app has been turned off.');
    }
    const { threadTs, isBroadcast = false, isMe = false, isRaw = false, bot } = options;
    const wired = isRaw ? text : asTyped(text);
    const subtype = bot === undefined ? isMe && 'me_message' : 'bot_message';
    const blocks = options.blocks ?? (wired === '' || bot !== undefined || isMe ? [] : [richTextOf(wired)]);
    const message = rooms.add(room, {
      author: this.#author(room, options),
      text: wired,
      blocks,
      ...(subtype !== false && { subtype }),
      ...extra,
      ...(threadTs !== undefined && { threadTs }),
      ...(isBroadcast && { isBroadcast }),
    });
    const told = [(): Delivery | undefined => events.posted(message), () => this.#mention(message)];
    const inOrder = options.order === 'mention-first' ? told.toReversed() : told;
    return this.#told(
      channel,
      message.ts,
      inOrder.map((tell) => tell()),
    );
  }

  /** An event of its own, with an id of its own, where the app is named and others are, too. */
  #mention(message: StoredMessage): Delivery | undefined {
    const { installation, events } = this.#dependencies;
    const { room, text, subtype } = message;
    if (room.kind === 'im' || !room.hasBot || !text.includes(`<@${installation.botUserId}>`)) return undefined;
    if (subtype === 'me_message') return undefined;
    const { channel_type: _place, subtype: _subtype, ...event } = events.wired(message);
    return events.tell({ ...event, type: 'app_mention' }, room);
  }

  #author(room: Room, { from, bot, guestTeamId }: SayOptions): Author {
    const { directory } = this.#dependencies;
    if (bot !== undefined) {
      const { botId, username = 'other', userId } = bot;
      if (userId !== undefined) directory.add({ id: userId, name: username, isBot: true });
      return { kind: 'bot', botId, username, ...(userId !== undefined && { userId }) };
    }
    const userId = from ?? defaultPerson(room);
    directory.add({ id: userId, ...(guestTeamId !== undefined && { teamId: guestTeamId }) });
    return { kind: 'person', userId, ...(guestTeamId !== undefined && { teamId: guestTeamId }) };
  }

  /** A conversation that nobody has opened is as its id says. */
  #room(channel: string): Room {
    const { rooms } = this.#dependencies;
    if (!channel.startsWith('D')) return rooms.get(channel) ?? rooms.open(channel);
    return rooms.get(channel) ?? directRoom(rooms, `U${channel.slice(1)}`);
  }

  #message(channel: string, ts: string): StoredMessage {
    const message = this.#room(channel).messages.get(ts);
    if (message === undefined) throw new Error(`There is no message ${ts} in ${channel}.`);
    return message;
  }

  #told(channel: string, ts: string, deliveries: readonly (Delivery | undefined)[]): Said {
    this.#dependencies.changes.notify();
    return { channel, ts, deliveries: deliveries.filter((delivery) => delivery !== undefined) };
  }
}

export function defaultPerson(room: Room): string {
  return room.kind === 'im' ? `U${room.id.slice(1)}` : somebody;
}
