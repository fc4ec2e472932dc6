import { ButtonStyle, ComponentType, MessageFlags, RESTJSONErrorCodes as Reason } from 'discord.js';
import { z } from 'zod';
import {
  type Button,
  ChannelError,
  type ChannelFault,
  type Conversation,
  type MessageRef,
  type OutboundFile,
  type OutboundMessage,
} from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { Parse } from '../../src/lib/markdown-parser.ts';
import { shortened } from '../../src/lib/plain-text.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import type { InLanguage } from '../../src/lib/words.ts';
import { isOwnWords } from '../kit/own-words.ts';
import { expectShape } from '../kit/read-payload.ts';
import { acceptRefusal, onRefusal, requestError } from '../kit/request-failure.ts';
import { kitWords } from '../kit/words.ts';
import type { ApiRoute, DiscordApi, Method } from './api.ts';
import { askingFor, type Interactions, webhookOf } from './interactions.ts';
import { renderMarkdown } from './markdown.ts';
import { discordWords } from './words.ts';

const sentShape = z.object({ id: z.string().min(1), content: z.string().optional().catch(undefined) });

type Sent = z.output<typeof sentShape>;

/** Discord remembers a nonce for "the past few minutes". In ms. */
const nonceLife = 2 * 60_000;
const mostRemembered = 1_000;

interface OutgoingParts {
  readonly api: Pick<DiscordApi, 'call'>;
  readonly interactions: Interactions;
  readonly parse: Parse;
  readonly clock: Clock;
}

/**
 * Sends messages to channels, threads and direct chats, and answers to commands. Those go to one person: in place of
 * the command while its token is valid, later in their direct chat.
 */
export class Outgoing {
  readonly #parts: OutgoingParts;
  /** By message id: when the first send with a lost answer began. */
  readonly #lostSince = new Remembered<string, number>(mostRemembered);

  constructor(parts: OutgoingParts) {
    this.#parts = parts;
  }

