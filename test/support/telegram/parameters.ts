import type { MessageEntity } from 'grammy/types';
import { z } from 'zod';
import { badRequest } from './refusal.ts';

/** Forms and query strings carry numbers as text. */
export const integer = z.coerce.number().int();

/** Forms and query strings carry structures as JSON. */
export function structure<Schema extends z.ZodType>(schema: Schema): z.ZodPreprocess<Schema> {
  return z.preprocess((value) => (typeof value === 'string' ? parseJson(value) : value), schema);
}

const looseEntity = z.looseObject({ type: z.string(), offset: z.number().int(), length: z.number().int() });

export const entityList = structure(
  z.array(z.custom<MessageEntity>((value) => looseEntity.safeParse(value).success)),
).default([]);

/** Where a message goes, and what every kind of it has. */
export const target = z.object({
  chat_id: integer,
  message_thread_id: integer.optional(),
  reply_markup: structure(z.unknown()).optional(),
  reply_parameters: structure(
    z.object({ message_id: integer.positive(), allow_sending_without_reply: z.boolean().default(false) }),
  ).optional(),
  parse_mode: z.string().optional(),
});

export const place = z.object({ chat_id: integer, message_id: integer });

/** Reads the parameters of a method. Throws a refusal that names the first that is wrong. */
export function read<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const result = schema.safeParse(params);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw badRequest(`parameter "${issue?.path.join('.')}" is wrong: ${issue?.message}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest("can't parse JSON encoded parameter");
  }
}
