import { ButtonStyle, ComponentType, MessageFlags, RESTJSONErrorCodes as Reason } from 'discord.js';
import { z } from 'zod';
import {
  type Button,
  ChannelError,
  type Conversation,
  type MessageRef,
  type OutboundMessage,
} from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { Parse } from '../../src/lib/markdown-parser.ts';
import { shortened } from '../../src/lib/plain-text.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import { refusalCode } from '../kit/request-failure.ts';
import type { ApiRoute, DiscordApi, Method } from './api.ts';
import { askingFor, commandNamed, type Interactions, webhookOf } from './interactions.ts';
import { renderMarkdown } from './markdown.ts';

const sentShape = z.object({ id: z.string().min(1), content: z.string().optional().catch(undefined) });

type Sent = z.output<typeof sentShape>;

/** Discord remembers a nonce for "the past few minutes". In milliseconds. */
const nonceLife = 2 * 60_000;
const mostRemembered = 1_000;

/**
 * Says what there is to say: in channels, threads and direct chats, or to one person as the answer to a command. That is
 * shown to them alone, in the place of the command, as long as its token holds; after that in their direct chat.
 */
export class Outgoing {
  readonly #api: Pick<DiscordApi, 'call'>;
  readonly #interactions: Interactions;
  readonly #parse: Parse;
  readonly #clock: Clock;
  /** By the id of a message: when the first of its lost sendings began. */
  readonly #lostSince = new Remembered<string, number>(mostRemembered);

  constructor(api: Pick<DiscordApi, 'call'>, interactions: Interactions, parse: Parse, clock: Clock) {
    this.#api = api;
    this.#interactions = interactions;
    this.#parse = parse;
    this.#clock = clock;
  }

  async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    const body = messageBody(message, this.#parse);
    const { privateTo } = message;
    if (privateTo === undefined) return { id: await this.#post(placeOf(to), message, body) };

    const command = commandNamed(privateTo);
    if (command === undefined)
      throw new ChannelError({ type: 'permanent' }, 'Discord, answering a command: nobody knows who gave it.');
    const told = await this.#tell(command.interactionId, message, body);
    if (told !== undefined) return { id: `ephemeral:${command.interactionId}:${told}` };
    if (to.kind === 'direct') return { id: await this.#post(placeOf(to), message, body) };
    const chatId = await this.#openChat(command.userId);
    return { id: `direct:${chatId}:${await this.#post(chatId, message, body)}` };
  }

  async edit(to: Conversation, ref: MessageRef, message: OutboundMessage): Promise<void> {
    const body = messageBody(message, this.#parse);
    const standing = this.#find(to, ref);
    if (standing === undefined) throw new ChannelError({ type: 'permanent' }, overWords);
    await this.#act('PATCH', standing, standing.auth ? body : changeIn(body));
  }

  /** A message that is gone already is no error. One that only one person sees stays until they close Discord. */
  async remove(to: Conversation, ref: MessageRef): Promise<void> {
    const standing = this.#find(to, ref);
    if (standing === undefined) return;
    try {
      await this.#act('DELETE', standing);
    } catch (error) {
      const code = refusalCode(error);
      if (code !== Reason.UnknownMessage && code !== Reason.UnknownChannel && !isOver(error)) throw error;
    }
  }

  async showTyping(to: Conversation): Promise<void> {
    await this.#api.call('POST', `/channels/${placeOf(to)}/typing`, { repeatable: true });
  }

  /** Shows it in a channel, and gives the id. With its id as the nonce, Discord makes one message of several sendings. */
  async #post(channelId: string, message: OutboundMessage, body: MessageBody): Promise<string> {
    const { id, file, replyTo = '' } = message;
    const files = file === undefined ? [] : [file];
    const route: ApiRoute = `/channels/${channelId}/messages`;
    const isContent = message.kind === 'reply' || message.kind === 'for_user';
    const post = async (reference: object): Promise<Sent> => {
      const content = { ...body, ...reference, nonce: id.slice(0, most.nonce), enforce_nonce: true };
      const options = { body: content, files, isContent };
      const answer = await this.#inThread(channelId, () => this.#api.call('POST', route, options));
      return expectSent(answer, 'sending a message');
    };
    const sent = await this.#once(id, async () => {
      if (!isSnowflake(replyTo)) return await post({});
      try {
        return await post({ message_reference: { message_id: replyTo, fail_if_not_exists: false } });
      } catch (error) {
        // What it answers can't be answered, or not by us: that must not cost the message.
        if (!referenceRefusals.includes(refusalCode(error))) throw error;
        return await post({});
      }
    });
    // An earlier sending with this nonce may have shown a text that has gone on since: a preview, in a former process.
    if (sent.content !== undefined && !isSame(sent.content, body.content))
      await this.#act('PATCH', { route: `${route}/${sent.id}`, channelId, auth: true }, body);
    return sent.id;
  }

