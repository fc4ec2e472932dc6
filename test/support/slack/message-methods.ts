import { z } from 'zod';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { AssistantThreads } from './assistant-threads.ts';
import type { Directory } from './directory.ts';
import type { Events } from './events.ts';
import { checkUpdate, contentFields, contentOf } from './message-content.ts';
import type { MessageWire } from './message-wire.ts';
import { anyObject, flag, read, structure, threadTimestamp, timestamp } from './parameters.ts';
import { Refusal } from './refusal.ts';
import type { NewMessage, Room, Rooms, StoredMessage } from './rooms.ts';
import { directRoom, selfOf } from './self.ts';
import type { Installation } from './workspace-options.ts';

interface Dependencies {
  readonly installation: Installation;
  readonly rooms: Rooms;
  readonly directory: Directory;
  readonly wire: MessageWire;
  readonly events: Events;
  readonly threads: AssistantThreads;
  readonly hasMessagesTab: () => boolean;
}

type Params = Readonly<Record<string, unknown>>;

const naming = { parse: z.enum(['full', 'none']).optional(), link_names: flag.optional(), as_user: flag.optional() };
const disguise = {
  username: z.string().optional(),
  icon_emoji: z.string().optional(),
  icon_url: z.string().optional(),
};
const metadata = structure(
  z.strictObject({ event_type: z.string().min(1).max(255), event_payload: anyObject }),
  'invalid_metadata_format',
).optional();
const threadFields = { thread_ts: threadTimestamp.optional() };
const codes = { channel: 'channel_not_found', thread_ts: 'invalid_thread_ts', metadata: 'invalid_metadata_schema' };

const postParameters = z.strictObject({
  ...{ channel: z.string(), ...contentFields, ...threadFields, ...naming, ...disguise, metadata },
  ...{ reply_broadcast: flag.optional(), mrkdwn: flag.optional() },
  ...{ unfurl_links: flag.default(false), unfurl_media: flag.default(true) },
});
const updateParameters = z.strictObject({
  ...{ channel: z.string(), ts: timestamp, ...contentFields, ...naming, metadata },
  ...{ reply_broadcast: flag.optional(), file_ids: structure(z.array(z.string())).optional() },
});
const deleteParameters = z.strictObject({ channel: z.string(), ts: timestamp, as_user: flag.optional() });
const ephemeralParameters = z.strictObject({
  ...{ channel: z.string(), user: z.string(), ...contentFields, ...threadFields, ...naming, ...disguise },
});

/** The methods that put messages into conversations and change them. */
export class MessageMethods {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  postMessage(params: Params): JsonObject {
    const given = read(postParameters, params, codes);
    const room = this.#roomFor(given.channel);
    const { installation } = this.#dependencies;
    const { thread_ts: threadTs, username } = given;
    const content = contentOf(given);
    checkThread(room, threadTs);
    const stored = this.post(room, {
      author: { ...selfOf(installation), ...(username !== undefined && { username }) },
      ...content,
      unfurls: { links: given.unfurl_links, media: given.unfurl_media },
      findsNames: given.link_names === true || given.parse === 'full',
      ...(threadTs !== undefined && { threadTs }),
      ...(given.reply_broadcast === true && threadTs !== undefined && { isBroadcast: true }),
      ...(given.metadata !== undefined && { metadata: given.metadata }),
      ...(username !== undefined && { subtype: 'bot_message' }),
    });
    return { channel: room.id, ts: stored.ts, message: this.#dependencies.wire.of(stored) };
  }

  update(params: Params): JsonObject {
    const given = read(updateParameters, params, codes);
    const { events, wire } = this.#dependencies;
    const message = this.#own(given.channel, given.ts, 'cant_update_message');
    if (message.streaming === 'in_progress') throw new Refusal('streaming_state_conflict');
    checkUpdate(given);
    const content = contentOf(given);
    // Blocks stay until they are replaced; an empty list takes them away.
    const isKept = given.blocks === undefined && given.markdown_text === undefined;
    const edited = this.#dependencies.rooms.edit(message, {
      ...content,
      ...(isKept && { blocks: message.blocks ?? [] }),
      findsNames: given.link_names === true || given.parse === 'full',
      ...(given.metadata !== undefined && { metadata: given.metadata }),
      ...(message.streaming !== undefined && { streaming: 'completed' }),
    });
    events.changed(message, edited);
    const text = edited.text;
    return { channel: message.room.id, ts: message.ts, text, message: wire.of(edited) };
  }

  delete(params: Params): JsonObject {
    const { channel, ts } = read(deleteParameters, params, codes);
    const message = this.#own(channel, ts, 'cant_delete_message');
    if (message.streaming === 'in_progress') throw new Refusal('cant_delete_message');
    message.room.messages.delete(ts);
    this.#dependencies.events.deleted(message);
    return { channel, ts };
  }

  postEphemeral(params: Params): JsonObject {
    const given = read(ephemeralParameters, params, { ...codes, user: 'user_not_in_channel' });
    const room = this.#roomFor(given.channel);
    if (!room.members.has(given.user)) throw new Refusal('user_not_in_channel');
    const content = contentOf(given);
    checkThread(room, given.thread_ts);
    const { ts } = this.#dependencies.rooms.addEphemeral(room, {
      ...content,
      userId: given.user,
      ...(given.thread_ts !== undefined && { threadTs: given.thread_ts }),
    });
    return { message_ts: ts };
  }

  /** Puts it there, and tells the app of it as of everything that is said. */
  post(room: Room, message: NewMessage): StoredMessage {
    const { rooms, events, threads } = this.#dependencies;
    const stored = rooms.add(room, message);
    if (message.threadTs !== undefined) threads.clearStatus(room.id, message.threadTs);
    events.posted(stored);
    return stored;
  }

  /** A person's id stands for the direct conversation with that person. */
  #roomFor(channel: string): Room {
    const { rooms, directory, hasMessagesTab } = this.#dependencies;
    const isPerson = /^[UW]/.test(channel) && directory.has(channel);
    const room = isPerson ? directRoom(rooms, channel) : rooms.writable(channel);
    if (room.kind === 'im' && !hasMessagesTab()) throw new Refusal('messages_tab_disabled');
    return room;
  }

  #own(channel: string, ts: string, refusal: string): StoredMessage {
    const message = this.#dependencies.rooms.writable(channel).messages.get(ts);
    if (message === undefined) throw new Refusal('message_not_found');
    if (message.author.kind !== 'self') throw new Refusal(refusal);
    return message;
  }
}

/** A thread is named by its first message. That may be gone; it may not be an answer itself. */
export function checkThread(room: Room, threadTs: string | undefined): void {
  if (threadTs === undefined) return;
  const named = room.messages.get(threadTs);
  if (named?.threadTs !== undefined && named.threadTs !== named.ts) throw new Refusal('cannot_reply_to_message');
}
