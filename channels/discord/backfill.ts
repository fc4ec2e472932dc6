import { RESTJSONErrorCodes as Reason } from 'discord.js';
import { z } from 'zod';
import type { ChannelError, Conversation } from '../../src/contract.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import { PatientReading } from '../kit/reception.ts';
import { refusalCode } from '../kit/request-failure.ts';
import type { ApiRoute } from './api.ts';
import type { TakeMessage } from './intake.ts';
import { channelShape, type DiscordMessage, id, idBefore, messageShape, senderOf } from './payload.ts';
import type { Runtime } from './runtime.ts';
import type { DiscordSettings } from './settings.ts';

/** How long new events wait for the missed messages of their channel, in ms. */
const longestWait = 10_000;
/** Limit for conversations, including threads started meanwhile. */
const mostConversations = 200;
/** Discord's limit for one request. */
const pageSize = 100;
/** In a busy channel, few messages are for the bot. */
const mostPages = 10;
/** With the pauses, about a quarter of an hour. */
const mostTries = 20;
const longestPause = 60_000;
/** How many conversations are read in parallel. */
const beside = 4;

/**
 * Fetches what was said while disconnected, in known conversations and in the threads below them, in order within each
 * conversation. `take` must tolerate duplicates.
 */
export class Backfill {
  readonly #runtime: Runtime;
  readonly #take: TakeMessage;
  #latest: Look | undefined;

  constructor(runtime: Runtime, take: TakeMessage) {
    this.#runtime = runtime;
    this.#take = take;
  }

  /** Fetches messages since `since`, ms since 1970. Resolves with false if another try could bring more. */
  look(since: number): Promise<boolean> {
    this.#latest = new Look(this.#runtime, this.#take, since);
    return this.#latest.run();
  }

  /** Resolves when the missed messages of the event's channel are stored, or after `longestWait`. */
  async cameBefore(event: string, data: unknown): Promise<void> {
    if (event.startsWith('MESSAGE_') && isJsonObject(data)) await this.#latest?.passed(data.channel_id);
  }
}

const threadShape = z.object({ threads: z.array(channelShape.extend({ last_message_id: id.nullish().catch(null) })) });
const messagesShape = z.array(z.unknown());

class Look {
  readonly #runtime: Runtime;
  readonly #take: TakeMessage;
  /** Later ids are greater. */
  readonly #begin: string;
  readonly #reading: PatientReading;
  readonly #members = new Map<string, unknown>();
  /** By channel: resolves when its missed messages are stored or given up. Pending until the conversations are known. */
  readonly #known = Promise.withResolvers<ReadonlyMap<unknown, PromiseWithResolvers<void>>>();
  readonly #over = Promise.withResolvers<void>();

  constructor(runtime: Runtime, take: TakeMessage, since: number) {
    const { host, signal } = runtime;
    this.#runtime = runtime;
    this.#take = take;
    this.#begin = idBefore(since);
    const isGone = (error: ChannelError): boolean => refusalCode(error) === Reason.UnknownChannel;
    this.#reading = new PatientReading({ ...host, signal, tries: mostTries, longest: longestPause, isGone });
  }

