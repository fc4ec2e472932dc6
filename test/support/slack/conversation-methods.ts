import { z } from 'zod';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Directory } from './directory.ts';
import type { MessageWire } from './message-wire.ts';
import { flag, read, whole } from './parameters.ts';
import { Refusal } from './refusal.ts';
import type { Room, Rooms, StoredMessage } from './rooms.ts';
import { directRoom } from './self.ts';
import type { Installation } from './workspace-options.ts';

interface Dependencies {
  readonly installation: Installation;
  readonly rooms: Rooms;
  readonly directory: Directory;
  readonly wire: MessageWire;
}

type Params = Readonly<Record<string, unknown>>;

const longestPage = 999;
const page = {
  ...{ oldest: z.string().default('0'), latest: z.string().optional(), inclusive: flag.default(false) },
  ...{ limit: whole.default(100), cursor: z.string().optional(), include_all_metadata: flag.default(false) },
};
const openParameters = z.strictObject({
  ...{ users: z.string().optional(), channel: z.string().optional() },
  ...{ return_im: flag.default(false), prevent_creation: flag.default(false) },
});
const infoParameters = z.strictObject({
  ...{ channel: z.string(), include_locale: flag.optional(), include_num_members: flag.default(false) },
});
const historyParameters = z.strictObject({ channel: z.string(), ...page });
const repliesParameters = z.strictObject({ channel: z.string(), ts: z.string(), ...page });
const codes = { channel: 'channel_not_found', limit: 'invalid_limit', ts: 'thread_not_found' };

type Page = Omit<z.output<typeof historyParameters>, 'channel'>;

/** The methods about conversations and what was said in them. */
export class ConversationMethods {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  open(params: Params): JsonObject {
    const { users, channel, return_im: isWhole } = read(openParameters, params);
    const { rooms } = this.#dependencies;
    if (users === undefined && channel === undefined) throw new Refusal('users_list_not_supplied');
    const room = channel === undefined ? this.#roomOf((users ?? '').split(',')) : rooms.find(channel);
    return { no_op: false, already_open: false, channel: isWhole ? this.#wire(room, false) : { id: room.id } };
  }

  info(params: Params): JsonObject {
    const { channel, include_num_members: isCounted } = read(infoParameters, params, codes);
    return { channel: this.#wire(this.#visible(channel), isCounted) };
  }

  /** The newest first, without answers in threads. */
  history(params: Params): JsonObject {
    const given = read(historyParameters, params, codes);
    const room = this.#readable(given.channel);
    const isMain = ({ threadTs, ts, isBroadcast }: StoredMessage): boolean =>
      threadTs === undefined || threadTs === ts || isBroadcast === true;
    const messages = within([...room.messages.values()].filter(isMain), given).toReversed();
    return { ...this.#page(messages, given), pin_count: 0 };
  }

  /** The oldest first; the first message of the thread is always among them. */
  replies(params: Params): JsonObject {
    const given = read(repliesParameters, params, codes);
    const room = this.#readable(given.channel);
    const named = room.messages.get(given.ts);
    if (named === undefined) throw new Refusal('thread_not_found');
    const root = named.threadTs ?? named.ts;
    const isReply = ({ ts, threadTs }: StoredMessage): boolean => threadTs === root && ts !== root;
    const replies = within([...room.messages.values()].filter(isReply), given);
    const first = room.messages.get(root);
    return this.#page(first === undefined ? replies : [first, ...replies], given);
  }

  #page(messages: readonly StoredMessage[], { limit, cursor, include_all_metadata: withMetadata }: Page): JsonObject {
    if (limit < 1 || limit > longestPage) throw new Refusal('invalid_limit');
    const from = cursor === undefined || cursor === '' ? 0 : Number(/^next:(\d+)$/.exec(cursor)?.[1]);
    if (Number.isNaN(from)) throw new Refusal('invalid_cursor');
    const hasMore = messages.length > from + limit;
    return {
      messages: messages
        .slice(from, from + limit)
        .map((message) => this.#dependencies.wire.of(message, { withMetadata })),
      has_more: hasMore,
      ...(hasMore && { response_metadata: { next_cursor: `next:${from + limit}` } }),
    };
  }

  #roomOf(users: readonly string[]): Room {
    const { rooms, directory } = this.#dependencies;
    if (!users.every((user) => directory.has(user))) throw new Refusal('user_not_found');
    const [only] = users;
    if (users.length === 1 && only !== undefined) return directRoom(rooms, only);
    return rooms.open(`G${users.toSorted().join('')}`, { kind: 'mpim', members: users });
  }

  /** A public channel can be looked at from outside. */
  #visible(channel: string): Room {
    const room = this.#dependencies.rooms.find(channel);
    if (!room.hasBot && room.kind !== 'channel') throw new Refusal('channel_not_found');
    return room;
  }

  #readable(channel: string): Room {
    const room = this.#visible(channel);
    if (!room.hasBot) throw new Refusal('not_in_channel');
    return room;
  }

  #wire({ id, kind, name, members, isShared, hasBot, isArchived }: Room, isCounted: boolean): JsonObject {
    const { installation } = this.#dependencies;
    const [user = ''] = [...members].filter((member) => member !== installation.botUserId);
    const own = kind === 'im' ? { user, is_user_deleted: false } : { name, name_normalized: name, is_member: hasBot };
    return {
      ...{ id, created: 1_700_000_000, is_archived: isArchived, is_channel: kind === 'channel', ...own },
      ...{ is_group: kind === 'group', is_im: kind === 'im', is_mpim: kind === 'mpim', is_private: kind !== 'channel' },
      ...{ is_shared: isShared, is_ext_shared: isShared, is_org_shared: false, context_team_id: installation.teamId },
      ...(isCounted && { num_members: members.size }),
    };
  }
}

function within(messages: readonly StoredMessage[], { oldest, latest, inclusive }: Page): readonly StoredMessage[] {
  if (Number.isNaN(Number(oldest))) throw new Refusal('invalid_ts_oldest');
  if (latest !== undefined && Number.isNaN(Number(latest))) throw new Refusal('invalid_ts_latest');
  return messages.filter(({ ts }) => {
    if (ts === oldest || ts === latest) return inclusive;
    return Number(ts) > Number(oldest) && (latest === undefined || Number(ts) < Number(latest));
  });
}
