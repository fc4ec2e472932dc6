import { ChannelType, RESTJSONErrorCodes } from 'discord-api-types/v10';
import { z } from 'zod';
import { ChannelError, type Conversation } from '../../../src/contract.ts';
import { backOff } from '../../../src/lib/back-off.ts';
import { type Clock, sleep } from '../../../src/lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../../src/lib/json.ts';
import type { Log } from '../../../src/lib/log.ts';
import type { ApiRoute, DiscordApi } from '../web-api/api.ts';
import { refusalCode } from '../web-api/failure.ts';
import { idBefore } from '../web-api/snowflake.ts';
import { channelShape } from './payload.ts';

export interface BackfillOptions {
  /** Since when something may have been missed, in milliseconds since 1970. */
  readonly since: number;
  /** Where people have talked with us, the latest first: `mostPlaces` at most. */
  readonly places: readonly Conversation[];
  /** Takes a message as if the gateway had brought it. One that came already must harm nothing. */
  readonly take: (event: 'MESSAGE_CREATE', data: JsonObject) => Promise<void>;
  readonly api: Pick<DiscordApi, 'call'>;
  /** Whether anybody is let in by a role, so that it must be asked who has which. */
  readonly needsRoles: boolean;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

/** Nothing that is older is looked for, in milliseconds. */
const longestAbsence = 24 * 60 * 60_000;
/** Our clock and Discord's may differ by so much, in milliseconds. */
const margin = 60_000;
/** So many places are looked into, threads that were begun meanwhile among them. */
export const mostPlaces = 200;
/** What one request can give. */
const pageSize = 100;
/** In a lively channel, few of so many messages are for us. */
const mostPages = 10;
/** With the pauses between them: a quarter of an hour. */
const mostTries = 20;
const longestPause = 60_000;
/** So many places are looked into at the same time. */
const beside = 4;

/**
 * Finds what was written while nobody listened, in the places that are known and in the threads below them, and brings each
 * place's messages in their order. Never throws; what cannot be looked into is left out, and said in the log.
 */
export async function backfill(options: BackfillOptions): Promise<void> {
  const { clock, signal, log } = options;
  const since = Math.max(options.since - margin, clock.now() - longestAbsence);
  const round = new Round(options, idBefore(since));
  const known = options.places;
  const inThreads = async (): Promise<Found> => {
    const threads = await round.newThreads(known);
    return await bringAll(round, threads.slice(0, mostPlaces - known.length), signal);
  };
  // What is slow to tell which threads there are does not hold up the rest.
  const [one, other] = await Promise.all([bringAll(round, known, signal), inThreads()]);
  const all = { places: one.places + other.places, found: one.found + other.found };
  log.info(all, 'looked for messages that were missed');
}

/** In how many places was looked, and how many messages there were. */
interface Found {
  readonly places: number;
  readonly found: number;
}

async function bringAll(round: Round, places: readonly Conversation[], signal: AbortSignal): Promise<Found> {
  let found = 0;
  const queue = places.values();
  const work = async (): Promise<void> => {
    for (const place of queue) {
      if (signal.aborted) return;
      found += await round.bring(place);
    }
  };
  await Promise.all(Array.from({ length: beside }, work));
  return { places: places.length, found };
}

const threadShape = z.object({
  threads: z.array(
    channelShape.extend({
      last_message_id: z
        .string()
        .regex(/^\d{1,20}$/)
        .nullish()
        .catch(null),
    }),
  ),
});
const messagesShape = z.array(z.unknown());
const writtenShape = z.object({
  channel_id: z.string(),
  id: z.string().regex(/^\d{1,20}$/),
  author: z.object({ id: z.string().regex(/^\d{1,20}$/), bot: z.boolean().nullish() }),
  webhook_id: z.string().nullish(),
});

type Written = z.output<typeof writtenShape> & { readonly message: JsonObject };

class Round {
  readonly #options: BackfillOptions;
  readonly #after: string;
  readonly #members = new Map<string, JsonObject | undefined>();

  constructor(options: BackfillOptions, after: string) {
    this.#options = options;
    this.#after = after;
  }

