import type { MessageEntity } from '@grammyjs/types';
import { z } from 'zod';
import { parseJson } from '../json.ts';

/** What the Bot API says no with. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  /** Goes beside the description: `retry_after`, `migrate_to_chat_id`. */
  readonly parameters: Readonly<Record<string, number>> | undefined;

  constructor(status: number, description: string, parameters?: Readonly<Record<string, number>>) {
    super(description);
    this.status = status;
    this.parameters = parameters;
  }
}

/** The commonest refusal: 400, with the words that the real server begins it with. */
export function badRequest(words: string): Refusal {
  return new Refusal(400, `Bad Request: ${words}`);
}

export interface Upload {
  readonly name: string;
  readonly bytes: Buffer;
}

/** What a bot asks for, whichever way it was encoded. */
export interface ApiRequest {
  readonly params: Readonly<Record<string, unknown>>;
  /** By the name of the form's part. */
  readonly uploads: ReadonlyMap<string, Upload>;
}

/** Forms carry numbers as text. */
export const integer = z.coerce.number().int();

/** Forms carry flags as text. */
export const flag = z.stringbool().or(z.boolean()).default(false);

/** Forms carry structures as JSON. */
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
  disable_notification: flag,
  reply_markup: structure(z.unknown()).optional(),
  reply_parameters: structure(
    z.object({ message_id: integer.positive(), allow_sending_without_reply: z.boolean().default(false) }),
  ).optional(),
});

export const place = z.object({ chat_id: integer, message_id: integer });

/** Reads the parameters of a method. Throws a refusal that names the first that is wrong. */
export function read<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(params);
  if (success) return data;
  throw badRequest(`a parameter is wrong: ${z.prettifyError(error)}`);
}