  /**
   * When the answer to a sending is lost, it may be sent again as if nothing had been done, while Discord remembers the
   * nonce. Counted is from the first sending that may have made the message: once that is too long ago, another one may
   * make a second message, which is what "ambiguous" tells the core. After a restart the count starts over; a message that
   * was on its way then may come twice if Keyturn was away for longer.
   */
  async #once(messageId: string, send: () => Promise<Sent>): Promise<Sent> {
    const begunAt = this.#clock.now();
    try {
      const sent = await send();
      this.#lostSince.delete(messageId);
      return sent;
    } catch (error) {
      if (!(error instanceof ChannelError) || error.fault.type !== 'ambiguous') throw error;
      const since = this.#lostSince.get(messageId) ?? begunAt;
      this.#lostSince.set(messageId, since);
      if (this.#clock.now() - since >= nonceLife) throw error;
      throw new ChannelError({ type: 'transient' }, error.message);
    }
  }

  /**
   * Shows it to the person who gave the command, and gives the id; undefined once the time for that is over. The first
   * message takes the place of "is thinking", which can be done twice without harm; others are new ones.
   */
  async #tell(interactionId: string, message: OutboundMessage, body: MessageBody): Promise<string | undefined> {
    const interaction = this.#interactions.find(interactionId);
    if (interaction === undefined) return undefined;
    const webhook = webhookOf(interaction);
    const files = message.file === undefined ? [] : [message.file];
    const whispered = { ...body, flags: body.flags | MessageFlags.Ephemeral };
    const isFirst = this.#interactions.claimFirst(interactionId, message.id);
    try {
      const answer = isFirst
        ? await this.#api.call('PATCH', `${webhook}/messages/@original`, {
            ...{ auth: false, body: changeIn(body), files, repeatable: true },
          })
        : await this.#api.call('POST', webhook, { auth: false, body: whispered, files });
      return expectSent(answer, 'answering a command').id;
    } catch (error) {
      if (!isOver(error)) throw error;
      this.#interactions.forget(interactionId);
      return undefined;
    }
  }

  async #openChat(userId: string): Promise<string> {
    const body = { recipient_id: userId };
    const answer = await this.#api.call('POST', '/users/@me/channels', { body, repeatable: true });
    const { data } = sentShape.safeParse(answer);
    if (data !== undefined) return data.id;
    throw new ChannelError({ type: 'transient' }, 'Discord, opening a direct chat: the answer holds none');
  }

  /** Where the message stands; undefined where it can't be reached any more. The answer to a command may stand elsewhere. */
  #find(to: Conversation, { id }: MessageRef): Standing | undefined {
    const [, kind, place = '', messageId = ''] = /^(ephemeral|direct):(\d+):(\d+)$/.exec(id) ?? [];
    if (kind === 'ephemeral') {
      const interaction = this.#interactions.find(place);
      return interaction && { route: `${webhookOf(interaction)}/messages/${messageId}`, auth: false };
    }
    const channelId = kind === 'direct' ? place : placeOf(to);
    const message = kind === 'direct' ? messageId : messageIdFrom(id);
    return { route: `/channels/${channelId}/messages/${message}`, channelId, auth: true };
  }

  async #act(method: Method, { route, channelId, auth }: Standing, body?: object): Promise<void> {
    await this.#inThread(channelId, () => this.#api.call(method, route, { body, auth, repeatable: true }));
  }

  /** A thread in which nothing was said for long is archived, and has to be opened again first. */
  async #inThread(channelId: string | undefined, call: () => Promise<unknown>): Promise<unknown> {
    try {
      return await call();
    } catch (error) {
      if (refusalCode(error) !== Reason.InvalidActionOnArchivedThread || channelId === undefined) throw error;
      await this.#api.call('PATCH', `/channels/${channelId}`, { body: { archived: false }, repeatable: true });
      return await call();
    }
  }
}

