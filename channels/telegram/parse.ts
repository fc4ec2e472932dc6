import { z } from 'zod';
import type {
  Conversation,
  InboundAction,
  InboundEdit,
  InboundMembership,
  InboundMessage,
  InboundQuote,
  Quote,
  Sender,
  SharedText,
} from '../../src/contract.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import { lenient } from '../kit/read-payload.ts';
import { type Addressed, readAddressing } from './addressing.ts';
import { type Asked, askedFor } from './asking.ts';
import { addressesBeside, attachmentsOf, content, quotedWords, selectedWords, shownWords, textIn } from './content.ts';
import { textEntities, withAddresses } from './entities.ts';
import { membershipShape, parseMembership } from './membership.ts';
import {
  chat,
  conversationOf,
  groupOf,
  kindOf,
  type MessageIdentity,
  messageIdentity,
  nameOfChat,
  personOf,
  thread,
  type User,
  user,
} from './parties.ts';
import type { BotIdentity } from './reading-api.ts';
import { unreadableIn } from './unreadable.ts';
import type { Unreadable } from './words.ts';

const repliedShape = content.extend({
  message_id: z.number(),
  from: user.optional(),
  sender_chat: lenient(chat),
  forum_topic_created: z.unknown().optional(),
});

/** The author of a forwarded message, or of one quoted from another chat. */
const originShape = z.object({
  sender_user: lenient(user),
  sender_user_name: lenient(z.string()),
  sender_chat: lenient(chat),
  chat: lenient(chat),
});

/** A message of another chat, or a channel's post, that is replied to. */
const externalReply = content.extend({ origin: originShape });

const unknownBot = { id: 0, is_bot: true, first_name: '', last_name: '', username: '', language_code: undefined };

const message = messageIdentity.extend(content.shape).extend({
  date: z.number(),
  edit_date: lenient(z.number()),
  from: user.optional(),
  sender_chat: chat.optional(),
  reply_to_message: lenient(repliedShape),
  external_reply: lenient(externalReply),
  quote: lenient(z.object({ text: z.string(), position: z.int().default(0).catch(0), entities: textEntities })),
  // An unreadable origin still counts as one: the words are not the sender's own.
  forward_origin: originShape.nullish().catch({}),
  forward_date: z.unknown().optional(),
  via_bot: user.nullish().catch(unknownBot),
  media_group_id: lenient(z.string()),
  migrate_to_chat_id: lenient(z.int()),
  migrate_from_chat_id: lenient(z.int()),
});

const pressShape = z.object({
  id: z.string(),
  from: user,
  data: z.string().optional(),
  message: messageIdentity.optional(),
});

/** A person has pressed a draft's stop button. */
const stopShape = z.object({ chat, message_thread_id: thread, draft_id: z.number() });

/** The parts of an update that we read. */
const updateShape = z.object({
  update_id: z.int(),
  message: message.optional(),
  edited_message: message.optional(),
  callback_query: pressShape.optional(),
  my_chat_member: membershipShape.optional(),
  stopped_message_generation: stopShape.optional(),
});

type Message = z.output<typeof message>;
type Replied = z.output<typeof repliedShape>;

export type Parsed =
  | {
      readonly type: 'message';
      readonly event: InboundMessage;
      /** The id of its album, if any. */
      readonly album?: string;
      /** What it is, if nothing in it can be read. */
      readonly unreadable?: Unreadable;
      /** The address at the beginning of the bot's message that it answers: see `asking.ts`. */
      readonly answersAddress?: string | undefined;
    }
  | { readonly type: 'edit'; readonly event: InboundEdit }
  | { readonly type: 'press'; readonly event: InboundAction; readonly pressId: string }
  /** A press of a button that asks for a text. */
  | { readonly type: 'ask'; readonly asked: Asked; readonly pressId: string }
  | { readonly type: 'membership'; readonly event: InboundMembership }
  /** A group became a supergroup, with a new id. */
  | { readonly type: 'moved'; readonly from: Conversation; readonly chatId: string }
  /** Nothing to handle, and why. */
  | { readonly type: 'ignored'; readonly reason: string }
  /** Not the documented shape; `path` says where. */
  | { readonly type: 'unreadable'; readonly path: string };

/** Parses any value; never throws. `now`: for updates without a time. */
export function parseUpdate(update: unknown, bot: BotIdentity, now: number): Parsed {
  const raw = isJsonObject(update) && isJsonObject(update.message) ? update.message : {};
  const { data, error } = updateShape.safeParse(update);
  if (data === undefined) return { type: 'unreadable', path: error?.issues[0]?.path.join('.') ?? '' };
  const { update_id: updateId, message, edited_message, callback_query, my_chat_member: member } = data;
  const { stopped_message_generation: stop } = data;
  if (message !== undefined) return parseMove(message) ?? parseMessage(message, unreadableIn(raw), bot);
  if (edited_message !== undefined) return parseEdit(edited_message, updateId, bot);
  if (callback_query !== undefined) return parsePress(callback_query, bot);
  if (member !== undefined) return parseMember(member, `telegram:${bot.id}:cm:${updateId}`);
  if (stop !== undefined) return parseStop(stop, `telegram:${bot.id}:s:${updateId}`, now);
  return ignored('of no kind that is read');
}