  /** The threads in which something was written since, below channels that are known. */
  async newThreads(known: readonly Conversation[]): Promise<readonly Conversation[]> {
    const guilds = new Set(known.flatMap(({ tenant }) => (tenant === undefined ? [] : [tenant])));
    const threads = new Set(known.map(({ threadId }) => threadId));
    const found: Conversation[] = [];
    for (const tenant of guilds) {
      const channels = new Set(known.filter((place) => place.tenant === tenant).map(({ chatId }) => chatId));
      const { data } = threadShape.safeParse(await this.#get(`/guilds/${tenant}/threads/active`));
      for (const { id, parent_id, name, last_message_id } of data?.threads ?? []) {
        if (typeof parent_id !== 'string' || !channels.has(parent_id) || threads.has(id)) continue;
        if (typeof last_message_id === 'string' && BigInt(last_message_id) <= BigInt(this.#after)) continue;
        const title = name !== undefined && name !== '' && { title: name };
        found.push({ channel: 'discord', tenant, chatId: parent_id, threadId: id, kind: 'group', ...title });
      }
    }
    return found;
  }

  /** Resolves with how many messages there were, when all are stored. */
  async bring(place: Conversation): Promise<number> {
    const { signal, log } = this.#options;
    const channelId = place.threadId ?? place.chatId;
    let after = this.#after;
    let found = 0;
    for (let pages = 0; pages < mostPages; pages += 1) {
      const { messages, isFull } = await this.#page(channelId, after);
      for (const message of messages) {
        if (signal.aborted) return found;
        await this.#take(place, message);
      }
      found += messages.length;
      const last = messages.at(-1);
      if (last === undefined || !isFull) return found;
      after = last.id;
    }
    log.warn({ channelId, found }, 'more was missed here than is looked for');
    return found;
  }

  /** The first messages after that one, in their order. */
  async #page(channelId: string, after: string): Promise<{ messages: readonly Written[]; isFull: boolean }> {
    const query = { after, limit: String(pageSize) };
    const { data = [] } = messagesShape.safeParse(await this.#get(`/channels/${channelId}/messages`, query));
    const messages = data.flatMap((message) => {
      const written = writtenShape.safeParse(message).data;
      return written?.channel_id !== channelId || !isJsonObject(message) ? [] : [{ message, ...written }];
    });
    messages.sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));
    return { messages, isFull: data.length >= pageSize };
  }

  async #take(place: Conversation, { message, author, webhook_id }: Written): Promise<void> {
    const isProgram = author.bot === true || typeof webhook_id === 'string';
    const member = isProgram ? undefined : await this.#memberOf(place, author.id);
    const told = { ...message, ...placeFields(place), ...(member !== undefined && { member }) };
    await this.#options.take('MESSAGE_CREATE', told);
  }

  async #memberOf({ tenant }: Conversation, userId: string): Promise<JsonObject | undefined> {
    if (tenant === undefined || !this.#options.needsRoles) return undefined;
    const key = `${tenant}:${userId}`;
    if (!this.#members.has(key)) {
      const answer = await this.#get(`/guilds/${tenant}/members/${userId}`);
      this.#members.set(key, isJsonObject(answer) ? answer : undefined);
    }
    return this.#members.get(key);
  }

  /** Undefined where Discord refuses, or fails for too long. */
  async #get(route: ApiRoute, query?: Readonly<Record<string, string>>): Promise<unknown> {
    const { api, clock, log, signal } = this.#options;
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        return await api.call('GET', route, { signal, ...(query !== undefined && { query }) });
      } catch (error) {
        if (signal.aborted) return undefined;
        const pause = pauseAfter(error, tries);
        if (pause === undefined) {
          // Of what is gone for good, every start would say so.
          const level = refusalCode(error) === RESTJSONErrorCodes.UnknownChannel ? 'debug' : 'warn';
          log[level]({ route, err: error }, 'messages that were missed could not be looked for');
          return undefined;
        }
        await sleep(clock, pause, signal);
      }
    }
    return undefined;
  }
}

/** Undefined where it makes no sense to try again. */
function pauseAfter(error: unknown, tries: number): number | undefined {
  if (!(error instanceof ChannelError) || tries >= mostTries) return undefined;
  switch (error.fault.type) {
    case 'rate-limited':
      return Math.min(longestPause, error.fault.retryAfter);
    case 'transient':
    case 'ambiguous':
      return backOff(tries);
    case 'permanent':
    case 'auth':
    case 'moved':
      return undefined;
  }
}

/** What an event says of its place, and an answer does not. */
function placeFields({ tenant, kind, threadId }: Conversation): JsonObject {
  if (kind === 'direct') return { channel_type: ChannelType.DM };
  if (tenant === undefined) return { channel_type: ChannelType.GroupDM };
  return { guild_id: tenant, channel_type: threadId === undefined ? ChannelType.GuildText : ChannelType.PublicThread };
}
