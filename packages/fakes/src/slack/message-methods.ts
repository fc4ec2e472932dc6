import { z } from 'zod';
import type { JsonObject } from '../json.ts';
import { checkBlocks } from './blocks.ts';
import { tellChanged, tellDeleted, tellPosted } from './events.ts';
import { asRead, escapeAll } from './markup.ts';
import { anyObject, flag, objectList, type Params, Refusal, read, structure, threadTimestamp } from './parameters.ts';
import { type Content, checkThread, type NewMessage, type Room, type StoredMessage } from './rooms.ts';
import type { SlackState } from './state.ts';
import { wireMessage } from './wire.ts';

/** The methods that put messages into conversations, change them, and let them grow while they are written. */

const mostMarkdown = 12_000;
const mostText = 40_000;
const mostUpdateBytes = 4000;
/** How long a stream lives, in Slack's seconds. */
const streamLifetime = 300;

const markdown_text = z.string().optional();
const content = { text: z.string().default(''), markdown_text, blocks: objectList.optional() };
const thread_ts = threadTimestamp.optional();
const metadata = structure(
  z.strictObject({ event_type: z.string().min(1).max(255), event_payload: anyObject }),
  'invalid_metadata_format',
).optional();
const codes = {
  channel: 'channel_not_found',
  thread_ts: 'invalid_thread_ts',
  metadata: 'invalid_metadata_schema',
  user: 'user_not_in_channel',
};
const place = { channel: z.string(), ts: z.string() };
const postShape = z.strictObject({
  channel: z.string(),
  ...content,
  thread_ts,
  metadata,
  unfurl_links: flag.default(false),
  unfurl_media: flag.default(true),
});
const updateShape = z.strictObject({ ...place, ...content, metadata });
const deleteShape = z.strictObject(place);
const ephemeralShape = z.strictObject({ channel: z.string(), user: z.string(), ...content, thread_ts });
const startShape = z.strictObject({
  channel: z.string(),
  thread_ts: threadTimestamp,
  markdown_text,
  recipient_user_id: z.string().optional(),
  recipient_team_id: z.string().optional(),
});
const appendShape = z.strictObject({ ...place, markdown_text });
const stopShape = appendShape.extend({ metadata });

export function postMessage(state: SlackState, params: Params): JsonObject {
  const {
    channel,
    thread_ts: threadTs,
    unfurl_links: links,
    unfurl_media: media,
    metadata,
    ...given
  } = read(postShape, params, codes);
  const room = state.rooms.writable(channel);
  const shown = contentOf(given);
  checkThread(room, threadTs);
  const stored = post(state, room, { author: state.self, ...shown, unfurls: { links, media }, threadTs, metadata });
  return { channel, ts: stored.ts, message: wireMessage(state, stored) };
}

export function update(state: SlackState, params: Params): JsonObject {
  const { channel, ts, metadata, ...given } = read(updateShape, params, codes);
  const message = own(state, channel, ts, 'cant_update_message');
  if (message.streaming === 'in_progress') throw new Refusal('streaming_state_conflict');
  if (Buffer.byteLength(escapeAll(asRead(given.text))) > mostUpdateBytes) throw new Refusal('msg_too_long');
  const shown = contentOf(given);
  // Blocks stay until they are replaced; an empty list takes them away.
  const isKept = given.blocks === undefined && given.markdown_text === undefined;
  const edited = state.rooms.edit(message, {
    ...shown,
    metadata: metadata ?? message.metadata,
    ...(isKept && { blocks: message.blocks ?? [] }),
    ...(message.streaming !== undefined && { streaming: 'completed' }),
  });
  tellChanged(state, message, edited);
  return { channel, ts, text: edited.text, message: wireMessage(state, edited) };
}

export function deleteMessage(state: SlackState, params: Params): JsonObject {
  const { channel, ts } = read(deleteShape, params, codes);
  const message = own(state, channel, ts, 'cant_delete_message');
  if (message.streaming === 'in_progress') throw new Refusal('cant_delete_message');
  message.room.messages.delete(ts);
  tellDeleted(state, message);
  return { channel, ts };
}

