import type { ImageType, ModelImage } from '../model/language-model.ts';
import type { Workspace } from '../tools/guard/workspace/workspace.ts';
import { WorkspaceError } from '../tools/guard/workspace/workspace-error.ts';
import { formatSize } from '../tools/text.ts';
import type { Attachment, TranscriptEntry } from '../transcript.ts';

/** What a model is given of a picture: the picture itself, or why it does not see it. */
export type Picture = { readonly image: ModelImage } | { readonly unseen: string };

/** Pictures by what was sent. */
export type Pictures = ReadonlyMap<Attachment, Picture>;

export const noPictures: ReadonlyMap<Attachment, Picture> = new Map();

/** The largest that all providers take, in bytes: one of them counts 5 MiB of what it is in base64. */
export const largestPicture = 3.75 * 2 ** 20;

/** So many of a conversation's newest pictures are sent with each request. */
export const mostPictures = 6;

/** What was sent as a picture and is there. */
export function picturesIn(entries: readonly TranscriptEntry[]): readonly Saved[] {
  return entries.flatMap((entry) => (entry.type === 'user' ? (entry.attachments ?? []).filter(isSavedPicture) : []));
}

type Saved = Extract<Attachment, { state: 'saved' }>;

function isSavedPicture(attachment: Attachment): attachment is Saved {
  const { kind, mediaType = '', state } = attachment;
  return state === 'saved' && (kind === 'image' || mediaType.toLowerCase().startsWith('image/'));
}

/** Reads the newest pictures of the entries for a model. What cannot be shown to it is said in words, never thrown. */
export async function loadPictures(
  entries: readonly TranscriptEntry[],
  workspace: Workspace,
  seesImages: boolean,
): Promise<Pictures> {
  const all = picturesIn(entries);
  if (!seesImages) return new Map(all.map((picture) => [picture, { unseen: "you can't see it" }] as const));

  const older = all.slice(0, -mostPictures).map((picture) => [picture, { unseen: 'not shown again' }] as const);
  const newest = all.slice(-mostPictures).map(async (picture) => [picture, await load(picture, workspace)] as const);
  return new Map([...older, ...(await Promise.all(newest))]);
}

async function load({ path, size = 0 }: Saved, workspace: Workspace): Promise<Picture> {
  if (size > largestPicture) return { unseen: `you can't see it: it is larger than ${formatSize(largestPicture)}` };
  try {
    const bytes = await workspace.read(path);
    const mediaType = imageTypeOf(bytes);
    if (mediaType === undefined) return { unseen: "you can't see it: it is no JPEG, PNG, GIF or WebP" };
    return { image: { mediaType, bytes } };
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return { unseen: `you can't see it: ${error.message}` };
  }
}

/** What the bytes are, whatever the name says. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp';
  return undefined;
}