/** Undefined if the update has no valid id. */
export function updateIdOf(update: unknown): number | undefined {
  const id = isJsonObject(update) ? update.update_id : undefined;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}

function ignored(reason: string): Parsed {
  return { type: 'ignored', reason };
}

function parseMember(member: z.output<typeof membershipShape>, key: string): Parsed {
  const event = parseMembership(member, key);
  return event === undefined ? ignored('no change of membership that matters') : { type: 'membership', event };
}

/** A move is announced in both chats: in the old one with the new id, and vice versa. */
function parseMove(message: Message): Parsed | undefined {
  const { chat, migrate_to_chat_id: to, migrate_from_chat_id: from } = message;
  if (kindOf(chat) !== 'group') return undefined;
  if (to !== undefined) return { type: 'moved', from: groupOf(chat.id), chatId: String(to) };
  return from === undefined ? undefined : { type: 'moved', from: groupOf(from), chatId: String(chat.id) };
}

function parseMessage(message: Message, unreadable: Unreadable | undefined, bot: BotIdentity): Parsed {
  const conversation = conversationOf(message);
  const sender = senderOf(message);
  if (conversation === undefined) return ignored('a post in a channel');
  if (sender === undefined) return ignored('no sender');

  const { calls, text, shared } = wordsOf(message, bot);
  const attachments = attachmentsOf(message).map((file) => (shared === undefined ? file : { ...file, isShared: true }));
  const isSilent = [text, ...(shared ?? []).map((one) => one.text)].every((words) => words.trim() === '');
  const saysNothing = isSilent && attachments.length === 0;
  if (saysNothing && unreadable === undefined) return ignored('nothing is said with it');

  const { media_group_id: album } = message;
  const event: InboundMessage = {
    type: 'message',
    key: keyOf(message, bot),
    conversation,
    sender,
    text,
    addressed: conversation.kind === 'direct' || calls || repliesToBot(message, bot),
    sentAt: message.date * 1000,
    messageId: String(message.message_id),
    shared,
    ...(attachments.length > 0 && { attachments }),
    quote: quoteOf(message, bot),
    answersTo: answeredOwn(message, bot),
    isPiece: album !== undefined || undefined,
  };
  return {
    type: 'message',
    event,
    album: album && `${message.chat.id}:${album}`,
    unreadable: saysNothing ? unreadable : undefined,
    answersAddress: answeredAddress(message, bot),
  };
}

/** Only texts and files can be edited. Moves of a live location arrive as edits too. */
function parseEdit(message: Message, updateId: number, bot: BotIdentity): Parsed {
  const conversation = conversationOf(message);
  const sender = senderOf(message);
  if (conversation === undefined || sender === undefined) return ignored('an edit by nobody');
  if (message.text === undefined && message.caption === undefined && attachmentsOf(message).length === 0)
    return ignored('an edit of something without a text');

  const messageKey = keyOf(message, bot);
  const { text, shared } = wordsOf(message, bot);
  // Two edits within a second have the same date.
  const key = `${messageKey}:e:${message.edit_date ?? message.date}:${updateId}`;
  const answersTo = answeredOwn(message, bot);
  return { type: 'edit', event: { type: 'edit', key, messageKey, conversation, sender, text, shared, answersTo } };
}

function keyOf({ chat, message_id }: Pick<MessageIdentity, 'chat' | 'message_id'>, bot: BotIdentity): string {
  return `telegram:${bot.id}:m:${chat.id}:${message_id}`;
}

interface Words extends Addressed {
  readonly shared?: readonly SharedText[];
}

/** The sender's own words, or those that they pass on: never both. */
function wordsOf(message: Message, bot: BotIdentity): Words {
  const author = sharedBy(message, bot);
  if (author === undefined) return textOf(message, bot);
  return { calls: false, text: '', shared: [{ ...author, text: shownWords(message) ?? '' }] };
}

function textOf(message: Message, bot: BotIdentity): Words {
  const typed = textIn(message);
  if (typed === undefined) return { calls: false, text: shownWords(message) ?? '' };
  const { text, entities } = withAddresses(typed.text, typed.entities);
  const read = readAddressing(text, entities, bot);
  return { ...read, text: [read.text, ...addressesBeside(message)].join('\n') };
}

