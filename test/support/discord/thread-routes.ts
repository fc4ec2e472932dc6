import { z } from 'zod';
import type { BotMessages } from './bot-messages.ts';
import { botId } from './bot-user.ts';
import { readForm } from './form.ts';
import { readNewMessage } from './message-body.ts';
import type { MessageWire } from './message-wire.ts';
import type { Messages } from './messages.ts';
import { wireChannel } from './place-wire.ts';
import { type Channel, channelTypes, type Places, type ThreadState } from './places.ts';
import type { Posts } from './posts.ts';
import { missingPermissions, Refusal, unknownThing } from './refusal.ts';
import { pathPart, type RouteRequest } from './route.ts';
import type { Threads } from './threads.ts';
import type { Wire } from './wire.ts';

interface Dependencies {
  readonly botMessages: BotMessages;
  readonly messages: Messages;
  readonly places: Places;
  readonly posts: Posts;
  readonly threads: Threads;
  readonly wire: MessageWire;
}

const archiveMinutes = z.union([z.literal(60), z.literal(1440), z.literal(4320), z.literal(10080)]);
const threadForm = z.object({
  name: z.string().min(1).max(100),
  auto_archive_duration: archiveMinutes.default(1440),
  type: z.union([z.literal(11), z.literal(12)]).default(12),
});
const changeForm = z.object({
  name: z.string().min(1).max(100).optional(),
  archived: z.boolean().optional(),
  locked: z.boolean().optional(),
  auto_archive_duration: archiveMinutes.optional(),
});

/** The routes that look at channels, and make and change threads. */
export class ThreadRoutes {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  get(request: RouteRequest): Wire {
    return wireChannel(this.#dependencies.places.visible(pathPart(request, 'channel')));
  }

  /** A thread below a message; it has the message's id. */
  fromMessage(request: RouteRequest): Wire {
    const { messages, places, threads } = this.#dependencies;
    const channel = this.#parent(request);
    const message = messages.find(channel.id, pathPart(request, 'message'));
    if (message === undefined) throw unknownThing(10008, 'Message');
    const form = readForm(threadForm, request.json ?? {});
    if (places.has(message.id)) throw new Refusal(400, 160004, 'A thread has already been created for this message');
    return wireChannel(threads.open(channel, { ...form, ownerId: botId, messageId: message.id }));
  }

  /** A thread of its own; in a forum, with its first message. */
  create(request: RouteRequest): Wire {
    const { threads, botMessages, posts, wire } = this.#dependencies;
    const channel = this.#parent(request);
    const form = readForm(threadForm, request.json ?? {});
    if (channel.type !== channelTypes.forum) return wireChannel(threads.open(channel, { ...form, ownerId: botId }));
    const first = readForm(z.object({ message: z.looseObject({}) }), request.json);
    const body = readNewMessage({ json: first.message, uploads: request.uploads });
    const thread = threads.open(channel, { ...form, type: 11, ownerId: botId });
    const message = posts.add(thread.id, { ...botMessages.make(thread, body), id: thread.id });
    return { ...wireChannel(thread), message: wire.answer(message) };
  }

  change(request: RouteRequest): Wire {
    const { places, posts } = this.#dependencies;
    const channel = places.visible(pathPart(request, 'channel'));
    const { thread } = channel;
    if (thread === undefined && channel.type === channelTypes.dm)
      throw new Refusal(403, 50003, 'Cannot execute action on a DM channel');
    if (thread === undefined) throw missingPermissions();
    const form = readForm(changeForm, request.json ?? {});
    const { name, archived = thread.archived, locked = thread.locked } = form;
    this.#checkRights(channel, thread, { archived, locked });
    const autoArchiveMinutes = form.auto_archive_duration ?? thread.autoArchiveMinutes;
    return wireChannel(posts.changeThread(channel, { archived, locked, autoArchiveMinutes }, name));
  }

  #parent(request: RouteRequest): Channel {
    const { places } = this.#dependencies;
    const channel = places.visible(pathPart(request, 'channel'));
    if (channel.guildId === undefined || channel.thread !== undefined)
      throw new Refusal(400, 50024, 'Cannot execute action on this channel type');
    const needed = channel.type === channelTypes.forum ? 'SEND_MESSAGES' : 'CREATE_PUBLIC_THREADS';
    if (!places.allows(channel, [needed])) throw missingPermissions();
    return channel;
  }

  /** Anybody who may write there opens a thread that is archived; the rest is for its maker and for managers. */
  #checkRights(channel: Channel, before: ThreadState, after: Pick<ThreadState, 'archived' | 'locked'>): void {
    const { places } = this.#dependencies;
    if (places.allows(channel, ['MANAGE_THREADS'])) return;
    const isFree = !before.locked && !after.locked;
    if (!isFree || (after.archived && before.ownerId !== botId)) throw missingPermissions();
  }
}