  async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    const body = messageBody(message, this.#parts.parse);
    const { privateTo } = message;
    if (privateTo === undefined) return { id: await this.#post(channelIdOf(to), message, body) };

    // `privateTo` is the person's id and the interaction's.
    const [, userId, interactionId] = /^(\d{1,20}):(\d{1,20})$/.exec(privateTo) ?? [];
    if (userId === undefined || interactionId === undefined)
      throw failed(answeringCommand, { type: 'permanent' }, (language) => discordWords[language].unknownCommander);
    const told = await tell(this.#parts, interactionId, message, body);
    if (told !== undefined) return { id: `ephemeral:${interactionId}:${told}` };
    if (to.kind === 'direct') return { id: await this.#post(channelIdOf(to), message, body) };
    const chatId = await openChat(this.#parts.api, userId);
    return { id: `direct:${chatId}:${await this.#post(chatId, message, body)}` };
  }

  async edit(to: Conversation, ref: MessageRef, message: OutboundMessage): Promise<void> {
    const { api, interactions, parse } = this.#parts;
    const body = messageBody(message, parse);
    const standing = find(interactions, to, ref);
    if (standing === undefined)
      throw new ChannelError({ type: 'permanent' }, (language) => discordWords[language].tooLateToChange);
    await act(api, 'PATCH', standing, standing.auth ? body : changeIn(body));
  }

  /** Succeeds if the message is already gone. One that only one person sees stays until they close Discord. */
  async remove(to: Conversation, ref: MessageRef): Promise<void> {
    const { api, interactions } = this.#parts;
    const standing = find(interactions, to, ref);
    if (standing === undefined) return;
    const gone = acceptRefusal(Reason.UnknownMessage, Reason.UnknownChannel, ...overReasons);
    await act(api, 'DELETE', standing).catch(gone);
  }

  async showTyping(to: Conversation): Promise<void> {
    await this.#parts.api.call('POST', `/channels/${channelIdOf(to)}/typing`, { repeatable: true });
  }

  /** Posts to a channel and returns the id. The nonce is our own id, so that Discord deduplicates retries. */
  async #post(channelId: string, message: OutboundMessage, body: MessageBody): Promise<string> {
    const { api } = this.#parts;
    const { id } = message;
    const sendOnce = (nonce: string): Promise<Sent> =>
      this.#once(id, () => postMessage(api, channelId, message, body, nonce));
    const sent = await sendOnce(id);
    // A retry with this nonce may have returned a message with an older text, such as a preview of a former process.
    if (sent.content === undefined || isSame(sent.content, body.content)) return sent.id;
    const standing = { route: `/channels/${channelId}/messages/${sent.id}`, channelId, auth: true } as const;
    const editing = act(api, 'PATCH', standing, body).then(() => sent);
    // If it has been deleted since, its nonce would return it again.
    return (await editing.catch(onRefusal([Reason.UnknownMessage], () => sendOnce(`+${id}`)))).id;
  }

  /**
   * A send with a lost answer is transient, since Discord deduplicates by nonce, until `nonceLife` after the first such
   * send; from then on it is ambiguous, since a retry could duplicate the message. The times are lost on restart: a
   * message then in flight may be sent twice if Keyturn was down for longer.
   */
  async #once(messageId: string, send: () => Promise<Sent>): Promise<Sent> {
    const { clock } = this.#parts;
    const begunAt = clock.now();
    try {
      const sent = await send();
      this.#lostSince.delete(messageId);
      return sent;
    } catch (error) {
      if (!(error instanceof ChannelError) || error.fault.type !== 'ambiguous') throw error;
      const since = this.#lostSince.get(messageId) ?? begunAt;
      this.#lostSince.set(messageId, since);
      if (clock.now() - since >= nonceLife) throw error;
      throw new ChannelError({ type: 'transient' }, error.words);
    }
  }
}

async function postMessage(
  api: Pick<DiscordApi, 'call'>,
  channelId: string,
  message: OutboundMessage,
  body: MessageBody,
  nonce: string,
): Promise<Sent> {
  const { replyTo = '' } = message;
  // Changes never ring. Discord takes this flag for new messages only: discord.com/developers/docs/resources/message
  const flags = message.isSilent ? body.flags | MessageFlags.SuppressNotifications : body.flags;
  const content = { ...body, flags, nonce: nonce.slice(0, most.nonce), enforce_nonce: true };
  const plainly = () => postContent(api, channelId, message, content);
  if (!isSnowflake(replyTo)) return plainly();
  const reference = { message_reference: { message_id: replyTo, fail_if_not_exists: false } };
  const replying = postContent(api, channelId, message, { ...content, ...reference });
  // If the message cannot be replied to, or not by us, send it without the reference.
  return replying.catch(onRefusal(referenceRefusals, plainly));
}

async function postContent(
  api: Pick<DiscordApi, 'call'>,
  channelId: string,
  message: OutboundMessage,
  body: object,
): Promise<Sent> {
  const isContent = message.kind === 'reply' || message.kind === 'for_user';
  const options = { body, files: filesOf(message), isContent };
  const posting = () => api.call('POST', `/channels/${channelId}/messages`, options);
  return expectSent(await inThread(api, channelId, posting), sendingMessage);
}

/**
 * Answers a command privately and returns the message's id; undefined once its token has expired. The first message
 * replaces "is thinking", which is idempotent; later ones are new messages.
 */
async function tell(
  { api, interactions }: OutgoingParts,
  interactionId: string,
  message: OutboundMessage,
  body: MessageBody,
): Promise<string | undefined> {
  const interaction = interactions.get(interactionId);
  if (interaction === undefined) return undefined;
  interaction.first ??= message.id;
  const webhook = webhookOf(interaction);
  const options = { auth: false, files: filesOf(message) };
  const first = { ...options, body: changeIn(body), repeatable: true };
  const later = { ...options, body: { ...body, flags: body.flags | MessageFlags.Ephemeral } };
  const answered =
    interaction.first === message.id
      ? api.call('PATCH', `${webhook}/messages/@original`, first)
      : api.call('POST', webhook, later);
  const over = (): undefined => void interactions.delete(interactionId);
  return answered.then((answer) => expectSent(answer, answeringCommand).id).catch(onRefusal(overReasons, over));
}

/** The id of the direct chat with somebody. Throws `ChannelError`. */
export async function openChat(api: Pick<DiscordApi, 'call'>, userId: string): Promise<string> {
  const body = { recipient_id: userId };
  const answer = await api.call('POST', '/users/@me/channels', { body, repeatable: true });
  const opening: InLanguage = (language) => discordWords[language].openingChat;
  const failure = () => failed(opening, { type: 'transient' }, (language) => discordWords[language].holdsNoChat);
  return expectShape(sentShape, answer, failure).id;
}

/** Where a message can be changed; undefined if it no longer can. Answers to commands have their own routes. */
function find(interactions: Interactions, to: Conversation, { id }: MessageRef): Standing | undefined {
  const [, kind, channel = '', messageId = ''] = /^(ephemeral|direct):(\d+):(\d+)$/.exec(id) ?? [];
  if (kind === 'ephemeral') {
    const interaction = interactions.get(channel);
    return interaction && { route: `${webhookOf(interaction)}/messages/${messageId}`, auth: false };
  }
  const channelId = kind === 'direct' ? channel : channelIdOf(to);
  const message = kind === 'direct' ? messageId : messageIdFrom(id);
  return { route: `/channels/${channelId}/messages/${message}`, channelId, auth: true };
}

async function act(
  api: Pick<DiscordApi, 'call'>,
  method: Method,
  { route, channelId, auth }: Standing,
  body?: object,
): Promise<void> {
  await inThread(api, channelId, () => api.call(method, route, { body, auth, repeatable: true }));
}

/** Unarchives a thread that was archived for inactivity, then retries. */
async function inThread(
  api: Pick<DiscordApi, 'call'>,
  channelId: string | undefined,
  call: () => Promise<unknown>,
): Promise<unknown> {
  if (channelId === undefined) return call();
  const unarchive = { body: { archived: false }, repeatable: true };
  const retry = () => api.call('PATCH', `/channels/${channelId}`, unarchive).then(call);
  return call().catch(onRefusal([Reason.InvalidActionOnArchivedThread], retry));
}

function filesOf({ file }: OutboundMessage): readonly OutboundFile[] {
  return file === undefined ? [] : [file];
}

interface Standing {
  readonly route: ApiRoute;
  /** Left out for answers to commands. */
  readonly channelId?: string;
  /** Whether the route needs the bot token. */
  readonly auth: boolean;
}

/** The channel id of a conversation: a thread is a channel of its own. */
export function channelIdOf({ chatId, threadId }: Conversation): string {
  return snowflakeFrom(threadId ?? chatId, 'notItsChat');
}

export function messageIdFrom(id: string): string {
  return snowflakeFrom(id, 'notItsMessage');
}

/** Ids are validated because the library puts them into URLs unescaped. */
function snowflakeFrom(id: string, fault: 'notItsChat' | 'notItsMessage'): string {
  if (isSnowflake(id)) return id;
  throw new ChannelError({ type: 'permanent' }, (language) => kitWords[language][fault]({ platform: 'Discord' }));
}

function isSnowflake(id: string): boolean {
  return /^\d{15,20}$/.test(id);
}

const referenceRefusals = [
  // Discord's system messages cannot be replied to.
  Reason.InvalidFormBodyOrContentType,
  Reason.MissingPermissions,
  Reason.CannotReplyWithoutPermissionToReadMessageHistory,
] as const;

/** The interaction's token has expired. */
const overReasons = [Reason.UnknownWebhook, Reason.InvalidWebhookToken, Reason.UnknownInteraction] as const;

const sendingMessage: InLanguage = (language) => kitWords[language].sendingMessage;
const answeringCommand: InLanguage = (language) => kitWords[language].answeringCommand;

function expectSent(answer: unknown, tried: InLanguage): Sent {
  const failure = () => failed(tried, { type: 'ambiguous' }, (language) => discordWords[language].holdsNoMessage);
  return expectShape(sentShape, answer, failure);
}

function failed(tried: InLanguage, fault: ChannelFault, words: InLanguage): ChannelError {
  return requestError({ platform: 'Discord', tried }, { fault, words }, false);
}

/** Discord may change white space. */
function isSame(one: string, other: string): boolean {
  return one.replace(/\s+/g, '') === other.replace(/\s+/g, '');
}

const most = { rows: 5, buttons: 5, label: 80, customId: 100, nonce: 25 } as const;

/** The body of a message for both create and edit. */
interface MessageBody {
  readonly content: string;
  readonly components: readonly object[];
  readonly allowed_mentions: { readonly parse: readonly []; readonly replied_user: false };
  readonly flags: number;
}

/** A file without a text gets no content. Components are always included, so that an edit removes old buttons. */
function messageBody(message: OutboundMessage, parse: Parse): MessageBody {
  const { markdown, file, buttons = [] } = message;
  const isFileAlone = file !== undefined && markdown.trim() === '';
  const rows = buttons.filter((row) => row.length > 0).slice(0, most.rows);
  return {
    content: isFileAlone ? '' : renderMarkdown(markdown, parse, isOwnWords(message) ? 'shown' : 'words'),
    components: rows.map((row) => ({
      type: ComponentType.ActionRow,
      components: row.slice(0, most.buttons).map(buttonOf),
    })),
    allowed_mentions: { parse: [], replied_user: false },
    // Previews would tell the linked site about the message, and take up space.
    flags: MessageFlags.SuppressEmbeds,
  };
}

/** The fields that an interaction's webhook accepts in an edit. */
function changeIn({ content, components, allowed_mentions }: MessageBody): object {
  return { content, components, allowed_mentions };
}

/** Approving is green, not blue. */
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
