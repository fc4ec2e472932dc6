import type { APIMessage } from 'discord.js';
import { z } from 'zod';
import type { Application } from './application.ts';
import type { BotMessages } from './bot-messages.ts';
import { botId } from './bot-user.ts';
import { readForm } from './form.ts';
import { readChange, readNewMessage } from './message-body.ts';
import type { MessageWire } from './message-wire.ts';
import type { Messages, StoredMessage } from './messages.ts';
import { type Channel, channelTypes, type Places } from './places.ts';
import type { Posts } from './posts.ts';
import { missingPermissions, Refusal, unknownThing } from './refusal.ts';
import { pathPart, type RouteRequest } from './route.ts';

interface Dependencies {
  readonly application: Application;
  readonly botMessages: BotMessages;
  readonly messages: Messages;
  readonly places: Places;
  readonly posts: Posts;
  readonly wire: MessageWire;
}

const mostReactions = 20;
const snowflake = z.string().regex(/^\d+$/);
const pageForm = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  after: snowflake.optional(),
  before: snowflake.optional(),
  around: snowflake.optional(),
});

/** The routes that put something into a channel, change it, or look at it. */
export class MessageRoutes {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  list(request: RouteRequest): readonly APIMessage[] {
    const { messages, places } = this.#dependencies;
    const channel = places.visible(pathPart(request, 'channel'));
    const { limit, after, before, around } = readForm(pageForm, request.query);
    if ([after, before, around].filter((bound) => bound !== undefined).length > 1)
      throw new Refusal(400, 50035, 'Invalid Form Body');
    // Without this permission the list is empty, and nobody says why.
    if (!places.allows(channel, ['READ_MESSAGE_HISTORY'])) return [];
    const sorted = messages.in(channel.id).toSorted((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));
    const inRange = sorted.filter(({ id }) => isBetween(BigInt(id), after, before));
    // Always the newest first; `after` takes those next to it.
    const page = after === undefined ? inRange.slice(-limit) : inRange.slice(0, limit);
    return page.toReversed().map((message) => this.#answer(message));
  }

  get(request: RouteRequest): APIMessage {
    const { message } = this.#message(request);
    return this.#answer(message);
  }

  create(request: RouteRequest): APIMessage {
    const { places, botMessages, wire } = this.#dependencies;
    const channel = places.visible(pathPart(request, 'channel'));
    return wire.answer(botMessages.send(channel, readNewMessage(request)));
  }

  change(request: RouteRequest): APIMessage {
    const { botMessages, wire } = this.#dependencies;
    const { channel, message } = this.#message(request);
    if (message.author.id !== botId) throw new Refusal(403, 50005, 'Cannot edit a message authored by another user');
    if (channel.thread?.archived === true) throw archived();
    return wire.answer(botMessages.change(message, readChange(request, message)));
  }

  delete(request: RouteRequest): undefined {
    const { places, posts } = this.#dependencies;
    const { channel, message } = this.#message(request);
    const isOwn = message.author.id === botId;
    if (!isOwn && channel.type === channelTypes.dm)
      throw new Refusal(403, 50003, 'Cannot execute action on a DM channel');
    if (!isOwn && !places.allows(channel, ['MANAGE_MESSAGES'])) throw missingPermissions();
    if (channel.thread?.archived === true) throw archived();
    posts.remove(message);
  }

  addReaction(request: RouteRequest): undefined {
    const { places, posts } = this.#dependencies;
    const { channel, message } = this.#message(request);
    const emoji = emojiOf(request);
    const isNew = !message.reactions.has(emoji);
    const needed = ['READ_MESSAGE_HISTORY', ...(isNew ? (['ADD_REACTIONS'] as const) : [])] as const;
    if (!places.allows(channel, needed)) throw missingPermissions();
    if (channel.thread?.archived === true) throw archived();
    if (isNew && message.reactions.size >= mostReactions)
      throw new Refusal(400, 30010, `Maximum number of reactions reached (${mostReactions})`);
    posts.react(message, emoji, botId, true);
  }

  removeReaction(request: RouteRequest): undefined {
    const { message, channel } = this.#message(request);
    if (channel.thread?.archived === true) throw archived();
    this.#dependencies.posts.react(message, emojiOf(request), botId, false);
  }

  #message(request: RouteRequest): { readonly channel: Channel; readonly message: StoredMessage } {
    const { messages, places } = this.#dependencies;
    const channel = places.visible(pathPart(request, 'channel'));
    const message = messages.find(channel.id, pathPart(request, 'message'));
    if (message === undefined) throw unknownThing(10008, 'Message');
    return { channel, message };
  }

  /** What an application may not read over the gateway, it may not read here. */
  #answer(message: StoredMessage): APIMessage {
    const { application, wire } = this.#dependencies;
    const answer = wire.answer(message);
    return application.mayReadMessages ? answer : wire.withoutContent(answer);
  }
}

function archived(): Refusal {
  return new Refusal(400, 50083, 'Thread is archived');
}

function isBetween(id: bigint, after: string | undefined, before: string | undefined): boolean {
  if (after !== undefined && id <= BigInt(after)) return false;
  return before === undefined || id < BigInt(before);
}

function emojiOf(request: RouteRequest): string {
  const emoji = pathPart(request, 'emoji');
  if (/^\w{2,32}:\d+$/.test(emoji) || /^\p{RGI_Emoji}$/v.test(emoji) || /^\p{Emoji}\uFE0F?$/u.test(emoji)) return emoji;
  throw unknownThing(10014, 'Emoji');
}
