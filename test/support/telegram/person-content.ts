import type { Message, PhotoSize } from 'grammy/types';
import type { Files } from './files.ts';

/** A file that a person sends, and as what. */
export interface PersonFile {
  readonly type: 'photo' | 'document' | 'voice' | 'audio' | 'video' | 'video_note' | 'animation';
  readonly bytes: Buffer;
  readonly name?: string;
  readonly mediaType?: string;
}

/** What a message of a person holds beside its text. */
export type PersonContent = Partial<Message>;

/** Puts the file where the bot can fetch it, and tells of it as Telegram does. */
export function tellOfFile(files: Files, { type, bytes, name, mediaType }: PersonFile): PersonContent {
  if (type === 'photo') return { photo: photoSizes(files, bytes) };
  const told = {
    ...fileOf(files, bytes, name),
    ...(name !== undefined && { file_name: name }),
    ...(mediaType !== undefined && { mime_type: mediaType }),
  };
  const picture = { ...told, width: 640, height: 480, duration: 3 };
  switch (type) {
    case 'document':
      return { document: told };
    case 'voice':
      return { voice: { ...told, duration: 3 } };
    case 'audio':
      return { audio: { ...told, duration: 3 } };
    case 'video':
      return { video: picture };
    case 'video_note':
      return { video_note: { ...told, length: 240, duration: 3 } };
    case 'animation':
      // For those who don't know of animations.
      return { animation: picture, document: told };
  }
}

/** Telegram makes smaller ones of a photo; in what order it tells of them is not promised. */
function photoSizes(files: Files, bytes: Buffer): PhotoSize[] {
  const thumbnail = fileOf(files, Buffer.from('a thumbnail'));
  return [
    { ...thumbnail, width: 90, height: 67 },
    { ...fileOf(files, bytes), width: 1280, height: 960 },
    { ...fileOf(files, Buffer.from('a smaller one')), width: 320, height: 240 },
  ];
}

function fileOf(files: Files, bytes: Buffer, name = '') {
  const id = files.add({ name, bytes });
  return { file_id: id, file_unique_id: `unique-${id}`, file_size: bytes.length };
}
