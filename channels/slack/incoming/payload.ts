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

/** As Slack names teams, people, bots, chats and files. */
const id = z.string().regex(/^[A-Z][A-Z0-9]{1,40}$/);
/** As Slack names a message in its chat: seconds since 1970, with six digits behind the point. */
const timestamp = z.string().regex(/^\d{1,12}\.\d{1,9}$/);
const words = lenient(z.string());

const file = z.object({
  id,
  name: words,
  mimetype: words,
  subtype: words,
  mode: words,
  file_access: words,
  size: lenient(z.int().nonnegative()),
});

/** Something below a post: a message that was shared with it, or what a program has to show. */
const attachment = z.object({
  is_share: lenient(z.boolean()),
  is_msg_unfurl: lenient(z.boolean()),
  author_id: lenient(id),
  author_name: words,
  author_subname: words,
  title: words,
  text: words,
  fallback: words,
  message_blocks: list(z.object({ message: z.object({ blocks: z.unknown().optional() }) })),
  files: list(file),
});

/** A message. What says who wrote it and where must be sound: else it would be somebody else's, or stand elsewhere. */
export const postShape = z.object({
  ts: timestamp,
  thread_ts: timestamp.nullish(),
  subtype: z.string().nullish(),
  user: id.nullish(),
  bot_id: id.nullish(),
  bot_profile: z.object({ name: words }).nullish(),
  user_team: id.nullish(),
  source_team: id.nullish(),
  team: id.nullish(),
  username: words,
  text: words,
  blocks: z.unknown().optional(),
  files: list(file),
  attachments: list(attachment),
  edited: lenient(z.object({ ts: timestamp })),
});

/** What `conversations.history` and `conversations.replies` answer. */
export const threadShape = z.object({ messages: list(postShape) });

/** The envelope of an event. Where it comes from is read by `sourceShape`. */
export const eventShape = z.object({
  event_id: words,
  event: z.looseObject({ type: z.string(), subtype: z.string().nullish(), channel: z.unknown().optional() }),
});

/** The place of a message. */
export const channelShape = z.object({ channel: id });

export const changeShape = z.object({ message: postShape, previous_message: lenient(postShape) });

export const removalShape = z.object({ previous_message: postShape });

/** Somebody has pressed the button that ends what is being written. */
export const stopShape = z.object({ channel: id, thread_ts: timestamp, user: id, event_ts: timestamp });

/** Somebody has opened the assistant's pane. */
export const paneShape = z.object({ assistant_thread: z.object({ channel_id: id, thread_ts: timestamp }) });

const team = lenient(z.object({ id }));

/** The workspaces and the organization that a body names, whatever it is. */
export const sourceShape = z.object({
  authorizations: list(z.object({ team_id: lenient(id), enterprise_id: lenient(id) })),
  context_team_id: lenient(id),
  team_id: lenient(id),
  team,
  enterprise: team,
  enterprise_id: lenient(id),
});

const person = z.object({ id, team_id: id.nullish(), name: words, username: words });

const button = z.object({ action_id: z.string(), value: z.string(), action_ts: z.string().min(1).max(40) });

/** A press of buttons. A message that only one person sees is told of by its container alone. */
export const pressShape = z.object({
  user: person,
  trigger_id: words,
  response_url: words,
  channel: lenient(z.object({ id })),
  container: lenient(z.object({ channel_id: lenient(id), message_ts: timestamp, thread_ts: timestamp.nullish() })),
  message: z.object({ ts: timestamp, thread_ts: timestamp.nullish() }).nullish(),
  actions: list(button),
});

/** A modal that was filled in. */
export const submissionShape = z.object({
  user: person,
  view: z.object({
    id: z.string().min(1).max(100),
    callback_id: z.string(),
    private_metadata: z.string(),
    state: z.object({ values: z.unknown().optional() }),
  }),
});

/** A slash command. */
export const commandShape = z.object({
  command: z.string(),
  text: words,
  user_id: id,
  user_name: words,
  team_id: id.nullish(),
  channel_id: id,
  trigger_id: z.string().min(1).max(200),
  response_url: words,
});

export type SlackFile = z.output<typeof file>;
export type SlackAttachment = z.output<typeof attachment>;
export type SlackPost = z.output<typeof postShape>;
export type SlackPress = z.output<typeof pressShape>;
export type SlackButton = z.output<typeof button>;
export type SlackSubmission = z.output<typeof submissionShape>;
export type SlackCommand = z.output<typeof commandShape>;
