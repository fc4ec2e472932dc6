import type { InboundAttachment } from '../../contract.ts';

export interface NameFacts extends Pick<InboundAttachment, 'kind' | 'name' | 'mediaType'> {
  /** The sequence of its message. */
  readonly seq: number;
  /** Its index in the message, from 0. */
  readonly position: number;
}

/**
 * The file name of an attachment: the number of its message and the usable part of the sender's name for it.
 * Deterministic, and unique to the attachment. One segment of at most 150 bytes, of letters, digits and a few signs,
 * that no system reserves.
 */
export function fileName({ seq, position, kind, name = '', mediaType = '' }: NameFacts): string {
  const number = position === 0 ? `${seq}` : `${seq}.${position + 1}`;
  const { stem, extension } = stemAndExtension(plain(name));
  const ending = extension === '' ? extensionOf(mediaType) : extension;
  return `${number}-${cut(stem, longestStem) || plainNames[kind]}${ending}`;
}

/** In UTF-16 units: of a longer name, only the beginning and the end are read. */
const longestRead = 1000;

/** In bytes of UTF-8: file systems take 255 of them, encrypted ones 143 characters. */
const longestStem = 100;

const plainNames = { image: 'photo', voice: 'voice', audio: 'audio', video: 'video', file: 'file' } as const;

/** Invisible letters, such as fillers, are not allowed; nor are lone surrogates. */
const unsafe = /[^\p{L}\p{M}\p{N}\p{Emoji_Presentation} ._\-()+,=@]|\p{Default_Ignorable_Code_Point}/gu;

function plain(name: string): string {
  // A huge name, which no platform sends, would take minutes.
  const bounded =
    name.length <= longestRead ? name : `${name.slice(0, longestRead / 2)}${name.slice(-longestRead / 2)}`;
  const segment = bounded.toWellFormed().normalize('NFC').replaceAll(unsafe, '_');
  return segment
    .replaceAll(/[ _]*_[ _]*/g, '_')
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[ ._\p{M}-]+|[ ._]+$/gu, '');
}

function stemAndExtension(name: string): { readonly stem: string; readonly extension: string } {
  const extension = /(?:\.tar)?\.[a-z0-9]{1,12}$/i.exec(name)?.[0] ?? '';
  return { stem: name.slice(0, name.length - extension.length), extension };
}

/** Whole characters, up to `longest` bytes. */
function cut(text: string, longest: number): string {
  let bytes = 0;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > longest) break;
    kept += segment;
  }
  return kept.replace(/[ ._]+$/, '');
}

/** For names without an extension: people and tools recognise files by it. */
function extensionOf(mediaType: string): string {
  const known = mediaType.toLowerCase().split(';')[0]?.trim() ?? '';
  return Object.hasOwn(extensions, known) ? (extensions[known] ?? '') : '';
}

const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'image/heic': '.heic',
  'audio/ogg': '.ogg',
  'audio/opus': '.ogg',
  'audio/mpeg': '.mp3',
  'audio/mp4': '.m4a',
  'audio/x-m4a': '.m4a',
  'audio/wav': '.wav',
  'audio/x-wav': '.wav',
  'audio/webm': '.webm',
  'audio/flac': '.flac',
  'video/mp4': '.mp4',
  'video/quicktime': '.mov',
  'video/webm': '.webm',
  'application/pdf': '.pdf',
  'application/zip': '.zip',
  'application/json': '.json',
  'text/plain': '.txt',
  'text/csv': '.csv',
  'text/html': '.html',
  'text/markdown': '.md',
};
