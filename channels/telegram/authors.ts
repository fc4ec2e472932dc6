import type { Quote, Sender, SharedText } from '../../src/contract.ts';
import type { BotIdentity } from './receiving.ts';
import {
  quotedWords,
  type TelegramChat,
  type TelegramMessage,
  type TelegramOrigin,
  type TelegramReplied,
  type TelegramUser,
} from './update.ts';

/** What the message answers: all of it, or the part that the person has marked. */
export function quoteOf(message: TelegramMessage, bot: BotIdentity): Quote | undefined {
  const replied = answeredMessage(message);
  const answered = replied ?? message.external_reply;
  if (answered === undefined) return undefined;
  const text = message.quote?.text ?? quotedWords(answered);
  if (text === undefined || text.trim() === '') return undefined;
  return {
    text,
    ...(replied === undefined ? outsideAuthor(message.external_reply?.origin, bot) : author(replied, bot)),
  };
}

/** Whose words the message passes on: it is forwarded, or an inline bot wrote it. Undefined if its sender typed it. */
export function sharedBy(
  { forward_origin, forward_date, via_bot }: TelegramMessage,
  bot: BotIdentity,
): Omit<SharedText, 'text'> | undefined {
  if (exists(forward_origin) || exists(forward_date))
    return { how: 'forwarded', ...outsideAuthor(forward_origin ?? undefined, bot) };
  return exists(via_bot) ? { how: 'inline_bot', name: nameOfBot(via_bot), isOwn: via_bot.id === bot.id } : undefined;
}

function exists<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null;
}

function nameOfBot({ username, first_name }: TelegramUser): string {
  return username === '' ? first_name : `@${username}`;
}

/** Whether the message answers one of the bot's. */
export function repliesToBot(message: TelegramMessage, bot: BotIdentity): boolean {
  return answeredMessage(message)?.from?.id === bot.id;
}

/** In a topic, what replies to nothing replies to the notice that opened the topic. */
function answeredMessage(message: TelegramMessage): TelegramReplied | undefined {
  const { reply_to_message: replied, is_topic_message, message_thread_id } = message;
  if (replied === undefined || replied.forum_topic_created !== undefined) return undefined;
  // Outside of topics, too, a thread has the number of its first message; but there that one is a message like others.
  return is_topic_message && replied.message_id === message_thread_id ? undefined : replied;
}

type Author = Pick<Quote, 'name' | 'isOwn'>;

function author(replied: TelegramReplied, bot: BotIdentity): Author {
  return { name: senderOf(replied)?.name ?? '', isOwn: replied.from?.id === bot.id };
}

function outsideAuthor(origin: TelegramOrigin | undefined, bot: BotIdentity): Author {
  const { sender_user, sender_user_name, sender_chat, chat } = origin ?? {};
  const place = sender_chat ?? chat;
  const name = senderOf({ from: sender_user })?.name ?? sender_user_name ?? (place && nameOfChat(place));
  return { name: name ?? '', isOwn: sender_user?.id === bot.id };
}

/** A chat that speaks (a channel, an anonymous admin) is not a person: `from` then names a stand-in that all share. */
export function senderOf({
  from,
  sender_chat,
}: {
  readonly from?: TelegramUser | undefined;
  readonly sender_chat?: TelegramChat | undefined;
}): Sender | undefined {
  if (sender_chat !== undefined) return { id: String(sender_chat.id), name: nameOfChat(sender_chat), isPerson: false };
  return from && personOf(from);
}

export function personOf({ id, first_name, last_name, username, is_bot }: TelegramUser): Sender {
  return { id: String(id), name: fullName(first_name, last_name) || username || String(id), isPerson: !is_bot };
}

/** Its title, or the name of the person whose chat it is. */
export function nameOfChat({ title, first_name, last_name }: TelegramChat): string {
  return title ?? fullName(first_name, last_name);
}

function fullName(first: string | undefined, last: string | undefined): string {
  return [first, last].filter((name) => name !== undefined && name !== '').join(' ');
}