function parsePress(press: z.output<typeof pressShape>, bot: BotIdentity): Parsed {
  const conversation = press.message && conversationOf(press.message);
  if (conversation === undefined) return ignored('a press outside of a conversation');
  if (press.data === undefined) return ignored('a press of a button that is not ours');

  const { id, from, data, message } = press;
  const about = { key: `telegram:${bot.id}:cq:${id}`, conversation, sender: personOf(from) };
  const messageRef = { id: String(message?.message_id) };
  const actionId = askedFor(data);
  if (actionId === undefined)
    return { type: 'press', event: { type: 'action', ...about, actionId: data, messageRef }, pressId: id };
  const event: InboundAction = { type: 'action', ...about, actionId, messageRef };
  return { type: 'ask', asked: { event, username: from.username }, pressId: id };
}

/** A draft's stop button acts as the command `/stop`. Only direct chats have drafts. */
function parseStop({ chat, message_thread_id }: z.output<typeof stopShape>, key: string, now: number): Parsed {
  const isTopic = message_thread_id !== undefined;
  const conversation = conversationOf({ message_id: 0, chat, message_thread_id, is_topic_message: isTopic });
  if (conversation?.kind !== 'direct') return ignored('a draft outside of a direct chat');

  const sender = { id: conversation.chatId, name: nameOfChat(chat) || conversation.chatId, isPerson: true };
  const said = { text: '/stop', addressed: true, sentAt: now };
  return { type: 'message', event: { type: 'message', key, conversation, sender, ...said } };
}

/** The quoted message, or the part that the person has selected. */
function quoteOf(message: Message, bot: BotIdentity): InboundQuote | undefined {
  const replied = answeredMessage(message);
  const answered = replied ?? message.external_reply;
  if (answered === undefined) return undefined;
  const { quote: selected, chat } = message;
  const text = selected === undefined ? quotedWords(answered) : selectedWords(selected, answered);
  const attachments = attachmentsOf(answered);
  if (text === undefined || text.trim() === '') return undefined;
  return {
    text,
    ...(attachments.length > 0 && {
      messageKey: replied && keyOf({ chat, message_id: replied.message_id }, bot),
      attachments,
    }),
    ...(replied === undefined ? outsideAuthor(message.external_reply?.origin, bot) : author(replied, bot)),
  };
}

/** The author of a forwarded or inline-bot message. Undefined if the sender typed it. */
function sharedBy(
  { forward_origin, forward_date, via_bot }: Message,
  bot: BotIdentity,
): Omit<SharedText, 'text'> | undefined {
  if (exists(forward_origin) || exists(forward_date))
    return { how: 'forwarded', ...outsideAuthor(forward_origin ?? undefined, bot) };
  return exists(via_bot) ? { how: 'inline_bot', name: nameOfBot(via_bot), isOwn: via_bot.id === bot.id } : undefined;
}

function exists<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null;
}

function nameOfBot({ username, first_name }: User): string {
  return username === '' ? first_name : `@${username}`;
}

function repliesToBot(message: Message, bot: BotIdentity): boolean {
  return answeredMessage(message)?.from?.id === bot.id;
}

/** The bot's message that typed words answer. A sticker's emoji was chosen by its maker. */
function answeredOwn(message: Message, bot: BotIdentity): string | undefined {
  const isTyped = message.text !== undefined && sharedBy(message, bot) === undefined;
  return isTyped && repliesToBot(message, bot) ? String(answeredMessage(message)?.message_id) : undefined;
}

/** Commands stay commands, whatever they answer. */
function answeredAddress(message: Message, bot: BotIdentity): string | undefined {
  if (answeredOwn(message, bot) === undefined || message.text?.startsWith('/') === true) return undefined;
  return answeredMessage(message)?.entities.find(({ type, offset }) => type === 'text_link' && offset === 0)?.url;
}

/** In a topic, plain messages reply to the notice that opened the topic: no reply. */
function answeredMessage(message: Message): Replied | undefined {
  const { reply_to_message: replied, is_topic_message, message_thread_id } = message;
  if (replied === undefined || replied.forum_topic_created !== undefined) return undefined;
  // Outside topics too, a thread's id is its first message, but replies to that are real.
  return is_topic_message && replied.message_id === message_thread_id ? undefined : replied;
}

type Author = Pick<Quote, 'name' | 'isOwn'>;

function author(replied: Replied, bot: BotIdentity): Author {
  return { name: senderOf(replied)?.name ?? '', isOwn: replied.from?.id === bot.id };
}

function outsideAuthor(origin: z.output<typeof originShape> | undefined, bot: BotIdentity): Author {
  const { sender_user, sender_user_name, sender_chat, chat } = origin ?? {};
  const from = sender_chat ?? chat;
  const name = senderOf({ from: sender_user })?.name ?? sender_user_name ?? (from && nameOfChat(from));
  return { name: name ?? '', isOwn: sender_user?.id === bot.id };
}

/** A message by a chat (a channel, an anonymous admin) is not by a person; its `from` is a shared stand-in. */
function senderOf({ from, sender_chat }: Pick<Replied, 'from' | 'sender_chat'>): Sender | undefined {
  if (sender_chat !== undefined) return { id: String(sender_chat.id), name: nameOfChat(sender_chat), isPerson: false };
  return from && personOf(from);
}
