import type { InboundAttachment } from '../../src/contract.ts';
import type { TelegramContent, TelegramFile, TelegramPhoto } from './content.ts';

/** The files of a message: one at most, since each item of an album is a message of its own. */
export function attachmentsOf(message: TelegramContent): readonly InboundAttachment[] {
  const { photo, live_photo, animation, video, video_note, voice, audio, document } = message;
  // A live photo is told as a photo too, and an animation as a document: for those who don't know of it.
  const picture = largest(photo ?? live_photo?.photo ?? []);
  if (picture !== undefined) return [picture];
  const moving = animation ?? video ?? video_note;
  if (moving !== undefined) return [toAttachment('video', moving)];
  if (voice !== undefined) return [toAttachment('voice', voice)];
  if (audio !== undefined) return [toAttachment('audio', audio)];
  if (document === undefined) return [];
  return [toAttachment(document.mime_type?.startsWith('image/') ? 'image' : 'file', document)];
}

function toAttachment(
  kind: InboundAttachment['kind'],
  { file_id, file_name, mime_type, file_size }: TelegramFile,
): InboundAttachment {
  return {
    kind,
    handle: file_id,
    ...(file_name !== undefined && { name: file_name }),
    ...(mime_type !== undefined && { mediaType: mime_type }),
    ...(file_size !== undefined && { size: file_size }),
  };
}

/** Telegram keeps a photo in several sizes, and always as a JPEG. */
function largest(sizes: TelegramPhoto): InboundAttachment | undefined {
  const [best] = sizes.toSorted((one, other) => other.width * other.height - one.width * one.height);
  return best && toAttachment('image', { ...best, file_name: undefined, mime_type: 'image/jpeg' });
}
