import type { Conversation, InboundAction, InboundMessage, Sender } from '../../src/contract.ts';
import type { BotIdentity } from './api.ts';
import { readAddressing, repliesToBot } from './mention.ts';
import {
  type TelegramChat,
  type TelegramMessage,
  type TelegramPlace,
  type TelegramPress,
  type TelegramUser,
  updateShape,
} from './update.ts';

/** What an update is to us. */
export type Parsed =
  | { readonly type: 'message'; readonly event: InboundMessage }
  | { readonly type: 'press'; readonly event: InboundAction; readonly pressId: string }
  /** Nothing that we answer, and why. */
  | { readonly type: 'ignored'; readonly reason: string }
  /** Not what the Bot API promises, and where. */
  | { readonly type: 'unreadable'; readonly path: string };

/** Reads an update. Takes anything and never throws. */
export function parseUpdate(update: unknown, bot: BotIdentity): Parsed {
  const { data, error } = updateShape.safeParse(update);
  if (data === undefined) return { type: 'unreadable', path: error?.issues[0]?.path.join('.') ?? '' };
  if (data.message !== undefined) return parseMessage(data.message, bot);
  if (data.callback_query !== undefined) return parsePress(data.callback_query, bot);
  return { type: 'ignored', reason: 'neither a message nor a press' };
}

function parseMessage(message: TelegramMessage, bot: BotIdentity): Parsed {
  const conversation = conversationOf(message);
  const sender = senderOf(message);
  const text = message.text ?? message.caption;
  if (conversation === undefined) return { type: 'ignored', reason: 'a post in a channel' };
  if (sender === undefined) return { type: 'ignored', reason: 'no sender' };
  if (text === undefined || text.trim() === '') return { type: 'ignored', reason: 'no text' };

  const addressing = readAddressing(
    text,
    message.text === undefined ? message.caption_entities : message.entities,
    bot,
  );
  const event: InboundMessage = {
    type: 'message',
    key: `telegram:${bot.id}:m:${message.chat.id}:${message.message_id}`,
    conversation,
    sender,
    text: addressing.text,
    addressed: conversation.kind === 'direct' || addressing.calls || repliesToBot(message, bot),
    sentAt: message.date * 1000,
  };
  return { type: 'message', event };
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

function conversationOf({ chat, is_topic_message, message_thread_id }: TelegramPlace): Conversation | undefined {
  const kind = kindOf(chat);
  if (kind === undefined) return undefined;

  const title = chat.title ?? fullName(chat.first_name, chat.last_name);
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

/** A chat that speaks (a channel, an anonymous admin) is not a person: `from` then names a stand-in that all share. */
function senderOf({ from, sender_chat }: TelegramMessage): Sender | undefined {
  if (sender_chat !== undefined) return { id: String(sender_chat.id), name: sender_chat.title ?? '', isPerson: false };
  return from && personOf(from);
}

function personOf({ id, first_name, last_name, username, is_bot }: TelegramUser): Sender {
  return { id: String(id), name: fullName(first_name, last_name) || username || String(id), isPerson: !is_bot };
}

function fullName(first: string | undefined, last: string | undefined): string {
  return [first, last].filter((name) => name !== undefined && name !== '').join(' ');
}
