import { imageTypeOf } from '../lib/recognise-image.ts';
import type { ModelImage } from '../model/language-model.ts';
import type { Workspace } from '../tools/guard/workspace/workspace.ts';
import { WorkspaceError } from '../tools/guard/workspace/workspace-error.ts';
import type { Attachment, ResultPicture, TranscriptEntry } from '../transcript.ts';

/** What a model is given of a picture: the picture itself, or why it does not see it. */
export type Picture = { readonly image: ModelImage } | { readonly unseen: string };

/** A picture in the workspace: a person has sent it, or a tool has brought it. */
export type SavedPicture = Extract<Attachment, { state: 'saved' }> | ResultPicture;

/** What a model is given of each: by identity, since a file may have been another one before. */
export type Pictures = ReadonlyMap<SavedPicture, Picture>;

export const noPictures: ReadonlyMap<SavedPicture, Picture> = new Map();

/** The largest that all providers take, in bytes: one of them counts 5 MiB of what it is in base64. */
export const largestPicture = 3.75 * 2 ** 20;

/** So many of a conversation's newest pictures are sent with each request. */
export const mostPictures = 6;

/** All that there is to see, in its order. */
export function picturesIn(entries: readonly TranscriptEntry[]): readonly SavedPicture[] {
  return entries.flatMap(picturesOf);
}

function picturesOf(entry: TranscriptEntry): readonly SavedPicture[] {
  switch (entry.type) {
    case 'user':
      return (entry.attachments ?? []).filter(isSavedPicture);
    case 'event':
      return entry.pictures ?? [];
    case 'turn':
      return entry.calls.flatMap(({ result }) => result?.pictures ?? []);
    case 'closing':
      return [];
  }
}

function isSavedPicture(attachment: Attachment): attachment is Extract<Attachment, { state: 'saved' }> {
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

async function load({ path }: SavedPicture, workspace: Workspace): Promise<Picture> {
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
