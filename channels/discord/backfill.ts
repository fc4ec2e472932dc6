import { ChannelType, RESTJSONErrorCodes as Reason } from 'discord.js';
import { z } from 'zod';
import type { ChannelError, Conversation } from '../../src/contract.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { PatientReading } from '../kit/missed.ts';
import { refusalCode } from '../kit/request-failure.ts';
import type { ApiRoute } from './api.ts';
import type { DiscordIntake } from './intake.ts';
import { channelShape, id, idBefore } from './payload.ts';
import type { Runtime } from './runtime.ts';
import type { DiscordSettings } from './settings.ts';

/** What is said now waits so long for what was missed before it, in milliseconds. */
const longestWait = 10_000;
/** So many places are looked into, threads that were begun meanwhile among them. */
const mostPlaces = 200;
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
 * Looks for what was said while nobody listened, in the places where people have talked and in the threads below them, and
 * brings each place's messages in their order.
 */
export class Backfill {
  readonly #runtime: Runtime;
  readonly #intake: Pick<DiscordIntake, 'take'>;
  #look: Look | undefined;

  /** The intake takes a message as if the gateway had brought it. One that came already must harm nothing. */
  constructor(runtime: Runtime, intake: Pick<DiscordIntake, 'take'>) {
    this.#runtime = runtime;
    this.#intake = intake;
  }

  /** Looks for what was said since then, in milliseconds since 1970. Whether another time can bring no more. */
  look(since: number): Promise<boolean> {
    this.#look = new Look(this.#runtime, this.#intake, since);
    return this.#look.run();
  }

  /** Resolves when an event can come in behind what was missed in its channel: soon, whatever is still looked for. */
  async cameBefore(event: string, data: unknown): Promise<void> {
    if (event.startsWith('MESSAGE_') && isJsonObject(data)) await this.#look?.passed(data.channel_id);
  }
}

const threadShape = z.object({ threads: z.array(channelShape.extend({ last_message_id: id.nullish().catch(null) })) });
const messagesShape = z.array(z.unknown());
const writtenShape = z.object({
  channel_id: z.string(),
  id,
  author: z.object({ id, bot: z.boolean().nullish() }),
  webhook_id: z.string().nullish(),
});

type Written = z.output<typeof writtenShape> & { readonly message: JsonObject };

/** One look into all places. */
class Look {
  readonly #runtime: Runtime;
  readonly #intake: Pick<DiscordIntake, 'take'>;
  /** Ids that are greater were given since then. */
  readonly #after: string;
  readonly #reading: PatientReading;
  readonly #members = new Map<string, unknown>();
  /** By channel: resolve when all that was missed there has been brought, or will not be. None before the places are known. */
  readonly #passed = Promise.withResolvers<ReadonlyMap<unknown, PromiseWithResolvers<void>>>();
  readonly #over = Promise.withResolvers<void>();

  constructor(runtime: Runtime, intake: Pick<DiscordIntake, 'take'>, since: number) {
    this.#runtime = runtime;
    this.#intake = intake;
    this.#after = idBefore(since);
    const { host, signal } = runtime;
    const isGone = (error: ChannelError): boolean => refusalCode(error) === Reason.UnknownChannel;
    this.#reading = new PatientReading({ ...host, signal, tries: mostTries, longest: longestPause, isGone });
  }

