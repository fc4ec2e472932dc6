import type { JsonObject } from '../json.ts';
import type { Delivery } from './deliveries.ts';
import { tell, tellChanged, tellDeleted, tellOf, tellPosted } from './events.ts';
import { asTyped, richTextOf } from './markup.ts';
import { mediaTypeOf } from './methods.ts';
import type { Author, NewMessage, Room, StoredFile, StoredMessage } from './rooms.ts';
import type { SlackState } from './state.ts';
import { wireEvent } from './wire.ts';

export interface SayOptions {
  /** A user's id. In a direct conversation the person of it, if not set; elsewhere `U00PERSON`. */
  readonly from?: string;
  /** In a thread: of the message that begins it. */
  readonly threadTs?: string;
  /** Shows an answer in the channel, too. */
  readonly isBroadcast?: boolean;
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
}

/** What somebody did, and what the app was told of it. */
export interface Said {
  readonly channel: string;
  readonly ts: string;
  readonly deliveries: readonly Delivery[];
}

/** What people do in their conversations, told to the app as events. */
export function createPeople(state: SlackState) {
  const { rooms, parts } = state;
  const { installation, identifiers } = parts;
  return {
    say: (channel: string, text: string, options: SayOptions = {}): Said => post({ channel, text, options }, state),

    /** Sends files, with a text or without. */
    share(channel: string, files: readonly PersonFile[], text = '', options: SayOptions = {}): Said {
      const { from: userId = defaultPerson(roomOf(channel, state)) } = options;
      const stored = files.map(({ bytes, name, mediaType = mediaTypeOf(name) }): StoredFile => {
        const file = { id: identifiers.next('F'), bytes, name, title: name, mediaType, userId };
        state.files.set(file.id, file);
        return file;
      });
      return post({ channel, text, options, extra: { files: stored, subtype: 'file_share' } }, state);
    },

    /** Changes what a person said. */
    edit(channel: string, ts: string, text: string): Said {
      const message = standing(channel, ts, state);
      const wired = asTyped(text);
      const edited = rooms.edit(message, { text: wired, blocks: [richTextOf(wired)] });
      return told({ channel, ts }, [tellChanged(state, message, edited)], state);
    },

    delete(channel: string, ts: string): Said {
      const message = standing(channel, ts, state);
      message.room.messages.delete(ts);
      return told({ channel, ts }, [tellDeleted(state, message)], state);
    },

    /** Opens the assistant pane: the app begins a thread there, which `ts` names. */
    openAssistant(userId: string): Said {
      state.addPerson({ id: userId });
      const room = rooms.direct(userId);
      const said = { author: state.self, text: 'New Assistant Thread', subtype: 'assistant_app_thread' };
      const { ts: thread_ts } = rooms.add(room, said);
      const context = { team_id: installation.teamId, enterprise_id: null };
      const assistant_thread = { user_id: userId, context, channel_id: room.id, thread_ts };
      const event_ts = identifiers.timestamp();
      const started = tell(state, { type: 'assistant_thread_started', assistant_thread, event_ts });
      return told({ channel: room.id, ts: thread_ts }, [started], state);
    },

    /** Invites the app into a channel. */
    invite(channel: string, from = 'U00PERSON'): Said {
      const room = rooms.open(channel);
      state.addPerson({ id: from });
      room.hasBot = true;
      const event_ts = identifiers.timestamp();
      const place = { channel, channel_type: room.kind === 'channel' ? 'C' : 'G', team: installation.teamId };
      const joined = { type: 'member_joined_channel', user: installation.botUserId, ...place, inviter: from, event_ts };
      return told({ channel, ts: event_ts }, [tell(state, joined)], state);
    },

    /** Takes the app out of a channel. */
    remove(channel: string, from = 'U00PERSON'): Said {
      const room = rooms.visible(channel);
      room.hasBot = false;
      const event_ts = identifiers.timestamp();
      const type = room.kind === 'channel' ? 'channel_left' : 'group_left';
      return told({ channel, ts: event_ts }, [tell(state, { type, channel, actor_id: from, event_ts })], state);
    },

    /** Opens the app's own page. */
    openHome(userId: string, tab: 'home' | 'messages' = 'messages'): Said {
      state.addPerson({ id: userId });
      const channel = rooms.direct(userId).id;
      const event_ts = identifiers.timestamp();
      const opened = tell(state, { type: 'app_home_opened', user: userId, channel, tab, event_ts });
      return told({ channel, ts: event_ts }, [opened], state);
    },
  };
}

/** A conversation that nobody has opened is as its id says. */
function roomOf(channel: string, { rooms }: SlackState): Room {
  const isNewDirect = channel.startsWith('D') && rooms.get(channel) === undefined;
  return isNewDirect ? rooms.direct(`U${channel.slice(1)}`) : rooms.open(channel);
}

function standing(channel: string, ts: string, state: SlackState): StoredMessage {
  const message = roomOf(channel, state).messages.get(ts);
  if (message === undefined) throw new Error(`There is no message ${ts} in ${channel}.`);
  return message;
}

function told(
  { channel, ts }: Pick<Said, 'channel' | 'ts'>,
  deliveries: readonly (Delivery | undefined)[],
  { parts }: SlackState,
): Said {
  parts.changes.notify();
  return { channel, ts, deliveries: deliveries.filter((delivery) => delivery !== undefined) };
}

function authorIn(room: Room, { from = defaultPerson(room), bot, guestTeamId }: SayOptions, state: SlackState): Author {
  if (bot !== undefined) {
    if (bot.userId !== undefined) state.addPerson({ id: bot.userId, name: bot.username ?? 'other', isBot: true });
    return { kind: 'bot', username: 'other', ...bot };
  }
  const guest = guestTeamId === undefined ? {} : { teamId: guestTeamId };
  state.addPerson({ id: from, ...guest });
  return { kind: 'person', userId: from, ...guest };
}

interface Words {
  readonly channel: string;
  readonly text: string;
  readonly options: SayOptions;
  readonly extra?: Partial<NewMessage>;
}

function post({ channel, text, options, extra = {} }: Words, state: SlackState): Said {
  const room = roomOf(channel, state);
  const { threadTs, isBroadcast, isMe = false, isRaw = false, bot } = options;
  const wired = isRaw ? text : asTyped(text);
  const isTyped = wired !== '' && bot === undefined && !isMe;
  const message = state.rooms.add(room, {
    author: authorIn(room, options, state),
    text: wired,
    threadTs,
    isBroadcast,
    blocks: options.blocks ?? (isTyped ? [richTextOf(wired)] : []),
    subtype: bot === undefined ? (isMe ? 'me_message' : undefined) : 'bot_message',
    ...extra,
  });
  return told({ channel, ts: message.ts }, [tellPosted(state, message), tellMention(message, state)], state);
}

/** An event of its own, with an id of its own, where the app is named and others are, too. */
function tellMention(message: StoredMessage, state: SlackState): Delivery | undefined {
  const { room, text } = message;
  if (room.kind === 'im' || !text.includes(`<@${state.parts.installation.botUserId}>`)) return undefined;
  const { channel_type: _place, subtype: _subtype, ...event } = wireEvent(state, message);
  return tellOf(state, room, { ...event, type: 'app_mention' });
}

export function defaultPerson(room: Room): string {
  return room.kind === 'im' ? `U${room.id.slice(1)}` : 'U00PERSON';
}
