import { z } from 'zod';
import type { InboundAttachment } from '../../src/contract.ts';
import { buttonWords, linkWords } from '../kit/link-words.ts';
import { lenient, list, named } from '../kit/read-payload.ts';
import { entitiesWithin, type TextEntity, textEntities, withAddresses } from './entities.ts';

const name = lenient(z.string());
const size = lenient(z.int().nonnegative());
const file = z.object({ file_id: z.string().min(1), file_size: size, file_name: name, mime_type: name });
const photo = z.array(z.object({ file_id: z.string().min(1), file_size: size, width: z.number(), height: z.number() }));
const location = z.object({ latitude: z.number(), longitude: z.number(), live_period: lenient(z.number()) });
const option = z.object({ text: z.string(), text_entities: textEntities });
const address = lenient(z.object({ url: z.string() }));
const button = z.object({ text: z.string(), url: lenient(z.string()), login_url: address, web_app: address });

/** A message's content, also of a quoted one. */
export const content = z.object({
  text: z.string().optional(),
  entities: textEntities,
  caption: z.string().optional(),
  caption_entities: textEntities,
  link_preview_options: lenient(z.object({ is_disabled: z.boolean().default(false), url: lenient(z.string()) })),
  reply_markup: lenient(z.object({ inline_keyboard: list(list(button)) })),
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
  poll: lenient(z.object({ question: z.string(), question_entities: textEntities, options: z.array(option) })),
  checklist: lenient(z.object({ title: z.string(), title_entities: textEntities, tasks: z.array(option) })),
  dice: lenient(z.object({ emoji: z.string(), value: z.number() })),
  game: lenient(z.object({ title: z.string() })),
  story: lenient(z.object({})),
  paid_media: lenient(z.object({})),
  rich_message: lenient(z.object({ blocks: z.unknown() })),
});

export type TelegramContent = z.output<typeof content>;

/** At most one file: each item of an album is its own message. */
export function attachmentsOf(message: TelegramContent): readonly InboundAttachment[] {
  const found = fileIn(message);
  return found === undefined ? [] : [found.attachment];
}

/** The file, and its description where the message is quoted. */
function fileIn(
  message: TelegramContent,
): { readonly attachment: InboundAttachment; readonly words: string } | undefined {
  const { photo, live_photo, animation, video, video_note, voice, audio, document } = message;
  // For older clients, live photos are also sent as photos, and animations as documents.
  const picture = largest(photo ?? live_photo?.photo ?? []);
  if (picture !== undefined) return { attachment: picture, words: '[photo]' };
  if (animation !== undefined) return { attachment: toAttachment('video', animation), words: '[animation]' };
  if (video !== undefined) return { attachment: toAttachment('video', video), words: '[video]' };
  if (video_note !== undefined) return { attachment: toAttachment('video', video_note), words: '[video message]' };
  if (voice !== undefined) return { attachment: toAttachment('voice', voice), words: '[voice message]' };
  if (audio !== undefined) return { attachment: toAttachment('audio', audio), words: named('audio', audio.file_name) };
  if (document === undefined) return undefined;
  const kind = document.mime_type?.startsWith('image/') ? 'image' : 'file';
  return { attachment: toAttachment(kind, document), words: named('file', document.file_name) };
}

function toAttachment(
  kind: InboundAttachment['kind'],
  { file_id, file_name, mime_type, file_size }: z.output<typeof file>,
): InboundAttachment {
  return { kind, handle: file_id, name: file_name, mediaType: mime_type, size: file_size };
}

/** Photos come in several sizes, always as JPEG. */
function largest(sizes: z.output<typeof photo>): InboundAttachment | undefined {
  const [best] = sizes.toSorted((one, other) => other.width * other.height - one.width * one.height);
  return best && toAttachment('image', { ...best, file_name: undefined, mime_type: 'image/jpeg' });
}

