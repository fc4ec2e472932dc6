import { z } from 'zod';
import type { JsonObject } from '../json.ts';
import { checkBlocks } from './blocks.ts';
import {
  appendStream,
  deleteMessage,
  post,
  postEphemeral,
  postMessage,
  startStream,
  stopStream,
  update,
} from './message-methods.ts';
import {
  anyObject,
  flag,
  objectList,
  type Params,
  Refusal,
  read,
  structure,
  threadTimestamp,
  whole,
} from './parameters.ts';
import { checkThread, type Room, type StoredFile, type StoredMessage } from './rooms.ts';
import type { SlackApp } from './slack-app.ts';
import type { ShownThread, SlackState } from './state.ts';
import { wireFile, wireMessage, wirePerson, wireRoom } from './wire.ts';

type Execute = (state: SlackState, params: Params) => JsonObject;

/** A method of the Web API: who may call it, and what it does. */
export type Method =
  /** Any one of the scopes is enough. */
  | { readonly token: 'bot'; readonly scopes: readonly string[]; readonly execute: Execute }
  | { readonly token: 'app'; readonly execute: (app: SlackApp) => JsonObject };

const bot = (scopes: readonly string[], execute: Execute): Method => ({ token: 'bot', scopes, execute });
const inRooms = (kind: string): readonly string[] =>
  ['channels', 'groups', 'im', 'mpim'].map((room) => `${room}:${kind}`);

/** The methods there are. `socketUrl` is where a Socket Mode connection is opened. */
export function methodTable(socketUrl: () => string): Readonly<Record<string, Method>> {
  return {
    'auth.test': bot([], authTest),
    'apps.connections.open': {
      token: 'app',
      execute: ({ appId, sockets }) => ({ url: `${socketUrl()}?ticket=${sockets.ticket()}&app_id=${appId}` }),
    },
    'chat.postMessage': bot(['chat:write'], postMessage),
    'chat.update': bot(['chat:write'], update),
    'chat.delete': bot(['chat:write'], deleteMessage),
    'chat.postEphemeral': bot(['chat:write'], postEphemeral),
    'chat.startStream': bot(['chat:write'], startStream),
    'chat.appendStream': bot(['chat:write'], appendStream),
    'chat.stopStream': bot(['chat:write'], stopStream),
    'assistant.threads.setStatus': bot(['assistant:write'], setStatus),
    'assistant.threads.setSuggestedPrompts': bot(['assistant:write'], setSuggestedPrompts),
    'conversations.info': bot(inRooms('read'), roomInfo),
    'conversations.open': bot(['im:write', 'mpim:write', 'channels:manage', 'groups:write'], openRoom),
    'conversations.history': bot(inRooms('history'), history),
    'conversations.replies': bot(inRooms('history'), replies),
    'users.conversations': bot(inRooms('read'), roomsOfBot),
    'users.info': bot(['users:read'], userInfo),
    'bots.info': bot(['users:read'], botInfo),
    'reactions.add': bot(['reactions:write'], (state, params) => react(state, params, true)),
    'reactions.remove': bot(['reactions:write'], (state, params) => react(state, params, false)),
    'views.open': bot([], openView),
    'views.publish': bot([], publishView),
    'files.getUploadURLExternal': bot(['files:write'], reserveUpload),
    'files.completeUploadExternal': bot(['files:write'], completeUpload),
    'files.info': bot(['files:read'], fileInfo),
  };
}

function authTest({ parts }: SlackState): JsonObject {
  const { name: team, botName: user, teamId: team_id, botUserId: user_id, botId: bot_id } = parts.installation;
  return { url: 'https://testers.slack.test/', team, user, team_id, user_id, bot_id, is_enterprise_install: false };
}

const userShape = z.strictObject({ user: z.string(), include_locale: flag.default(false) });

function userInfo(state: SlackState, params: Params): JsonObject {
  const { user, include_locale } = read(userShape, params, { user: 'user_not_found' });
  return { user: wirePerson(state, user, include_locale) };
}

