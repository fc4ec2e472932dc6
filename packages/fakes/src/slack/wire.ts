import type { JsonObject } from '../json.ts';
import { escapeAll, richTextOf } from './markup.ts';
import { defined, Refusal } from './parameters.ts';
import type { Author, Room, StoredFile, StoredMessage } from './rooms.ts';
import type { SlackState } from './state.ts';

/** A message as `conversations.history` tells of it. */
export function wireMessage(state: SlackState, message: StoredMessage, withMetadata = false): JsonObject {
  const { ts, room, threadTs, files = [], reactions, editedTs, author, metadata, isBroadcast } = message;
  const { subtype = isBroadcast ? 'thread_broadcast' : undefined } = message;
  const root = room.messages.get(threadTs ?? '');
  const { botUserId } = state.parts.installation;
  return {
    type: 'message',
    ...contentIn(message),
    ts,
    ...authorIn(state, author),
    ...defined({
      subtype,
      thread_ts: threadTs,
      parent_user_id: threadTs === ts ? undefined : root?.author.userId,
      files: files.length > 0 ? files.map((file) => wireFile(state, file)) : undefined,
      edited: editedTs === undefined ? undefined : { user: author.userId ?? '', ts: editedTs },
      reactions: reactions.length > 0 ? reactions.map((name) => ({ name, users: [botUserId], count: 1 })) : undefined,
      metadata: withMetadata ? metadata : undefined,
      streaming_state: message.streaming,
    }),
    ...repliesOf(message),
  };
}

/** A message as an event of the type `message` tells of it. */
export function wireEvent(state: SlackState, message: StoredMessage): JsonObject {
  const { room, ts, author, metadata } = message;
  const { teamId } = author;
  const profile = teamId && { team: teamId, name: 'guest', real_name: 'A guest' };
  return {
    ...wireMessage(state, message),
    ...defined({ metadata, user_team: teamId, source_team: teamId, user_profile: profile || undefined }),
    channel: room.id,
    event_ts: ts,
    channel_type: room.kind,
    client_msg_id: `client-${ts}`,
  };
}

function contentIn({ text, isMarkdown = false, blocks = [], streaming }: StoredMessage): JsonObject {
  // Slack makes a text of its own of Markdown, and keeps it as blocks.
  if (isMarkdown) return { text: escapeAll(text), blocks: [richTextOf(escapeAll(text)), ...blocks] };
  return { text, ...((blocks.length > 0 || streaming !== undefined) && { blocks }) };
}

function authorIn({ parts }: SlackState, { kind, userId, botId, username, teamId }: Author): JsonObject {
  const { appId, botName, teamId: here } = parts.installation;
  const team = teamId ?? here;
  if (kind === 'person') return { user: userId ?? '', team };
  const id = botId ?? '';
  const app_id = kind === 'self' ? appId : `A${id.slice(1)}`;
  const bot_profile = { id, deleted: false, name: username ?? botName, updated: 1_700_000_000, app_id, team_id: team };
  const user = userId !== undefined && { user: userId, team, bot_profile, app_id };
  return { ...user, bot_id: id, ...defined({ username }) };
}

/** What the first message of a thread tells of the others. */
function repliesOf({ ts, room }: StoredMessage): JsonObject {
  const replies = [...room.messages.values()].filter(({ threadTs, ts: own }) => threadTs === ts && own !== ts);
  const latest = replies.at(-1);
  if (latest === undefined) return {};
  const users = [...new Set(replies.flatMap(({ author }) => author.userId ?? []))];
  return {
    thread_ts: ts,
    reply_count: replies.length,
    reply_users_count: users.length,
    reply_users: users,
    latest_reply: latest.ts,
  };
}

/** A file as events and answers tell of it. */
export function wireFile({ parts }: SlackState, { id, name, title, mediaType, bytes, userId }: StoredFile): JsonObject {
  const { teamId } = parts.installation;
  const url = `${parts.root()}/files-pri/${teamId}-${id}`;
  return {
    id,
    created: 1_700_000_000,
    timestamp: 1_700_000_000,
    name,
    title,
    mimetype: mediaType,
    user: userId,
    user_team: teamId,
    size: bytes.length,
    mode: 'hosted',
    is_external: false,
    file_access: 'visible',
    url_private: `${url}/x`,
    url_private_download: `${url}/download/x`,
    permalink: `${url}/permalink`,
  };
}

/** Somebody as `users.info` tells of them. Throws a refusal if there is nobody. */
export function wirePerson(state: SlackState, id: string, hasLocale: boolean): JsonObject {
  const person = state.people.get(id);
  if (person === undefined) throw new Refusal('user_not_found');
  const [name, team] = [state.nameOf(id), state.teamOf(id)];
  const real_name = person.realName ?? `Person ${id}`;
  return {
    id,
    team_id: team,
    name,
    real_name,
    deleted: false,
    is_bot: person.isBot === true,
    is_app_user: false,
    ...(person.teamId !== undefined && { is_stranger: true }),
    ...(person.tz !== undefined && { tz: person.tz, tz_label: person.tz ?? '', tz_offset: 0 }),
    ...(hasLocale && { locale: person.locale ?? 'en-US' }),
    profile: { real_name, display_name: name, real_name_normalized: real_name, team },
  };
}

export function wireRoom({ parts }: SlackState, room: Room): JsonObject {
  const { id, kind, name, members, isShared, hasBot, isArchived } = room;
  const { botUserId, teamId } = parts.installation;
  const [user = ''] = [...members].filter((member) => member !== botUserId);
  return {
    id,
    created: 1_700_000_000,
    is_archived: isArchived,
    is_channel: kind === 'channel',
    ...(kind === 'im' ? { user, is_user_deleted: false } : { name, name_normalized: name, is_member: hasBot }),
    is_group: kind === 'group',
    is_im: kind === 'im',
    is_mpim: kind === 'mpim',
    is_private: kind !== 'channel',
    is_shared: isShared,
    is_ext_shared: isShared,
    is_org_shared: false,
    context_team_id: teamId,
  };
}