  async passed(channelId: unknown): Promise<void> {
    await Promise.race([this.#over.promise, this.#passed.promise.then((places) => places.get(channelId)?.promise)]);
  }

  /** What cannot be looked into is left out, and said in the log. */
  async run(): Promise<boolean> {
    const { host, signal } = this.#runtime;
    const cancel = host.clock.after(longestWait, this.#over.resolve);
    try {
      const known = await host.places(mostPlaces);
      const passed = new Map(known.map((place) => [channelOf(place), Promise.withResolvers<void>()]));
      this.#passed.resolve(passed);
      const inThreads = async (): Promise<number> => {
        const threads = await this.#newThreads(known);
        return await this.#bringAll(threads.slice(0, mostPlaces - known.length));
      };
      // What is slow to tell which threads there are does not hold up the rest.
      const inKnown = this.#bringAll(known, (place) => passed.get(channelOf(place))?.resolve());
      const found = (await Promise.all([inKnown, inThreads()])).reduce((one, other) => one + other);
      host.log.info({ places: known.length, found }, 'looked for messages that were missed');
      return !signal.aborted && !this.#reading.isLacking;
    } finally {
      cancel();
      this.#over.resolve();
    }
  }

  async #bringAll(places: readonly Conversation[], brought?: (place: Conversation) => void): Promise<number> {
    let found = 0;
    const queue = places.values();
    const work = async (): Promise<void> => {
      for (const place of queue) {
        if (this.#runtime.signal.aborted) return;
        found += await this.#bring(place);
        brought?.(place);
      }
    };
    await Promise.all(Array.from({ length: beside }, work));
    return found;
  }

  /** The threads in which something was written since, below channels that are known. */
  async #newThreads(known: readonly Conversation[]): Promise<readonly Conversation[]> {
    const threads = new Set(known.map(({ threadId }) => threadId));
    const found: Conversation[] = [];
    for (const tenant of new Set(known.map((place) => place.tenant))) {
      if (tenant === undefined) continue;
      const channels = new Set(known.filter((place) => place.tenant === tenant).map(({ chatId }) => chatId));
      const { data } = threadShape.safeParse(await this.#get(`/guilds/${tenant}/threads/active`));
      for (const { id: threadId, parent_id: chatId, name, last_message_id: last } of data?.threads ?? []) {
        if (typeof chatId !== 'string' || !channels.has(chatId) || threads.has(threadId)) continue;
        if (typeof last === 'string' && BigInt(last) <= BigInt(this.#after)) continue;
        found.push({ channel: 'discord', tenant, chatId, threadId, kind: 'group', title: name || undefined });
      }
    }
    return found;
  }

  /** Resolves with how many messages there were, when all are stored. */
  async #bring(place: Conversation): Promise<number> {
    const channelId = channelOf(place);
    let after = this.#after;
    let found = 0;
    for (let pages = 0; pages < mostPages; pages += 1) {
      const { messages, isFull } = await this.#page(channelId, after);
      for (const message of messages) {
        if (this.#runtime.signal.aborted) return found;
        await this.#take(place, message);
      }
      found += messages.length;
      const last = messages.at(-1);
      if (last === undefined || !isFull) return found;
      after = last.id;
    }
    this.#runtime.host.log.warn({ channelId, found }, 'more was missed here than is looked for');
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
    const told = { ...message, ...placeFields(place), ...(isJsonObject(member) && { member }) };
    await this.#intake.take('MESSAGE_CREATE', told);
  }

  async #memberOf({ tenant }: Conversation, userId: string): Promise<unknown> {
    if (tenant === undefined || !namesRoles(this.#runtime.settings)) return undefined;
    const route: ApiRoute = `/guilds/${tenant}/members/${userId}`;
    if (!this.#members.has(route)) this.#members.set(route, await this.#get(route));
    return this.#members.get(route);
  }

  /** Undefined where Discord refuses, or fails for too long. */
  #get(route: ApiRoute, query?: Readonly<Record<string, string>>): Promise<unknown> {
    const { api, signal } = this.#runtime;
    return this.#reading.read(() => api.call('GET', route, { signal, query }));
  }
}

/** What Discord calls the place: a thread is a channel, too. */
function channelOf({ chatId, threadId }: Conversation): string {
  return threadId ?? chatId;
}

/** What an event says of its place, and an answer does not. */
function placeFields({ tenant, kind, threadId }: Conversation): JsonObject {
  if (kind === 'direct') return { channel_type: ChannelType.DM };
  if (tenant === undefined) return { channel_type: ChannelType.GroupDM };
  return { guild_id: tenant, channel_type: threadId === undefined ? ChannelType.GuildText : ChannelType.PublicThread };
}

/** Whether anybody may do something because of a role, so that it must be asked who has which. */
export function namesRoles({ allow_from, groups }: Pick<DiscordSettings, 'allow_from' | 'groups'>): boolean {
  const lists = Object.values(groups).flatMap((group) => [...group.allow_from, ...group.commands_from]);
  return [...allow_from, ...lists].some((id) => id.startsWith('role:'));
}