  passed(channelId: unknown): Promise<unknown> {
    const passing = this.#known.promise.then((conversations) => conversations.get(channelId)?.promise);
    return Promise.race([this.#over.promise, passing]);
  }

  /** Skips unreadable conversations. Resolves with false if another run could bring more. */
  async run(): Promise<boolean> {
    const { host, signal } = this.#runtime;
    const cancel = host.clock.after(longestWait, this.#over.resolve);
    try {
      const conversations = await host.conversations(mostConversations);
      const passed = new Map(
        conversations.map((conversation) => [channelOf(conversation), Promise.withResolvers<void>()]),
      );
      this.#known.resolve(passed);
      // A slow list of threads must not delay the known conversations.
      const inKnown = this.#bringAll(conversations, (conversation) => passed.get(channelOf(conversation))?.resolve());
      const threads = this.#newThreads(conversations);
      const inThreads = threads.then((all) => this.#bringAll(all.slice(0, mostConversations - conversations.length)));
      const [one, other] = await Promise.all([inKnown, inThreads]);
      host.log.info(
        { conversations: conversations.length, found: one + other },
        'looked for messages that were missed',
      );
      return !signal.aborted && !this.#reading.isLacking;
    } finally {
      cancel();
      this.#over.resolve();
    }
  }

  async #bringAll(
    conversations: readonly Conversation[],
    brought?: (conversation: Conversation) => void,
  ): Promise<number> {
    const queue = conversations.values();
    const found = await Promise.all(Array.from({ length: beside }, () => this.#bringFrom(queue, brought)));
    return found.reduce((sum, one) => sum + one, 0);
  }

  /** Brings what was said in conversations of the queue until it is empty. */
  async #bringFrom(queue: Iterable<Conversation>, brought?: (conversation: Conversation) => void): Promise<number> {
    let found = 0;
    for (const conversation of queue) {
      if (this.#runtime.signal.aborted) return found;
      found += await this.#bring(conversation);
      brought?.(conversation);
    }
    return found;
  }

  /** Threads of known channels with messages since then. */
  async #newThreads(conversations: readonly Conversation[]): Promise<readonly Conversation[]> {
    const { directory } = this.#runtime;
    const threads = new Set(conversations.map(({ threadId }) => threadId));
    const found: Conversation[] = [];
    for (const tenant of new Set(conversations.map((conversation) => conversation.tenant))) {
      if (tenant === undefined) continue;
      const channels = new Set(
        conversations.filter((conversation) => conversation.tenant === tenant).map(({ chatId }) => chatId),
      );
      const { data } = threadShape.safeParse(await this.#get(`/guilds/${tenant}/threads/active`));
      for (const { last_message_id: last, ...thread } of data?.threads ?? []) {
        directory.add(thread, tenant);
        const conversation = directory.find(thread.id);
        if (conversation === undefined || !channels.has(conversation.chatId) || threads.has(thread.id)) continue;
        if (typeof last !== 'string' || BigInt(last) > BigInt(this.#begin)) found.push(conversation);
      }
    }
    return found;
  }

  /** Resolves with the number of messages once all are handled. */
  async #bring(conversation: Conversation): Promise<number> {
    const { host, signal } = this.#runtime;
    const channelId = channelOf(conversation);
    let after = this.#begin;
    let found = 0;
    for (let pages = 0; pages < mostPages; pages += 1) {
      const { messages, isFull } = await this.#pageAfter(channelId, after);
      for (const message of messages) {
        if (signal.aborted) return found;
        await this.#take('MESSAGE_CREATE', await this.#toldOf(conversation, message), conversation);
      }
      found += messages.length;
      const last = messages.at(-1);
      if (last === undefined || !isFull) return found;
      after = last.id;
    }
    host.log.warn({ channelId, found }, 'more was missed here than is looked for');
    return found;
  }

  async #pageAfter(channelId: string, after: string): Promise<Page> {
    const query = { after, limit: String(pageSize) };
    const { data = [] } = messagesShape.safeParse(await this.#get(`/channels/${channelId}/messages`, query));
    const messages = data
      .flatMap((message) => messageShape.safeParse(message).data ?? [])
      .filter((message) => message.channel_id === channelId);
    messages.sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));
    return { messages, isFull: data.length >= pageSize };
  }

  /** With the sender's roles, which fetched messages lack. */
  async #toldOf(conversation: Conversation, message: DiscordMessage): Promise<unknown> {
    if (!senderOf(message, false).isPerson) return message;
    return { ...message, member: await this.#memberOf(conversation, message.author.id) };
  }

  async #memberOf({ tenant }: Conversation, userId: string): Promise<unknown> {
    if (tenant === undefined || !namesRoles(this.#runtime.settings)) return undefined;
    const route: ApiRoute = `/guilds/${tenant}/members/${userId}`;
    if (!this.#members.has(route)) this.#members.set(route, await this.#get(route));
    return this.#members.get(route);
  }

  /** Undefined if Discord refuses, or fails for too long. */
  #get(route: ApiRoute, query?: Readonly<Record<string, string>>): Promise<unknown> {
    const { api, signal } = this.#runtime;
    return this.#reading.read(() => api.call('GET', route, { signal, query }));
  }
}

interface Page {
  readonly messages: readonly DiscordMessage[];
  readonly isFull: boolean;
}

function channelOf({ chatId, threadId }: Conversation): string {
  return threadId ?? chatId;
}

/** Whether the access rules name roles, so that the members' roles must be fetched. */
export function namesRoles({ allow_from, groups }: Pick<DiscordSettings, 'allow_from' | 'groups'>): boolean {
  const lists = Object.values(groups).flatMap((group) => [...group.allow_from, ...group.commands_from]);
  return [...allow_from, ...lists].some((id) => id.startsWith('role:'));
}
