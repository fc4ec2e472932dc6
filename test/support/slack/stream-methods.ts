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
const mostTaskText = 256;

const chunk = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('markdown_text'), text: z.string().min(1) }),
  z.strictObject({
    type: z.literal('task_update'),
    id: z.string().min(1),
    title: z.string().max(mostTaskText),
    status: z.enum(['pending', 'in_progress', 'complete', 'error']),
    details: z.string().max(mostTaskText).optional(),
    output: z.string().max(mostTaskText).optional(),
    sources: z.array(anyObject).optional(),
  }),
  z.strictObject({ type: z.literal('plan_update'), title: z.string().max(mostTaskText) }),
  z.strictObject({ type: z.literal('blocks'), blocks: z.array(anyObject) }),
]);
const writing = { markdown_text: z.string().optional(), chunks: structure(z.array(chunk)).optional() };
type Writing = { readonly markdown_text?: string | undefined; readonly chunks?: z.output<typeof chunk>[] | undefined };

const startParameters = z.strictObject({
  ...{ channel: z.string(), thread_ts: threadTimestamp, ...writing },
  ...{ recipient_user_id: z.string().optional(), recipient_team_id: z.string().optional() },
  ...{ task_display_mode: z.enum(['timeline', 'plan']).optional(), username: z.string().optional() },
  ...{ icon_emoji: z.string().optional(), icon_url: z.string().optional() },
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
    const empty = { text: '', isMarkdown: true, tasks: [], blocks: [] };
    const written = isEmpty(given) ? empty : write(empty, given);
    const author = selfOf(installation);
    const stored = messages.post(room, { author, ...written, threadTs: given.thread_ts, streaming: 'in_progress' });
    time.after(lifetime, () => this.#expire(room.id, stored.ts));
    return { channel: room.id, ts: stored.ts };
  }

  appendStream(params: Params): JsonObject {
    const given = read(appendParameters, params, codes);
    const message = this.#growing(given.channel, given.ts);
    if (isEmpty(given)) throw new Refusal('no_text');
    this.#dependencies.rooms.replace({ ...message, ...write(message, given) });
    return { channel: given.channel, ts: given.ts };
  }

  stopStream(params: Params): JsonObject {
    const given = read(stopParameters, params, codes);
    const { rooms, events, wire } = this.#dependencies;
    const message = this.#growing(given.channel, given.ts);
    const written = isEmpty(given) ? message : { ...message, ...write(message, given) };
    const blocks = [...(written.blocks ?? []), ...checkBlocks(given.blocks ?? [], 'message')];
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

function isEmpty({ markdown_text: markdown, chunks = [] }: Writing): boolean {
  return markdown === undefined && chunks.length === 0;
}

type Grown = Required<Pick<StoredMessage, 'text' | 'tasks' | 'blocks'>>;

/** Puts behind what stands there already what was written now. */
function write(
  before: Pick<StoredMessage, 'text' | 'tasks' | 'blocks'>,
  { markdown_text: markdown, chunks = [] }: Writing,
): Grown {
  if (markdown !== undefined && chunks.length > 0) throw new Refusal('markdown_text_conflict');
  let { text, tasks = [], blocks = [] } = before;
  if (markdown !== undefined) text += checkMarkdown(markdown);
  for (const part of chunks) {
    switch (part.type) {
      case 'markdown_text':
        text += checkMarkdown(part.text);
        break;
      case 'task_update': {
        const task: JsonObject = JSON.parse(JSON.stringify(part));
        const at = tasks.findIndex(({ id }) => id === part.id);
        tasks = at === -1 ? [...tasks, task] : tasks.with(at, task);
        break;
      }
      case 'plan_update':
        break;
      case 'blocks':
        blocks = [...blocks, ...checkBlocks(part.blocks, 'message')];
        break;
    }
  }
  if (text.length > mostTogether) throw new Refusal('msg_too_long');
  return { text, tasks, blocks };
}