export function postEphemeral({ rooms }: SlackState, params: Params): JsonObject {
  const { channel, user: userId, thread_ts: threadTs, ...given } = read(ephemeralShape, params, codes);
  const room = rooms.writable(channel);
  if (!room.members.has(userId)) throw new Refusal('user_not_in_channel');
  checkThread(room, threadTs);
  return { message_ts: rooms.addEphemeral(room, { ...contentOf(given), userId, threadTs }) };
}

export function startStream(state: SlackState, params: Params): JsonObject {
  const { channel, thread_ts: threadTs, ...given } = read(startShape, params, codes);
  const room = state.rooms.writable(channel);
  if (room.kind !== 'im') {
    if (!given.recipient_user_id) throw new Refusal('missing_recipient_user_id');
    if (!given.recipient_team_id) throw new Refusal('missing_recipient_team_id');
    if (!room.members.has(given.recipient_user_id)) throw new Refusal('user_not_found');
  }
  checkThread(room, threadTs);
  const written = { text: grown('', given.markdown_text), isMarkdown: true, blocks: [] };
  const { ts } = post(state, room, { author: state.self, ...written, threadTs, streaming: 'in_progress' });
  state.parts.time.after(streamLifetime, () => {
    const message = room.messages.get(ts);
    if (message?.streaming === 'in_progress') state.rooms.replace({ ...message, streaming: 'errored' });
  });
  return { channel, ts };
}

export function appendStream(state: SlackState, params: Params): JsonObject {
  const { channel, ts, markdown_text: added } = read(appendShape, params, codes);
  const message = growing(state, channel, ts);
  if (added === undefined) throw new Refusal('no_text');
  state.rooms.replace({ ...message, text: grown(message.text, added) });
  return { channel, ts };
}

export function stopStream(state: SlackState, params: Params): JsonObject {
  const { channel, ts, markdown_text: rest, metadata = undefined } = read(stopShape, params, codes);
  const message = growing(state, channel, ts);
  const text = grown(message.text, rest);
  const stopped = state.rooms.replace({ ...message, text, metadata, streaming: 'completed' });
  tellChanged(state, message, stopped);
  return { channel, ts, message: wireMessage(state, stopped) };
}

/** Puts it there, and tells the app of it as of everything that is said. A message in a thread ends its status. */
export function post(state: SlackState, room: Room, message: NewMessage): StoredMessage {
  const stored = state.rooms.add(room, message);
  const thread = `${room.id} ${message.threadTs}`;
  const shown = state.threads.get(thread);
  if (shown !== undefined) state.threads.set(thread, { ...shown, status: '' });
  tellPosted(state, stored);
  return stored;
}

/** Throws a refusal if Slack would not show it. */
export function contentOf({
  text = '',
  markdown_text: markdown,
  blocks = [],
}: {
  readonly text?: string;
  readonly markdown_text?: string | undefined;
  readonly blocks?: readonly JsonObject[] | undefined;
}): Content {
  if (markdown !== undefined) {
    if (text !== '' || blocks.length > 0) throw new Refusal('markdown_text_conflict');
    return { text: checkMarkdown(markdown), isMarkdown: true, blocks: [] };
  }
  if (text === '' && blocks.length === 0) throw new Refusal('no_text');
  if (text.length > mostText) throw new Refusal('msg_too_long');
  return { text, isMarkdown: false, blocks: checkBlocks(blocks, 'message') };
}

function checkMarkdown(markdown: string): string {
  if (markdown === '') throw new Refusal('no_text');
  if (markdown.length > mostMarkdown) throw new Refusal('msg_too_long');
  return markdown;
}

/** Puts behind what stands there already what was written now. */
function grown(before: string, markdown: string | undefined): string {
  const text = before + (markdown === undefined ? '' : checkMarkdown(markdown));
  if (text.length > mostMarkdown) throw new Refusal('msg_too_long');
  return text;
}

function own({ rooms }: SlackState, channel: string, ts: string, refusal: string): StoredMessage {
  const message = rooms.writable(channel).messages.get(ts);
  if (message === undefined) throw new Refusal('message_not_found');
  if (message.author.kind !== 'self') throw new Refusal(refusal);
  return message;
}

function growing(state: SlackState, channel: string, ts: string): StoredMessage {
  const message = own(state, channel, ts, 'message_not_owned_by_app');
  if (message.streaming !== 'in_progress') throw new Refusal('message_not_in_streaming_state');
  return message;
}
