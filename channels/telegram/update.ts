import { z } from 'zod';

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

const message = place.extend({
  date: z.number(),
  from: user.optional(),
  sender_chat: chat.optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: z.array(textEntity).default([]),
  caption_entities: z.array(textEntity).default([]),
  reply_to_message: z
    .object({ message_id: z.number(), from: user.optional(), forum_topic_created: z.unknown().optional() })
    .optional(),
});

const press = z.object({
  id: z.string(),
  from: user,
  data: z.string().optional(),
  message: place.optional(),
});

/** An update as far as we look at it. */
export const updateShape = z.object({
  update_id: z.int(),
  message: message.optional(),
  callback_query: press.optional(),
});

export type TelegramUser = z.output<typeof user>;
export type TelegramChat = z.output<typeof chat>;
export type TelegramEntity = z.output<typeof textEntity>;
export type TelegramPlace = z.output<typeof place>;
export type TelegramMessage = z.output<typeof message>;
export type TelegramPress = z.output<typeof press>;

const updateIdShape = z.object({ update_id: z.int() });

/** The number that confirms the update, if it has one. */
export function updateIdOf(update: unknown): number | undefined {
  return updateIdShape.safeParse(update).data?.update_id;
}
