import type { Quote } from '../../src/contract.ts';
import { quotedWords } from './in-words.ts';
import type { BotIdentity } from './receiving.ts';
import { nameOfChat, senderOf } from './sender.ts';
import type { TelegramExternalReply, TelegramMessage, TelegramReplied } from './update.ts';

/** What the message answers: all of it, or the part that the person has marked. */
export function quoteOf(message: TelegramMessage, bot: BotIdentity): Quote | undefined {
  const replied = answeredMessage(message);
  const answered = replied ?? message.external_reply;
  if (answered === undefined) return undefined;
  const text = message.quote?.text ?? quotedWords(answered);
  if (text === undefined || text.trim() === '') return undefined;
  return { text, ...(replied === undefined ? outsideAuthor(message.external_reply, bot) : author(replied, bot)) };
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

function outsideAuthor(reply: TelegramExternalReply | undefined, bot: BotIdentity): Author {
  const { sender_user, sender_user_name, sender_chat, chat } = reply?.origin ?? {};
  const place = sender_chat ?? chat;
  const name = senderOf({ from: sender_user })?.name ?? sender_user_name ?? (place && nameOfChat(place));
  return { name: name ?? '', isOwn: sender_user?.id === bot.id };
}