/** Describes a message without text and file. Undefined if it says nothing. */
function inWords(message: TelegramContent): string | undefined {
  const { sticker, venue, location, contact, poll, checklist, dice, game } = message;
  if (sticker !== undefined) return sticker.emoji ?? '[sticker]';
  // A venue also has `location`.
  if (venue !== undefined) return `[venue: ${venue.title}, ${venue.address}, ${placeIn(venue.location)}]`;
  if (location?.live_period !== undefined) return `[live location, now: ${placeIn(location)}]`;
  if (location !== undefined) return `[location: ${placeIn(location)}]`;
  if (contact !== undefined)
    return `[contact: ${[contact.first_name, contact.last_name].filter(Boolean).join(' ')}, ${contact.phone_number}]`;
  if (poll !== undefined)
    return `[poll: ${withAddresses(poll.question, poll.question_entities).text} ${listed(poll.options)}]`;
  if (checklist !== undefined)
    return `[checklist: ${withAddresses(checklist.title, checklist.title_entities).text} ${listed(checklist.tasks)}]`;
  if (dice !== undefined) return `[dice: ${dice.emoji} ${dice.value}]`;
  if (game !== undefined) return `[game: ${game.title}]`;
  if (message.story !== undefined) return '[story]';
  if (message.paid_media !== undefined) return '[paid media]';
  return message.rich_message && '[a message in a form that cannot be read here]';
}

/** The text or caption, with its entities; undefined if it has none. */
export function textIn({ text, entities, caption, caption_entities }: TelegramContent) {
  if (text !== undefined) return { text, entities };
  return caption === undefined ? undefined : { text: caption, entities: caption_entities };
}

/** All that a message says, with the addresses behind its words and buttons. Undefined if it says nothing. */
export function shownWords(message: TelegramContent): string | undefined {
  const { text, entities } = textIn(message) ?? { text: inWords(message) ?? '', entities: [] };
  const said = [withAddresses(text, entities).text, ...addressesBeside(message)].filter((words) => words !== '');
  return said.length === 0 ? undefined : said.join('\n');
}

/** What leads elsewhere from beside the text: the preview of another address, and buttons. */
export function addressesBeside(message: TelegramContent): readonly string[] {
  const { link_preview_options: preview, reply_markup: markup } = message;
  const { text = '', entities = [] } = textIn(message) ?? {};
  const { url, is_disabled } = preview ?? {};
  const isHidden = url !== undefined && is_disabled === false && !isNamed(url, text, entities);
  const buttons = markup?.inline_keyboard.flat() ?? [];
  return [
    ...(isHidden ? [`[preview of ${linkWords('a link', url)}]`] : []),
    ...buttons.flatMap(({ text: label, url, login_url, web_app }) => {
      const target = url ?? login_url?.url ?? web_app?.url;
      return target === undefined || target.trim() === '' ? [] : [buttonWords(label, target)];
    }),
  ];
}

function isNamed(url: string, text: string, entities: readonly TextEntity[]): boolean {
  const bare = (address: string): string =>
    address
      .trim()
      .replace(/^https?:\/\//i, '')
      .replace(/\/$/, '');
  return text.includes(bare(url)) || entities.some((entity) => bare(entity.url ?? '') === bare(url));
}

/** The text of a quoted message, or a description. */
export function quotedWords(message: TelegramContent): string | undefined {
  const text = textIn(message)?.text ?? '';
  const file = text.trim() === '' ? fileIn(message)?.words : undefined;
  return file === undefined ? shownWords(message) : [file, ...addressesBeside(message)].join('\n');
}

/** The part of a quoted message that a person has selected. Links are known from the whole message, or from the part. */
export function selectedWords(
  {
    text,
    position,
    entities,
  }: { readonly text: string; readonly position: number } & Pick<TelegramContent, 'entities'>,
  message: TelegramContent,
): string {
  const whole = textIn(message);
  const isThere = whole?.text.slice(position, position + text.length) === text;
  const links = isThere ? entitiesWithin(whole.entities, { start: position, length: text.length }) : entities;
  return withAddresses(text, links).text;
}

function placeIn({ latitude, longitude }: { readonly latitude: number; readonly longitude: number }): string {
  return `${latitude}, ${longitude}`;
}

function listed(items: readonly z.output<typeof option>[]): string {
  return items.map(({ text, text_entities }) => `· ${withAddresses(text, text_entities).text}`).join(' ');
}
