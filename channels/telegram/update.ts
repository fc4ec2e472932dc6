import { z } from 'zod';
import { content, lenient } from './content.ts';

/** What we read of an update. All else may be as it likes; what stands here must be so, or the update is skipped. */
const user = z.object({
  id: z.number(),
  is_bot: z.boolean().default(false),
  first_name: z.string().default(''),
  last_name: z.string().default(''),
  username: z.string().default(''),
});

const chat = z.object({
  id: z.number(),
  type: z.string(),
  title: z.string().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
});

const textEntity = z.object({
  type: z.string(),
  offset: z.number(),
  length: z.number(),
  user: z.object({ id: z.number() }).optional(),
});

const place = z.object({
  message_id: z.number(),
  chat,
  message_thread_id: z.number().optional(),
  is_topic_message: z.boolean().default(false),
});

const replied = content.extend({
  message_id: z.number(),
  from: user.optional(),
  sender_chat: lenient(chat),
  forum_topic_created: z.unknown().optional(),
});

/** A message in another chat, or a post in a channel, that is answered. */
const externalReply = content.extend({
  origin: z.object({
    sender_user: lenient(user),
    sender_user_name: lenient(z.string()),
    sender_chat: lenient(chat),
    chat: lenient(chat),
  }),
});

const message = place.extend(content.shape).extend({
  date: z.number(),
  edit_date: lenient(z.number()),
  from: user.optional(),
  sender_chat: chat.optional(),
  entities: z.array(textEntity).default([]),
  caption_entities: z.array(textEntity).default([]),
  reply_to_message: lenient(replied),
  external_reply: lenient(externalReply),
  quote: lenient(z.object({ text: z.string() })),
  media_group_id: lenient(z.string()),
  migrate_to_chat_id: lenient(z.int()),
  migrate_from_chat_id: lenient(z.int()),
});

const press = z.object({
  id: z.string(),
  from: user,
  data: z.string().optional(),
  message: place.optional(),
});

/** A person has pressed the button that stops a draft. */
const stop = z.object({ chat, message_thread_id: z.number().optional(), draft_id: z.number() });

/** An update as far as we look at it. */
export const updateShape = z.object({
  update_id: z.int(),
  message: message.optional(),
  edited_message: message.optional(),
  callback_query: press.optional(),
  stopped_message_generation: stop.optional(),
});

export type TelegramUser = z.output<typeof user>;
export type TelegramChat = z.output<typeof chat>;
export type TelegramEntity = z.output<typeof textEntity>;
export type TelegramPlace = z.output<typeof place>;
export type TelegramMessage = z.output<typeof message>;
export type TelegramReplied = z.output<typeof replied>;
export type TelegramExternalReply = z.output<typeof externalReply>;
export type TelegramPress = z.output<typeof press>;
export type TelegramStop = z.output<typeof stop>;

const updateIdShape = z.object({ update_id: z.int() });

/** The number that confirms the update, if it has one. */
export function updateIdOf(update: unknown): number | undefined {
  return updateIdShape.safeParse(update).data?.update_id;
}
