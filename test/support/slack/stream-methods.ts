import { z } from 'zod';
import type { JsonObject } from '../../../src/lib/json.ts';
import { checkBlocks } from './blocks.ts';
import type { Events } from './events.ts';
import { checkMarkdown } from './message-content.ts';
import { checkThread, type MessageMethods } from './message-methods.ts';
import type { MessageWire } from './message-wire.ts';
import { anyObject, objectList, read, structure, threadTimestamp, timestamp } from './parameters.ts';
import { Refusal } from './refusal.ts';
import type { Rooms, StoredMessage } from './rooms.ts';
import type { ScaledTime } from './scaled-time.ts';
import { selfOf } from './self.ts';
import type { Installation } from './workspace-options.ts';

interface Dependencies {
  readonly installation: Installation;
  readonly rooms: Rooms;
  readonly messages: MessageMethods;
  readonly wire: MessageWire;
  readonly events: Events;
  readonly time: ScaledTime;
}

type Params = Readonly<Record<string, unknown>>;

/** How long a stream lives, in Slack's seconds. */
const lifetime = 300;
const mostTogether = 12_000;

const writing = { markdown_text: z.string().optional() };

const startParameters = z.strictObject({
  ...{ channel: z.string(), thread_ts: threadTimestamp, ...writing },
  ...{ recipient_user_id: z.string().optional(), recipient_team_id: z.string().optional() },
});
const appendParameters = z.strictObject({ channel: z.string(), ts: timestamp, ...writing });
const stopParameters = appendParameters.extend({
  ...{
    blocks: objectList.optional(),
    metadata: structure(anyObject).optional(),
    session_status: z.string().optional(),
  },
});
const codes = { channel: 'channel_not_found', thread_ts: 'invalid_thread_ts' };

/** The methods that let a message grow while it is written. */
export class StreamMethods {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  startStream(params: Params): JsonObject {
    const given = read(startParameters, params, codes);
    const { installation, rooms, messages, time } = this.#dependencies;
    const room = rooms.writable(given.channel);
    if (room.kind !== 'im') {
      if (!given.recipient_user_id) throw new Refusal('missing_recipient_user_id');
      if (!given.recipient_team_id) throw new Refusal('missing_recipient_team_id');
      if (!room.members.has(given.recipient_user_id)) throw new Refusal('user_not_found');
    }
    checkThread(room, given.thread_ts);
    const written = { text: grown('', given.markdown_text), isMarkdown: true, blocks: [] };
    const author = selfOf(installation);
    const stored = messages.post(room, { author, ...written, threadTs: given.thread_ts, streaming: 'in_progress' });
    time.after(lifetime, () => this.#expire(room.id, stored.ts));
    return { channel: room.id, ts: stored.ts };
  }

  appendStream(params: Params): JsonObject {
    const given = read(appendParameters, params, codes);
    const message = this.#growing(given.channel, given.ts);
    if (given.markdown_text === undefined) throw new Refusal('no_text');
    this.#dependencies.rooms.replace({ ...message, text: grown(message.text, given.markdown_text) });
    return { channel: given.channel, ts: given.ts };
  }

  stopStream(params: Params): JsonObject {
    const given = read(stopParameters, params, codes);
    const { rooms, events, wire } = this.#dependencies;
    const message = this.#growing(given.channel, given.ts);
    const written = { ...message, text: grown(message.text, given.markdown_text) };
    const blocks = [...(message.blocks ?? []), ...checkBlocks(given.blocks ?? [], 'message')];
    const metadata = given.metadata === undefined ? {} : { metadata: given.metadata };
    const stopped = rooms.replace({ ...written, ...metadata, blocks, streaming: 'completed' });
    events.changed(message, stopped);
    return { channel: given.channel, ts: given.ts, message: wire.of(stopped) };
  }

  #growing(channel: string, ts: string): StoredMessage {
    const message = this.#dependencies.rooms.writable(channel).messages.get(ts);
    if (message === undefined) throw new Refusal('message_not_found');
    if (message.author.kind !== 'self') throw new Refusal('message_not_owned_by_app');
    if (message.streaming !== 'in_progress') throw new Refusal('message_not_in_streaming_state');
    return message;
  }

  #expire(channel: string, ts: string): void {
    const message = this.#dependencies.rooms.get(channel)?.messages.get(ts);
    if (message?.streaming === 'in_progress') this.#dependencies.rooms.replace({ ...message, streaming: 'errored' });
  }
}

/** Puts behind what stands there already what was written now. */
function grown(before: string, markdown: string | undefined): string {
  const text = before + (markdown === undefined ? '' : checkMarkdown(markdown));
  if (text.length > mostTogether) throw new Refusal('msg_too_long');
  return text;
}
