import { looksLikeText } from '../documents/document.ts';

interface Signature {
  readonly mediaType: string;
  readonly at?: number;
  readonly bytes: readonly number[];
}

/** What stands at the beginning of files, or a little behind it. */
const signatures: readonly Signature[] = [
  { mediaType: 'image/png', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { mediaType: 'image/jpeg', bytes: [0xff, 0xd8, 0xff] },
  { mediaType: 'image/gif', bytes: [0x47, 0x49, 0x46, 0x38] },
  { mediaType: 'image/webp', at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
  { mediaType: 'image/heic', at: 4, bytes: [0x66, 0x74, 0x79, 0x70, 0x68, 0x65, 0x69, 0x63] },
  { mediaType: 'image/avif', at: 4, bytes: [0x66, 0x74, 0x79, 0x70, 0x61, 0x76, 0x69, 0x66] },
  { mediaType: 'audio/wav', at: 8, bytes: [0x57, 0x41, 0x56, 0x45] },
  { mediaType: 'audio/mp4', at: 4, bytes: [0x66, 0x74, 0x79, 0x70, 0x4d, 0x34, 0x41] },
  { mediaType: 'audio/mpeg', bytes: [0x49, 0x44, 0x33] },
  { mediaType: 'audio/mpeg', bytes: [0xff, 0xfb] },
  { mediaType: 'audio/ogg', bytes: [0x4f, 0x67, 0x67, 0x53] },
  { mediaType: 'audio/flac', bytes: [0x66, 0x4c, 0x61, 0x43] },
  { mediaType: 'video/mp4', at: 4, bytes: [0x66, 0x74, 0x79, 0x70] },
  { mediaType: 'video/webm', bytes: [0x1a, 0x45, 0xdf, 0xa3] },
  { mediaType: 'application/pdf', bytes: [0x25, 0x50, 0x44, 0x46, 0x2d] },
  { mediaType: 'application/zip', bytes: [0x50, 0x4b, 0x03, 0x04] },
  { mediaType: 'application/gzip', bytes: [0x1f, 0x8b] },
];

const office = 'application/vnd.openxmlformats-officedocument';
/** Of files that are zip archives inside. */
const archives: ReadonlyMap<string, string> = new Map([
  ['docx', `${office}.wordprocessingml.document`],
  ['xlsx', `${office}.spreadsheetml.sheet`],
  ['pptx', `${office}.presentationml.presentation`],
  ['odt', 'application/vnd.oasis.opendocument.text'],
  ['ods', 'application/vnd.oasis.opendocument.spreadsheet'],
  ['epub', 'application/epub+zip'],
]);
/** Of files that hold text. */
const texts: ReadonlyMap<string, string> = new Map([
  ['csv', 'text/csv'],
  ['css', 'text/css'],
  ['htm', 'text/html'],
  ['html', 'text/html'],
  ['ics', 'text/calendar'],
  ['json', 'application/json'],
  ['md', 'text/markdown'],
  ['svg', 'image/svg+xml'],
  ['vcf', 'text/vcard'],
  ['xml', 'application/xml'],
]);

/** How much of a file is looked at, in bytes. */
export const headLength = 4096;

/**
 * The media type of a file with this name that begins so. What it holds counts, and the name only tells apart what looks
 * alike inside: a picture by its name alone is none.
 */
export function mediaTypeOf(name: string, head: Uint8Array): string {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const found = signatures.find(({ at = 0, bytes }) => bytes.every((byte, index) => head[at + index] === byte));
  if (found?.mediaType === 'application/zip') return archives.get(extension) ?? found.mediaType;
  if (found !== undefined) return found.mediaType;
  return looksLikeText(head) ? (texts.get(extension) ?? 'text/plain') : 'application/octet-stream';
}
