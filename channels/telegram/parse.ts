import type { Conversation, InboundAction, InboundEdit, InboundMessage } from '../../src/contract.ts';
import { attachmentsOf } from './attachments.ts';
import { inWords } from './in-words.ts';
import { readAddressing } from './mention.ts';
import { quoteOf, repliesToBot } from './quote.ts';
import type { BotIdentity } from './receiving.ts';
import { nameOfChat, personOf, senderOf } from './sender.ts';
import {
  type TelegramChat,
  type TelegramMessage,
  type TelegramPlace,
  type TelegramPress,
  type TelegramStop,
  updateShape,
} from './update.ts';

/** What an update is to us. */
export type Parsed =
  /** `album`: the name of the album that it is an item of. */
  | { readonly type: 'message'; readonly event: InboundMessage; readonly album?: string }
  | { readonly type: 'edit'; readonly event: InboundEdit }
  | { readonly type: 'press'; readonly event: InboundAction; readonly pressId: string }
  /** A group has become a supergroup, with another id. */
  | { readonly type: 'moved'; readonly from: Conversation; readonly chatId: string }
  /** Nothing that we answer, and why. */
  | { readonly type: 'ignored'; readonly reason: string }
  /** Not what the Bot API promises, and where. */
  | { readonly type: 'unreadable'; readonly path: string };

/** Reads an update. Takes anything and never throws. `now`: for what Telegram gives no time. */
export function parseUpdate(update: unknown, bot: BotIdentity, now: number): Parsed {
  const { data, error } = updateShape.safeParse(update);
  if (data === undefined) return { type: 'unreadable', path: error?.issues[0]?.path.join('.') ?? '' };
  const { message, edited_message, callback_query, stopped_message_generation } = data;
  if (message !== undefined) return parseMove(message) ?? parseMessage(message, bot);
  if (edited_message !== undefined) return parseEdit(edited_message, data.update_id, bot);
  if (callback_query !== undefined) return parsePress(callback_query, bot);
  if (stopped_message_generation !== undefined)
    return parseStop(stopped_message_generation, `telegram:${bot.id}:s:${data.update_id}`, now);
  return { type: 'ignored', reason: 'of no kind that is read' };
}

/** Both chats are told of a move: the old one where it goes on, the new one where it comes from. */
function parseMove(message: TelegramMessage): Parsed | undefined {
  const { chat, migrate_to_chat_id: to, migrate_from_chat_id: from } = message;
  if (kindOf(chat) !== 'group') return undefined;
  if (to !== undefined) return { type: 'moved', from: groupOf(chat.id), chatId: String(to) };
  return from === undefined ? undefined : { type: 'moved', from: groupOf(from), chatId: String(chat.id) };
}

function groupOf(chatId: number): Conversation {
  return { channel: 'telegram', chatId: String(chatId), kind: 'group' };
}

function parseMessage(message: TelegramMessage, bot: BotIdentity): Parsed {
  const conversation = conversationOf(message);
  const sender = senderOf(message);
  if (conversation === undefined) return { type: 'ignored', reason: 'a post in a channel' };
  if (sender === undefined) return { type: 'ignored', reason: 'no sender' };

  const attachments = attachmentsOf(message);
  const { calls, text } = textOf(message, bot);
  if (text.trim() === '' && attachments.length === 0) return { type: 'ignored', reason: 'nothing is said with it' };

  const quote = quoteOf(message, bot);
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
    ...(attachments.length > 0 && { attachments }),
    ...(quote !== undefined && { quote }),
    ...(album !== undefined && { isPiece: true }),
  };
  return { type: 'message', event, ...(album !== undefined && { album: `${message.chat.id}:${album}` }) };
}

/** Only what was written or attached can be changed. A live location, too, is told as an edit whenever it moves. */
function parseEdit(message: TelegramMessage, updateId: number, bot: BotIdentity): Parsed {
  const conversation = conversationOf(message);
  const sender = senderOf(message);
  if (conversation === undefined || sender === undefined) return { type: 'ignored', reason: 'an edit by nobody' };
  if (message.text === undefined && message.caption === undefined && attachmentsOf(message).length === 0)
    return { type: 'ignored', reason: 'an edit of something without a text' };

  const messageKey = keyOf(message, bot);
  const event: InboundEdit = {
    type: 'edit',
    // Two changes within a second have the same date.
    key: `${messageKey}:e:${message.edit_date ?? message.date}:${updateId}`,
    messageKey,
    conversation,
    sender,
    text: textOf(message, bot).text,
  };
  return { type: 'edit', event };
}

function keyOf({ chat, message_id }: TelegramPlace, bot: BotIdentity): string {
  return `telegram:${bot.id}:m:${chat.id}:${message_id}`;
}

function textOf(message: TelegramMessage, bot: BotIdentity): { readonly calls: boolean; readonly text: string } {
  const { text, caption, entities, caption_entities } = message;
  if (text !== undefined) return readAddressing(text, entities, bot);
  if (caption !== undefined) return readAddressing(caption, caption_entities, bot);
  return { calls: false, text: inWords(message) ?? '' };
}

function parsePress(press: TelegramPress, bot: BotIdentity): Parsed {
  const conversation = press.message && conversationOf(press.message);
  if (conversation === undefined) return { type: 'ignored', reason: 'a press outside of a conversation' };
  if (press.data === undefined) return { type: 'ignored', reason: 'a press of a button that is not ours' };

  const event: InboundAction = {
    type: 'action',
    key: `telegram:${bot.id}:cq:${press.id}`,
    conversation,
    sender: personOf(press.from),
    actionId: press.data,
  };
  return { type: 'press', event, pressId: press.id };
}

/** The button below a draft says what the command says. Telegram shows drafts in direct chats only. */
function parseStop({ chat, message_thread_id }: TelegramStop, key: string, now: number): Parsed {
  const isTopic = message_thread_id !== undefined;
  const conversation = conversationOf({ message_id: 0, chat, message_thread_id, is_topic_message: isTopic });
  if (conversation?.kind !== 'direct') return { type: 'ignored', reason: 'a draft outside of a direct chat' };

  const sender = { id: conversation.chatId, name: nameOfChat(chat) || conversation.chatId, isPerson: true };
  const event: InboundMessage = {
    type: 'message',
    key,
    conversation,
    sender,
    text: '/stop',
    addressed: true,
    sentAt: now,
  };
  return { type: 'message', event };
}

function conversationOf({ chat, is_topic_message, message_thread_id }: TelegramPlace): Conversation | undefined {
  const kind = kindOf(chat);
  if (kind === undefined) return undefined;

  const title = nameOfChat(chat);
  // Outside of topics the id names a chain of replies, and sending to it is refused.
  const isTopic = is_topic_message && message_thread_id !== undefined;
  return {
    channel: 'telegram',
    chatId: String(chat.id),
    ...(isTopic && { threadId: String(message_thread_id) }),
    kind,
    ...(title !== '' && { title }),
  };
}

function kindOf({ type }: TelegramChat): Conversation['kind'] | undefined {
  if (type === 'private') return 'direct';
  return type === 'group' || type === 'supergroup' ? 'group' : undefined;
}
