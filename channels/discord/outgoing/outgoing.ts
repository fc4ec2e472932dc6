import { RESTJSONErrorCodes as Reason } from 'discord-api-types/v10';
import { z } from 'zod';
import { ChannelError, type Conversation, type MessageRef, type OutboundMessage } from '../../../src/contract.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { Parse } from '../../../src/lib/markdown-parser.ts';
import type { Interactions } from '../interactions.ts';
import type { ApiRoute, CallOptions, DiscordApi, Method } from '../web-api/api.ts';
import { refusalCode } from '../web-api/failure.ts';
import { type MessageBody, messageBody, nonceOf } from './message-body.ts';
import { NonceWindow } from './nonce-window.ts';
import { PrivateAnswers } from './private-answers.ts';

export interface OutgoingDependencies {
  readonly api: Pick<DiscordApi, 'call'>;
  readonly interactions: Interactions;
  readonly parse: Parse;
  readonly clock: Clock;
}

const sentShape = z.object({ id: z.string().min(1), content: z.string().optional().catch(undefined) });

/** Says what there is to say: in channels, threads and direct chats, or to one person as the answer to a command. */
export class Outgoing {
  readonly #dependencies: OutgoingDependencies;
  readonly #nonces: NonceWindow;
  readonly #private: PrivateAnswers;

  constructor(dependencies: OutgoingDependencies) {
    this.#dependencies = dependencies;
    this.#nonces = new NonceWindow(dependencies.clock);
    this.#private = new PrivateAnswers(dependencies);
  }

  async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    const body = messageBody(message, this.#dependencies.parse);
    const told = await this.#private.send(message, body);
    if (told !== undefined) return told;

    const { privateTo } = message;
    const place = privateTo === undefined ? to : await this.#private.placeFor(privateTo, to);
    const sent = await this.#nonces.send(message.id, () => this.#post(place, message, body));
    // An earlier sending with this nonce may have shown a text that has gone on since: a preview, in a former process.
    if (sent.content !== undefined && !isSame(sent.content, body.content)) await this.#change(place, sent.id, body);
    return { id: place === to ? sent.id : `direct:${place.chatId}:${sent.id}` };
  }

  async edit(to: Conversation, ref: MessageRef, message: OutboundMessage): Promise<void> {
    const body = messageBody(message, this.#dependencies.parse);
    if (await this.#private.edit(ref, body)) return;
    const { place, messageId } = standingAt(to, ref);
    await this.#change(place, messageId, body);
  }

  /** That it is gone already is no error. */
  async remove(to: Conversation, ref: MessageRef): Promise<void> {
    if (await this.#private.remove(ref)) return;
    const { place, messageId } = standingAt(to, ref);
    const route: ApiRoute = `/channels/${placeOf(place)}/messages/${messageId}`;
    try {
      await this.#inThread(place, 'DELETE', route, { repeatable: true });
    } catch (error) {
      const code = refusalCode(error);
      if (code !== Reason.UnknownMessage && code !== Reason.UnknownChannel) throw error;
    }
  }

  async showTyping(to: Conversation): Promise<void> {
    await this.#dependencies.api.call('POST', `/channels/${placeOf(to)}/typing`, { repeatable: true });
  }

  async #post(to: Conversation, message: OutboundMessage, body: MessageBody): Promise<z.output<typeof sentShape>> {
    const route: ApiRoute = `/channels/${placeOf(to)}/messages`;
    const files = message.file === undefined ? [] : [message.file];
    const plain = { ...body, ...nonceOf(message) };
    const post = async (content: object) =>
      expectSent(await this.#inThread(to, 'POST', route, { body: content, files }));
    const reference = referenceOf(message);
    if (reference === undefined) return await post(plain);
    try {
      return await post({ ...plain, message_reference: reference });
    } catch (error) {
      // What it answers can't be answered, or not by us: that must not cost the message.
      if (!refusesReference(refusalCode(error))) throw error;
      return await post(plain);
    }
  }

  async #change(to: Conversation, messageId: string, body: MessageBody): Promise<void> {
    const route: ApiRoute = `/channels/${placeOf(to)}/messages/${messageId}`;
    await this.#inThread(to, 'PATCH', route, { body, repeatable: true });
  }

  /** A thread in which nothing was said for long is archived, and has to be opened again first. */
  async #inThread(to: Conversation, method: Method, route: ApiRoute, options: CallOptions): Promise<unknown> {
    const { api } = this.#dependencies;
    try {
      return await api.call(method, route, options);
    } catch (error) {
      if (refusalCode(error) !== Reason.InvalidActionOnArchivedThread) throw error;
      await api.call('PATCH', `/channels/${placeOf(to)}`, { body: { archived: false }, repeatable: true });
      return await api.call(method, route, options);
    }
  }
}

/** The channel that a conversation is held in: a thread is one of its own. */
export function placeOf({ chatId, threadId }: Conversation): string {
  return snowflakeFrom(threadId ?? chatId, 'chat');
}

export function messageIdFrom(id: string): string {
  return snowflakeFrom(id, 'message');
}

/** What answers a command may stand elsewhere than the command. */
function standingAt(
  to: Conversation,
  { id }: MessageRef,
): { readonly place: Conversation; readonly messageId: string } {
  const [, chatId, messageId] = /^direct:(\d+):(\d+)$/.exec(id) ?? [];
  if (chatId === undefined || messageId === undefined) return { place: to, messageId: messageIdFrom(id) };
  return { place: { channel: 'discord', chatId, kind: 'direct' }, messageId };
}

/** The library takes a part of the address for granted, and an id goes into it unread. */
function snowflakeFrom(id: string, name: string): string {
  if (/^\d{15,20}$/.test(id)) return id;
  throw new ChannelError({ type: 'permanent' }, `This is not a ${name} of Discord.`);
}

function referenceOf({ replyTo }: OutboundMessage): object | undefined {
  if (replyTo === undefined || !/^\d{15,20}$/.test(replyTo)) return undefined;
  return { message_id: replyTo, fail_if_not_exists: false };
}

function refusesReference(code: number | undefined): boolean {
  return code !== undefined && referenceRefusals.has(code);
}

const referenceRefusals: ReadonlySet<number> = new Set([
  // A message of Discord itself can't be answered.
  Reason.InvalidFormBodyOrContentType,
  Reason.MissingPermissions,
  Reason.CannotReplyWithoutPermissionToReadMessageHistory,
]);

function expectSent(answer: unknown): z.output<typeof sentShape> {
  const { data } = sentShape.safeParse(answer);
  if (data !== undefined) return data;
  throw new ChannelError({ type: 'ambiguous' }, 'Discord, sending a message: the answer holds no message');
}

/** White space may come back otherwise. */
function isSame(one: string, other: string): boolean {
  return one.replace(/\s+/g, '') === other.replace(/\s+/g, '');
}
