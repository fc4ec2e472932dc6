import { z } from 'zod';
import type { Sender } from '../../src/contract.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { lenient, list, optionalText } from '../kit/read-payload.ts';

/** A snowflake: a 64-bit number as a string, with its creation time in it. */
export const id = z.string().regex(/^\d{1,20}$/);

/** `bot` and `system` are not lenient: a program must not pass for a person. */
export const user = z.object({
  id,
  username: optionalText,
  global_name: optionalText,
  bot: z.boolean().nullish(),
  system: z.boolean().nullish(),
});

export const member = z.object({ nick: optionalText, roles: list(id) });

const attachment = z.object({
  id,
  url: z.string().min(1),
  filename: optionalText,
  /** The original name, without extension, if Discord changed it. */
  title: optionalText,
  content_type: optionalText,
  size: lenient(z.int().nonnegative()),
});

const embed = z.object({
  title: optionalText,
  url: optionalText,
  description: optionalText,
  author: lenient(z.object({ name: optionalText, url: optionalText })),
  fields: list(z.object({ name: optionalText, value: optionalText })),
  footer: lenient(z.object({ text: optionalText })),
});

const pollText = z.object({ text: optionalText });
const poll = z.object({ question: pollText, answers: list(z.object({ poll_media: pollText })) });

/** A message's content, without its author. */
const content = z.object({
  content: optionalText,
  mentions: list(user.extend({ member: lenient(member) })),
  attachments: list(attachment),
  embeds: list(embed),
  components: z.unknown().optional(),
  sticker_items: list(z.object({ name: optionalText })),
  poll: lenient(poll),
  flags: lenient(z.int().nonnegative()),
});

/** Messages that are forwarded with one. */
const snapshots = list(z.object({ message: content }));

/** A message that belongs to another event. */
export const repliedShape = content.extend({
  id,
  author: user,
  webhook_id: id.nullish(),
  message_snapshots: snapshots,
});

/** A message. Fields that say who wrote it and where are not lenient, so that it cannot be misattributed. */
export const messageShape = content.extend({
  id,
  channel_id: id,
  guild_id: id.nullish(),
  channel_type: lenient(z.int()),
  type: z.int(),
  author: user,
  member: lenient(member),
  webhook_id: id.nullish(),
  referenced_message: lenient(repliedShape),
  message_snapshots: snapshots,
  /** Set once a person has changed the text. */
  edited_timestamp: optionalText,
});

export const namedShape = z.object({ id });

export const channelShape = z.object({
  id,
  type: z.int(),
  name: optionalText,
  guild_id: id.nullish(),
  parent_id: id.nullish(),
});

/** The fields needed to answer an interaction. */
export const handleShape = z.object({ id, application_id: id, token: z.string().min(1).max(500), type: z.int() });

type DiscordUser = z.output<typeof user>;
export type DiscordAttachment = z.output<typeof attachment>;
export type DiscordContent = z.output<typeof content>;
export type DiscordMessage = z.output<typeof messageShape>;
export type DiscordChannel = z.output<typeof channelShape>;
export type InteractionHandle = z.output<typeof handleShape>;

export interface DiscordSelf {
  readonly userId: string;
  readonly applicationId: string;
}

/** No message and no form nests deeper. */
const deepest = 5;

/** All components, wherever they are nested. */
export function componentsIn(components: unknown, depth = 0): readonly JsonObject[] {
  if (depth > deepest) return [];
  const list = Array.isArray(components) ? components : [components];
  return list
    .filter(isJsonObject)
    .flatMap((one) => [
      one,
      ...[one.component, one.components, one.accessory].flatMap((inner) => componentsIn(inner, depth + 1)),
    ]);
}

/** The fields that tell who wrote something. */
interface Author {
  readonly author: DiscordUser;
  readonly member?: z.output<typeof member> | undefined;
  /** Set if a webhook wrote it, under any name. */
  readonly webhook_id?: string | null | undefined;
}

/** Converts the sender. Only people in a guild have roles. */
export function senderOf({ author, member, webhook_id }: Author, isInGuild: boolean): Sender {
  const isProgram = author.bot === true || author.system === true || typeof webhook_id === 'string';
  return {
    id: author.id,
    name: nameOf(author, member),
    isPerson: !isProgram,
    roles: isInGuild && !isProgram ? member?.roles.map((id) => `role:${id}`) : undefined,
  };
}

/** Their display name in this guild. */
export function nameOf(
  { id, global_name, username }: DiscordUser,
  member?: { readonly nick?: string | undefined },
): string {
  return [member?.nick, global_name, username].find((name) => name !== undefined && name.trim() !== '') ?? id;
}

/** Whether the bot wrote it, directly or as an interaction response. */
export function isOwn({ author, webhook_id }: Author, { userId, applicationId }: DiscordSelf): boolean {
  return author.id === userId || author.id === applicationId || webhook_id === applicationId;
}

/** Start of 2015, the epoch of snowflakes. */
const epoch = 1_420_070_400_000;

/** Creation time of an id, in ms since 1970. */
export function instantOf(id: string): number {
  return Number(BigInt(id) >> 22n) + epoch;
}

/** The greatest id before this instant, in ms since 1970. */
export function idBefore(instant: number): string {
  const since = Math.max(0, Math.floor(instant) - epoch);
  return String(since === 0 ? 0n : (BigInt(since) << 22n) - 1n);
}