function botInfo({ parts }: SlackState, params: Params): JsonObject {
  const { botId: id, botUserId: user_id, appId: app_id, botName: name } = parts.installation;
  const { bot } = read(z.strictObject({ bot: z.string() }), params);
  if (bot !== id) throw new Refusal('bot_not_found');
  return { bot: { id, deleted: false, name, updated: 1_700_000_000, app_id, user_id } };
}

/** Of all the names that Slack knows. */
const reactionNames: readonly string[] = `
  eyes white_check_mark thumbsup +1 thumbsdown -1 heart fire clap raised_hands pray wave ok_hand tada joy smile grin
  thinking_face cry sob scream rocket bulb 100 star-struck partying_face rolling_on_the_floor_laughing x warning`
  .trim()
  .split(/\s+/);
const reactionShape = z.strictObject({ channel: z.string(), timestamp: z.string(), name: z.enum(reactionNames) });

/** Throws a refusal where the app's reaction is there already, or is not there. */
function react({ rooms }: SlackState, params: Params, isAdded: boolean): JsonObject {
  const codes = { channel: 'channel_not_found', timestamp: 'no_item_specified', name: 'invalid_name' };
  const { channel, timestamp: ts, name } = read(reactionShape, params, codes);
  const message = rooms.writable(channel).messages.get(ts);
  if (message === undefined) throw new Refusal('message_not_found');
  const isThere = message.reactions.includes(name);
  if (isThere === isAdded) throw new Refusal(isThere ? 'already_reacted' : 'no_reaction');
  const others = message.reactions.filter((other) => other !== name);
  rooms.replace({ ...message, reactions: isAdded ? [...others, name] : others });
  return {};
}

const threadCodes = { channel_id: 'channel_not_found', thread_ts: 'invalid_thread_ts' };
const statusShape = z.strictObject({ channel_id: z.string(), thread_ts: threadTimestamp, status: z.string() });
const promptShape = z.strictObject({ title: z.string().min(1), message: z.string().min(1) });
const promptsShape = z.strictObject({
  channel_id: z.string(),
  thread_ts: threadTimestamp,
  prompts: structure(z.array(promptShape).min(1).max(4)),
});

function setStatus(state: SlackState, params: Params): JsonObject {
  const { channel_id, thread_ts, status } = read(statusShape, params, threadCodes);
  state.statuses.push(status);
  return showBeside(state, channel_id, thread_ts, { status });
}

function setSuggestedPrompts(state: SlackState, params: Params): JsonObject {
  const { channel_id, thread_ts, prompts } = read(promptsShape, params, threadCodes);
  return showBeside(state, channel_id, thread_ts, { prompts });
}

function showBeside({ rooms, threads }: SlackState, channel: string, ts: string, change: Partial<ShownThread>) {
  rooms.writable(channel);
  const key = `${channel} ${ts}`;
  threads.set(key, { status: '', prompts: [], ...threads.get(key), ...change });
  return {};
}

const list = { limit: whole.min(1).max(999).default(100), cursor: z.string().default('') };
const pageShape = z.strictObject({
  channel: z.string(),
  ...list,
  oldest: z.coerce.number().default(0),
  inclusive: flag.default(false),
  include_all_metadata: flag.default(false),
});
const repliesShape = pageShape.extend({ ts: z.string() });
const ofBotShape = z.strictObject({ types: z.string(), exclude_archived: flag.default(false), ...list });
const typeNames = { im: 'im', mpim: 'mpim', channel: 'public_channel', group: 'private_channel' } as const;
const roomCodes = {
  channel: 'channel_not_found',
  limit: 'invalid_limit',
  ts: 'thread_not_found',
  oldest: 'invalid_ts_oldest',
};

function roomInfo(state: SlackState, params: Params): JsonObject {
  const { channel } = read(z.strictObject({ channel: z.string() }), params, roomCodes);
  return { channel: wireRoom(state, state.rooms.visible(channel)) };
}

