/* People and chats in updates: what is read of them, and what they are to us. */

import { z } from 'zod';
import type { Conversation, Sender } from '../../src/contract.ts';
import { lenient } from '../kit/read-payload.ts';

/** The fields we read. Unless lenient, an invalid one makes the update unreadable. */
export const user = z.object({
  id: z.number(),
  is_bot: z.boolean().default(false),
  first_name: z.string().default(''),
  last_name: z.string().default(''),
  username: z.string().default(''),
  language_code: lenient(z.string()),
});

export const chat = z.object({
  id: z.number(),
  type: z.string(),
  title: z.string().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
});

export const thread = z.number().optional();
export const messageIdentity = z.object({
  message_id: z.number(),
  chat,
  message_thread_id: thread,
  is_topic_message: z.boolean().default(false),
});

export type User = z.output<typeof user>;
type Chat = z.output<typeof chat>;
export type MessageIdentity = z.output<typeof messageIdentity>;

/** Undefined for a channel, where nobody talks. */
export function conversationOf({
  chat,
  is_topic_message,
  message_thread_id,
}: MessageIdentity): Conversation | undefined {
  const kind = kindOf(chat);
  if (kind === undefined) return undefined;

  const title = nameOfChat(chat);
  // Outside topics, the thread id names a chain of replies, and sending to it is refused.
  const isTopic = is_topic_message && message_thread_id !== undefined;
  return {
    channel: 'telegram',
    chatId: String(chat.id),
    ...(isTopic && { threadId: String(message_thread_id) }),
    kind,
    ...(title !== '' && { title }),
  };
}

export function kindOf({ type }: Chat): Conversation['kind'] | undefined {
  if (type === 'private') return 'direct';
  return type === 'group' || type === 'supergroup' ? 'group' : undefined;
}

export function groupOf(chatId: number): Conversation {
  return { channel: 'telegram', chatId: String(chatId), kind: 'group' };
}

export function personOf({ id, first_name, last_name, username, is_bot, language_code: language }: User): Sender {
  const name = fullName(first_name, last_name) || username || String(id);
  return { id: String(id), name, isPerson: !is_bot, language };
}

/** The title, or the person's name. */
export function nameOfChat({ title, first_name, last_name }: Chat): string {
  return title ?? fullName(first_name, last_name);
}

function fullName(first: string | undefined, last: string | undefined): string {
  return [first, last].filter((name) => name !== undefined && name !== '').join(' ');
}