/** Where a message stands. */
interface Standing {
  readonly route: ApiRoute;
  /** Left out where it answers a command. */
  readonly channelId?: string;
  /** Whether the bot's token is needed there. */
  readonly auth: boolean;
}

const overWords =
  'What was shown to one person as the answer to a command can be changed for a quarter of an hour only.';

/** The channel that a conversation is held in: a thread is one of its own. */
export function placeOf({ chatId, threadId }: Conversation): string {
  return snowflakeFrom(threadId ?? chatId, 'chat');
}

export function messageIdFrom(id: string): string {
  return snowflakeFrom(id, 'message');
}

/** The library takes a part of the address for granted, and an id goes into it unread. */
function snowflakeFrom(id: string, name: string): string {
  if (isSnowflake(id)) return id;
  throw new ChannelError({ type: 'permanent' }, `This is not a ${name} of Discord.`);
}

function isSnowflake(id: string): boolean {
  return /^\d{15,20}$/.test(id);
}

const referenceRefusals: readonly unknown[] = [
  // A message of Discord itself can't be answered.
  Reason.InvalidFormBodyOrContentType,
  Reason.MissingPermissions,
  Reason.CannotReplyWithoutPermissionToReadMessageHistory,
];

function isOver(error: unknown): boolean {
  const code = refusalCode(error);
  return code === Reason.UnknownWebhook || code === Reason.InvalidWebhookToken || code === Reason.UnknownInteraction;
}

function expectSent(answer: unknown, tried: string): Sent {
  const { data } = sentShape.safeParse(answer);
  if (data !== undefined) return data;
  throw new ChannelError({ type: 'ambiguous' }, `Discord, ${tried}: the answer holds no message`);
}

/** White space may come back otherwise. */
function isSame(one: string, other: string): boolean {
  return one.replace(/\s+/g, '') === other.replace(/\s+/g, '');
}

const most = { rows: 5, buttons: 5, label: 80, customId: 100, nonce: 25 } as const;

/** A message as Discord takes it, when it is new and when it is changed. */
interface MessageBody {
  readonly content: string;
  readonly components: readonly object[];
  readonly allowed_mentions: { readonly parse: readonly []; readonly replied_user: false };
  readonly flags: number;
}

/** The message, without a text where only a file is to be shown. An edit with it takes old buttons away. */
function messageBody({ markdown, file, buttons = [] }: OutboundMessage, parse: Parse): MessageBody {
  const isFileAlone = file !== undefined && markdown.trim() === '';
  const rows = buttons.filter((row) => row.length > 0).slice(0, most.rows);
  return {
    content: isFileAlone ? '' : renderMarkdown(markdown, parse),
    components: rows.map((row) => ({
      type: ComponentType.ActionRow,
      components: row.slice(0, most.buttons).map(buttonOf),
    })),
    allowed_mentions: { parse: [], replied_user: false },
    // An address in a message must tell nobody that it was written, and take no room.
    flags: MessageFlags.SuppressEmbeds,
  };
}

/** What may be changed in the answer to a command. */
function changeIn({ content, components, allowed_mentions }: MessageBody): object {
  return { content, components, allowed_mentions };
}

/** Green says better than blue what a press of it does: it lets something happen. */
const styles = { primary: ButtonStyle.Success, danger: ButtonStyle.Danger, plain: ButtonStyle.Secondary } as const;

function buttonOf({ actionId, label, style, asks }: Button): object {
  const customId = asks === undefined ? actionId : askingFor(actionId);
  return {
    type: ComponentType.Button,
    style: styles[style],
    label: shortened(label, most.label) || '…',
    custom_id: customId.slice(0, most.customId),
  };
}
