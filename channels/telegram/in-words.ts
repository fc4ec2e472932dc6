import type { TelegramContent } from './content.ts';

/** What a message without text and without a file says, in words. Undefined if a person says nothing with it. */
export function inWords(message: TelegramContent): string | undefined {
  const { sticker, venue, location, contact, poll, checklist, dice, game } = message;
  if (sticker !== undefined) return sticker.emoji ?? '[sticker]';
  // A venue is told as a location too.
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

/** The message as somebody who answers it means it: its text, or what else it is. */
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
