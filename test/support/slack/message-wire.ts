import type { JsonObject } from '../../../src/lib/json.ts';
import type { Files } from './files.ts';
import { escapeAll, richTextOf } from './markup.ts';
import { defined } from './parameters.ts';
import type { Author, StoredMessage } from './rooms.ts';
import type { Installation } from './workspace-options.ts';

interface Dependencies {
  readonly installation: Installation;
  readonly files: Files;
}

/** Messages as answers and events carry them. */
export class MessageWire {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** As `conversations.history` tells of it. */
  of(message: StoredMessage, options: { readonly withMetadata?: boolean } = {}): JsonObject {
    const { ts, room, threadTs, files = [], reactions, editedTs, author, metadata, isBroadcast } = message;
    const root = threadTs === undefined ? undefined : room.messages.get(threadTs);
    const subtype = message.subtype ?? (isBroadcast === true ? 'thread_broadcast' : undefined);
    return {
      type: 'message',
      ...this.#content(message),
      ts,
      ...this.#author(author),
      ...defined({
        subtype,
        thread_ts: threadTs,
        parent_user_id: threadTs === ts ? undefined : root?.author.userId,
        files: files.length > 0 ? files.map((file) => this.#dependencies.files.wireInMessage(file)) : undefined,
        edited: editedTs === undefined ? undefined : { user: author.userId ?? '', ts: editedTs },
        reactions:
          reactions.length > 0 ? reactions.map(({ name, users }) => ({ name, users, count: users.length })) : undefined,
        metadata: options.withMetadata === true ? metadata : undefined,
        streaming_state: message.streaming,
        root: isBroadcast === true && root !== undefined ? this.of(root) : undefined,
      }),
      ...repliesOf(message),
    };
  }

  /** As an event of the type `message` tells of it. */
  event(message: StoredMessage): JsonObject {
    const { room, ts, author } = message;
    const isPerson = author.kind === 'person';
    return {
      ...this.of(message),
      ...(isPerson && message.subtype === undefined && { client_msg_id: `client-${ts}` }),
      ...(message.metadata !== undefined && { metadata: message.metadata }),
      ...this.#guest(author),
      channel: room.id,
      event_ts: ts,
      channel_type: room.kind,
    };
  }

  #content(message: StoredMessage): JsonObject {
    const { text, isMarkdown = false, blocks = [], streaming } = message;
    // Slack makes a text of its own of Markdown, and keeps it as blocks.
    if (isMarkdown) return { text: escapeAll(text), blocks: [richTextOf(escapeAll(text)), ...blocks] };
    return { text, ...((blocks.length > 0 || streaming !== undefined) && { blocks }) };
  }

  #author({ kind, userId, botId, username, teamId }: Author): JsonObject {
    const { installation } = this.#dependencies;
    const team = teamId ?? installation.teamId;
    if (kind === 'person') return { user: userId ?? '', team };
    const id = botId ?? '';
    const app_id = kind === 'self' ? installation.appId : `A${id.slice(1)}`;
    const name = username ?? installation.botName;
    const bot_profile = { id, deleted: false, name, updated: 1_700_000_000, app_id, team_id: team };
    return {
      ...(userId !== undefined && { user: userId, team, bot_profile, app_id }),
      bot_id: id,
      ...defined({ username }),
    };
  }

  #guest({ teamId }: Author): JsonObject {
    if (teamId === undefined) return {};
    return {
      user_team: teamId,
      source_team: teamId,
      user_profile: { team: teamId, name: 'guest', real_name: 'A guest' },
    };
  }
}

/** What the first message of a thread tells of the others. */
function repliesOf({ ts, room }: StoredMessage): JsonObject {
  const replies = [...room.messages.values()].filter(({ threadTs, ts: own }) => threadTs === ts && own !== ts);
  const latest = replies.at(-1);
  if (latest === undefined) return {};
  const users = [...new Set(replies.flatMap(({ author }) => author.userId ?? []))];
  return {
    ...{ thread_ts: ts, reply_count: replies.length, reply_users_count: users.length, reply_users: users },
    latest_reply: latest.ts,
  };
}
