import { z } from 'zod';

/** What is wrong in something that we can do without must not cost the rest. */
function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

/** Those of the entries that can be read; none where there is no list. */
function list<Schema extends z.ZodType>(schema: Schema) {
  return z
    .array(lenient(schema))
    .default([])
    .catch([])
    .transform((entries) => entries.filter((entry) => entry !== undefined));
}

/** As Discord names everything: a number of 64 bits, as a text, in which the time stands. */
const id = z.string().regex(/^\d{1,20}$/);
const words = lenient(z.string());

/** Whether it is a program must be sound: else it might pass for a person. */
const user = z.object({
  id,
  username: words,
  global_name: words,
  bot: z.boolean().nullish(),
  system: z.boolean().nullish(),
});

const member = z.object({ nick: words, roles: list(id) });

const attachment = z.object({
  id,
  url: z.string().min(1),
  filename: words,
  /** What it was called before Discord changed the name, without the ending. */
  title: words,
  content_type: words,
  size: lenient(z.int().nonnegative()),
});

const embed = z.object({
  title: words,
  description: words,
  author: lenient(z.object({ name: words })),
  fields: list(z.object({ name: words, value: words })),
  footer: lenient(z.object({ text: words })),
});

const poll = z.object({
  question: z.object({ text: words }),
  answers: list(z.object({ poll_media: z.object({ text: words }) })),
});

/** What a message says, whoever wrote it. */
const content = z.object({
  content: words,
  mentions: list(user.extend({ member: lenient(member) })),
  attachments: list(attachment),
  embeds: list(embed),
  components: z.unknown().optional(),
  sticker_items: list(z.object({ name: words })),
  poll: lenient(poll),
  flags: lenient(z.int().nonnegative()),
});

const replied = content.extend({ author: user, webhook_id: id.nullish() });

/** A message. What says who wrote it and where must be sound: else it would be somebody else's, or stand elsewhere. */
export const messageShape = content.extend({
  id,
  channel_id: id,
  guild_id: id.nullish(),
  channel_type: lenient(z.int()),
  type: z.int(),
  author: user,
  member: lenient(member),
  webhook_id: id.nullish(),
  edited_timestamp: z.string().nullish(),
  referenced_message: lenient(replied),
  message_snapshots: list(z.object({ message: content })),
});

/** What is sure of a message that was changed: the rest may be left out. */
export const changeShape = z.looseObject({
  id,
  channel_id: id,
  guild_id: id.nullish(),
  edited_timestamp: z.string().nullish(),
});

export const deletionShape = z.object({ id, channel_id: id });

export const bulkDeletionShape = z.object({ ids: list(id), channel_id: id });

/** A channel, a thread or a direct chat. */
export const channelShape = z.object({
  id,
  type: z.int(),
  name: words,
  guild_id: id.nullish(),
  parent_id: id.nullish(),
});

export const channelGoneShape = z.object({ id });

/** Whose role it is must be sound: else a mention of it would call us. */
const role = z.object({ id, name: words, tags: lenient(z.object({ bot_id: lenient(id) })) });

export const guildShape = z.object({
  id,
  channels: list(channelShape),
  threads: list(channelShape),
  roles: list(role),
});

export const guildGoneShape = z.object({ id, unavailable: lenient(z.boolean()) });

export const threadsShape = z.object({ guild_id: id, threads: list(channelShape) });

export const roleShape = z.object({ guild_id: id, role });

export const roleGoneShape = z.object({ guild_id: id, role_id: id });

/** What it takes to answer an interaction at all. */
export const interactionDoorShape = z.object({
  id,
  application_id: id,
  token: z.string().min(1).max(500),
  type: z.int(),
});

/** A press, a command or a form that was filled in. */
export const interactionShape = interactionDoorShape.extend({
  channel_id: id,
  guild_id: id.nullish(),
  channel: lenient(channelShape),
  context: lenient(z.int()),
  member: member.extend({ user }).nullish(),
  user: user.nullish(),
  message: z.unknown().optional(),
  data: z.unknown().optional(),
});

export const pressShape = z.object({ component_type: z.literal(2), custom_id: z.string().min(1) });

export const formShape = z.object({ custom_id: z.string().min(1), components: z.unknown().optional() });

export const commandShape = z.object({
  type: z.literal(1).default(1),
  name: z.string().min(1),
  options: list(z.object({ name: z.string(), value: z.string() })),
});

export type DiscordUser = z.output<typeof user>;
export type DiscordMember = z.output<typeof member>;
export type DiscordAttachment = z.output<typeof attachment>;
export type DiscordEmbed = z.output<typeof embed>;
export type DiscordContent = z.output<typeof content>;
export type DiscordMessage = z.output<typeof messageShape>;
export type DiscordChannel = z.output<typeof channelShape>;
export type DiscordRole = z.output<typeof role>;
export type InteractionDoor = z.output<typeof interactionDoorShape>;
export type DiscordInteraction = z.output<typeof interactionShape>;