/** The direct conversation with one person. */
function openRoom(state: SlackState, params: Params): JsonObject {
  const { users } = read(z.strictObject({ users: z.string() }), params, { users: 'users_list_not_supplied' });
  if (!state.people.has(users)) throw new Refusal('user_not_found');
  if (!state.scopes.includes('im:write')) throw new Refusal('missing_scope', { needed: 'im:write' });
  return { channel: { id: state.rooms.direct(users).id } };
}

/** The newest first, without answers in threads. */
function history(state: SlackState, params: Params): JsonObject {
  const given = read(pageShape, params, roomCodes);
  const isMain = ({ threadTs, ts, isBroadcast }: StoredMessage): boolean =>
    threadTs === undefined || threadTs === ts || isBroadcast === true;
  const messages = within(state.rooms.readable(given.channel), given).filter(isMain).toReversed();
  return pageOf(state, messages, given);
}

/** The oldest first; the first message of the thread is always among them. */
function replies(state: SlackState, params: Params): JsonObject {
  const given = read(repliesShape, params, roomCodes);
  const room = state.rooms.readable(given.channel);
  const named = room.messages.get(given.ts);
  if (named === undefined) throw new Refusal('thread_not_found');
  const root = room.messages.get(named.threadTs ?? named.ts);
  const below = within(room, given).filter(({ ts, threadTs }) => threadTs === root?.ts && ts !== root?.ts);
  return pageOf(state, root === undefined ? below : [root, ...below], given);
}

type Page = z.output<typeof pageShape>;

function within({ messages }: Room, { oldest, inclusive }: Page): readonly StoredMessage[] {
  return [...messages.values()].filter(({ ts }) => (inclusive ? Number(ts) >= oldest : Number(ts) > oldest));
}

function pageOf(state: SlackState, messages: readonly StoredMessage[], given: Page): JsonObject {
  const { items, ...more } = cut(messages, given);
  const wired = items.map((message) => wireMessage(state, message, given.include_all_metadata));
  return { messages: wired, has_more: 'response_metadata' in more, ...more };
}

/** The rooms of the bot, of the types that are asked for. */
function roomsOfBot(state: SlackState, params: Params): JsonObject {
  const { types, exclude_archived: isLive, ...given } = read(ofBotShape, params, roomCodes);
  const wanted = state.rooms.all.filter(
    ({ kind, hasBot, isArchived }) => hasBot && types.split(',').includes(typeNames[kind]) && !(isLive && isArchived),
  );
  const { items, ...more } = cut(wanted, given);
  return { channels: items.map((room) => wireRoom(state, room)), ...more };
}

/** The part of a list that one request is answered with. */
function cut<Item>(items: readonly Item[], { limit, cursor }: { readonly limit: number; readonly cursor: string }) {
  const from = cursor === '' ? 0 : Number(/^next:(\d+)$/.exec(cursor)?.[1]);
  if (Number.isNaN(from)) throw new Refusal('invalid_cursor');
  const next = from + limit;
  const more = items.length > next && { response_metadata: { next_cursor: `next:${next}` } };
  return { items: items.slice(from, next), ...more };
}

const plain = (most: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: z.string().min(1).max(most), emoji: z.boolean().optional() });
const viewShape = z.strictObject({
  type: z.literal('modal'),
  title: plain(24),
  submit: plain(24).optional(),
  close: plain(24).optional(),
  blocks: z.array(anyObject),
  private_metadata: z.string().max(3000),
  callback_id: z.string().max(255),
});
const openShape = z.strictObject({ trigger_id: z.string(), view: structure(anyObject) });
/** How long an act of a person allows a modal, in Slack's seconds. */
const triggerLifetime = 3;

