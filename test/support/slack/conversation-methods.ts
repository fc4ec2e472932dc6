import { z } from 'zod';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { MessageWire } from './message-wire.ts';
import { flag, read, whole } from './parameters.ts';
import { Refusal } from './refusal.ts';
import type { Room, Rooms, StoredMessage } from './rooms.ts';
import type { Installation } from './workspace-options.ts';

interface Dependencies {
  readonly installation: Installation;
  readonly rooms: Rooms;
  readonly wire: MessageWire;
}

type Params = Readonly<Record<string, unknown>>;

const longestPage = 999;
const page = {
  ...{ oldest: z.string().default('0'), latest: z.string().optional(), inclusive: flag.default(false) },
  ...{ limit: whole.default(100), cursor: z.string().optional(), include_all_metadata: flag.default(false) },
};
const infoParameters = z.strictObject({
  ...{ channel: z.string(), include_locale: flag.optional(), include_num_members: flag.default(false) },
});
const historyParameters = z.strictObject({ channel: z.string(), ...page });
const repliesParameters = z.strictObject({ channel: z.string(), ts: z.string(), ...page });
const ofBotParameters = z.strictObject({
  ...{ types: z.string().default('public_channel'), exclude_archived: flag.default(false) },
  ...{ limit: whole.default(100), cursor: z.string().optional() },
});
const typeNames = { im: 'im', mpim: 'mpim', channel: 'public_channel', group: 'private_channel' } as const;
const codes = { channel: 'channel_not_found', limit: 'invalid_limit', ts: 'thread_not_found' };

type Page = Omit<z.output<typeof historyParameters>, 'channel'>;

/** The methods about conversations and what was said in them. */
export class ConversationMethods {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
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

  /** The rooms of the bot, of the types that are asked for. */
  ofBot(params: Params): JsonObject {
    const { types, exclude_archived: isLive, ...given } = read(ofBotParameters, params, codes);
    const { rooms } = this.#dependencies;
    const wanted = rooms
      .ids()
      .map((id) => rooms.find(id))
      .filter(
        ({ kind, hasBot, isArchived }) =>
          hasBot && types.split(',').includes(typeNames[kind]) && !(isLive && isArchived),
      );
    const { items, ...more } = cut(wanted, given);
    return { channels: items.map((room) => this.#wire(room, false)), ...more };
  }

  #page(messages: readonly StoredMessage[], { include_all_metadata: withMetadata, ...given }: Page): JsonObject {
    const { items, ...more } = cut(messages, given);
    const wired = items.map((message) => this.#dependencies.wire.of(message, { withMetadata }));
    return { messages: wired, has_more: 'response_metadata' in more, ...more };
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
    const own: JsonObject =
      kind === 'im' ? { user, is_user_deleted: false } : { name, name_normalized: name, is_member: hasBot };
    return {
      ...{ id, created: 1_700_000_000, is_archived: isArchived, is_channel: kind === 'channel', ...own },
      ...{ is_group: kind === 'group', is_im: kind === 'im', is_mpim: kind === 'mpim', is_private: kind !== 'channel' },
      ...{ is_shared: isShared, is_ext_shared: isShared, is_org_shared: false, context_team_id: installation.teamId },
      ...(isCounted && { num_members: members.size }),
    };
  }
}

/** The part of a list that one request is answered with. */
function cut<Item>(list: readonly Item[], { limit, cursor }: Pick<Page, 'limit' | 'cursor'>) {
  if (limit < 1 || limit > longestPage) throw new Refusal('invalid_limit');
  const from = cursor === undefined || cursor === '' ? 0 : Number(/^next:(\d+)$/.exec(cursor)?.[1]);
  if (Number.isNaN(from)) throw new Refusal('invalid_cursor');
  const hasMore = list.length > from + limit;
  return {
    items: list.slice(from, from + limit),
    ...(hasMore && { response_metadata: { next_cursor: `next:${from + limit}` } }),
  };
}

function within(messages: readonly StoredMessage[], { oldest, latest, inclusive }: Page): readonly StoredMessage[] {
  if (Number.isNaN(Number(oldest))) throw new Refusal('invalid_ts_oldest');
  if (latest !== undefined && Number.isNaN(Number(latest))) throw new Refusal('invalid_ts_latest');
  return messages.filter(({ ts }) => {
    if (ts === oldest || ts === latest) return inclusive;
    return Number(ts) > Number(oldest) && (latest === undefined || Number(ts) < Number(latest));
  });
}
