import { z } from 'zod';
import { lenient } from '../kit/read-payload.ts';

const name = lenient(z.string());
const size = lenient(z.int().nonnegative());
const file = z.object({ file_id: z.string().min(1), file_size: size, file_name: name, mime_type: name });
const photo = z.array(z.object({ file_id: z.string().min(1), file_size: size, width: z.number(), height: z.number() }));
const location = z.object({ latitude: z.number(), longitude: z.number(), live_period: lenient(z.number()) });
const option = z.object({ text: z.string() });

/** A message's content, also of a quoted one. */
export const content = z.object({
  text: z.string().optional(),
  caption: z.string().optional(),
  photo: lenient(photo),
  live_photo: lenient(z.object({ photo: lenient(photo) })),
  document: lenient(file),
  voice: lenient(file),
  audio: lenient(file),
  video: lenient(file),
  video_note: lenient(file),
  animation: lenient(file),
  sticker: lenient(z.object({ emoji: name })),
  location: lenient(location),
  venue: lenient(z.object({ location, title: z.string(), address: z.string() })),
  contact: lenient(z.object({ phone_number: z.string(), first_name: z.string(), last_name: name })),
  poll: lenient(z.object({ question: z.string(), options: z.array(option) })),
  checklist: lenient(z.object({ title: z.string(), tasks: z.array(option) })),
  dice: lenient(z.object({ emoji: z.string(), value: z.number() })),
  game: lenient(z.object({ title: z.string() })),
  story: lenient(z.object({})),
  paid_media: lenient(z.object({})),
  rich_message: lenient(z.object({ blocks: z.unknown() })),
});

export type TelegramContent = z.output<typeof content>;
export type TelegramFile = z.output<typeof file>;
export type TelegramPhoto = z.output<typeof photo>;

/** The fields we read. Unless lenient, an invalid one makes the update unreadable. */
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

/** The author of a forwarded message, or of one quoted from another chat. */
const origin = z.object({
  sender_user: lenient(user),
  sender_user_name: lenient(z.string()),
  sender_chat: lenient(chat),
  chat: lenient(chat),
});

/** A message of another chat, or a channel's post, that is replied to. */
const externalReply = content.extend({ origin });

/** Stands in for an unreadable bot. */
const unknownBot = { id: 0, is_bot: true, first_name: '', last_name: '', username: '' };

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
  // An unreadable origin still counts as one: the words are not the sender's own.
  forward_origin: origin.nullish().catch({}),
  forward_date: z.unknown().optional(),
  via_bot: user.nullish().catch(unknownBot),
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

/** A person has pressed a draft's stop button. */
const stop = z.object({ chat, message_thread_id: z.number().optional(), draft_id: z.number() });

/** The parts of an update that we read. */
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
export type TelegramOrigin = z.output<typeof origin>;
export type TelegramPress = z.output<typeof press>;
export type TelegramStop = z.output<typeof stop>;

export const updateIdShape = z.object({ update_id: z.int() });

/** Describes a message without text and file. Undefined if it says nothing. */
export function inWords(message: TelegramContent): string | undefined {
  const { sticker, venue, location, contact, poll, checklist, dice, game } = message;
  if (sticker !== undefined) return sticker.emoji ?? '[sticker]';
  // A venue also has `location`.
  if (venue !== undefined) return `[venue: ${venue.title}, ${venue.address}, ${placeIn(venue.location)}]`;
  if (location?.live_period !== undefined) return `[live location, now: ${placeIn(location)}]`;
  if (location !== undefined) return `[location: ${placeIn(location)}]`;
  if (contact !== undefined)
    return `[contact: ${[contact.first_name, contact.last_name].filter(Boolean).join(' ')}, ${contact.phone_number}]`;
  if (poll !== undefined) return `[poll: ${poll.question} ${listed(poll.options)}]`;
  if (checklist !== undefined) return `[checklist: ${checklist.title} ${listed(checklist.tasks)}]`;
  if (dice !== undefined) return `[dice: ${dice.emoji} ${dice.value}]`;
  if (game !== undefined) return `[game: ${game.title}]`;
  if (message.story !== undefined) return '[story]';
  if (message.paid_media !== undefined) return '[paid media]';
  return message.rich_message && '[a message in a form that cannot be read here]';
}

/** The text of a quoted message, or a description. */
export function quotedWords(message: TelegramContent): string | undefined {
  const text = message.text ?? message.caption ?? '';
  return text.trim() === '' ? (fileInWords(message) ?? inWords(message)) : text;
}

function fileInWords(message: TelegramContent): string | undefined {
  const { photo, live_photo, animation, video, video_note, voice, audio, document } = message;
  if (photo !== undefined || live_photo !== undefined) return '[photo]';
  if (animation !== undefined) return '[animation]';
  if (video !== undefined) return '[video]';
  if (video_note !== undefined) return '[video message]';
  if (voice !== undefined) return '[voice message]';
  if (audio !== undefined) return named('audio', audio.file_name);
  return document && named('file', document.file_name);
}

function named(kind: string, name: string | undefined): string {
  return name === undefined ? `[${kind}]` : `[${kind}: ${name}]`;
}

function placeIn({ latitude, longitude }: { readonly latitude: number; readonly longitude: number }): string {
  return `${latitude}, ${longitude}`;
}

function listed(items: readonly { readonly text: string }[]): string {
  return items.map(({ text }) => `· ${text}`).join(' ');
}