/** A modal, once, soon after an act, and before the eyes of who has acted. */
function openView(state: SlackState, params: Params): JsonObject {
  const given = read(openShape, params, { trigger_id: 'invalid_trigger_id' });
  const { title, blocks, submit } = read(viewShape, given.view);
  const checked = checkBlocks(blocks, 'modal');
  if (submit === undefined && checked.some(({ type }) => type === 'input')) throw new Refusal('invalid_arguments');
  const trigger = state.triggers.get(given.trigger_id);
  if (trigger === undefined) throw new Refusal('invalid_trigger_id');
  if (state.parts.time.isOver(trigger.at, triggerLifetime)) throw new Refusal('expired_trigger_id');
  if (trigger.isUsed) throw new Refusal('exchanged_trigger_id');
  trigger.isUsed = true;
  const id = state.parts.identifiers.next('V');
  state.modals.push({ id, userId: trigger.userId, title: title.text, blocks: checked, view: given.view, isOpen: true });
  return { view: { ...given.view, id } };
}

const homeShape = z.strictObject({
  type: z.literal('home'),
  blocks: z.array(anyObject),
  private_metadata: z.string().max(3000).optional(),
});
const publishShape = z.strictObject({ user_id: z.string(), view: structure(anyObject) });

/** The Home of one person, in place of the one before. */
function publishView(state: SlackState, params: Params): JsonObject {
  const { user_id: userId, view } = read(publishShape, params);
  const { blocks } = read(homeShape, view);
  if (!state.hasHome) throw new Refusal('not_enabled');
  if (!state.people.has(userId)) throw new Refusal('invalid_arguments');
  const id = state.homes.get(userId)?.id ?? state.parts.identifiers.next('V');
  state.homes.set(userId, { id, blocks: checkBlocks(blocks, 'home'), view });
  return { view: { ...view, id } };
}

const uploadShape = z.strictObject({ filename: z.string().min(1), length: whole.min(1) });
const completeShape = z.strictObject({
  files: structure(z.array(z.strictObject({ id: z.string(), title: z.string().optional() })).length(1)),
  channel_id: z.string(),
  thread_ts: threadTimestamp.optional(),
  initial_comment: z.string().optional(),
  blocks: objectList.optional(),
});

function reserveUpload({ uploads, parts }: SlackState, params: Params): JsonObject {
  const { filename: name, length } = read(uploadShape, params);
  const id = parts.identifiers.next('F');
  uploads.set(id, { name, length });
  return { file_id: id, upload_url: `${parts.root()}/upload/${parts.installation.teamId}/${id}` };
}

/** Makes a file of what was uploaded, and shows it. */
function completeUpload(state: SlackState, params: Params): JsonObject {
  const given = read(completeShape, params, threadCodes);
  const { channel_id, thread_ts: threadTs, initial_comment: text = '', blocks = [] } = given;
  const room = state.rooms.writable(channel_id);
  checkThread(room, threadTs);
  const shown = text === '' ? checkBlocks(blocks, 'message') : [];
  const files = given.files.map(({ id, title }): StoredFile => {
    const upload = state.uploads.get(id);
    if (upload?.bytes === undefined) throw new Refusal('file_not_found');
    state.uploads.delete(id);
    const { name, bytes } = upload;
    const { botUserId: userId } = state.parts.installation;
    return { id, name, title: title ?? name, mediaType: mediaTypeOf(name), bytes, userId };
  });
  for (const file of files) state.files.set(file.id, file);
  post(state, room, { author: state.self, text, blocks: shown, files, subtype: 'file_share', threadTs });
  return { files: files.map((file) => wireFile(state, file)) };
}

function fileInfo(state: SlackState, params: Params): JsonObject {
  const { file: id } = read(z.strictObject({ file: z.string() }), params, { file: 'file_not_found' });
  const file = state.files.get(id);
  if (file === undefined) throw new Refusal('file_not_found');
  return { file: wireFile(state, file), comments: [], response_metadata: { next_cursor: '' } };
}

const mediaTypes: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  md: 'text/markdown',
  png: 'image/png',
  jpg: 'image/jpeg',
  pdf: 'application/pdf',
};

export function mediaTypeOf(name: string): string {
  return mediaTypes[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
}
