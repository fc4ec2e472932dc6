import type { MessageFile } from '@keyturn/client';
import { proof } from '../../lib/ask.ts';

/** A message takes so many. */
export const mostFiles = 10;

/** What was chosen, read whole. Rejects if it cannot be read. */
export async function readFile(file: File): Promise<MessageFile> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { type: kindOf(file.type), bytes, mediaType: file.type || undefined, name: file.name };
}

function kindOf(mediaType: string): MessageFile['type'] {
  const [kind] = mediaType.split('/');
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file';
}

interface KeptFile {
  readonly id: string;
  readonly name: string;
  readonly path: string;
}

/** The contents of a file that was shown in a session; undefined if it is not kept any more. */
export async function fetchFile(sessionId: string, messageId: string, name: string): Promise<Blob | undefined> {
  try {
    const list = await fetch(`/api/sessions/${encodeURIComponent(sessionId)}/files`, { headers: proof() });
    if (!list.ok) return undefined;
    const { files }: { readonly files: readonly KeptFile[] } = await list.json();
    // The parts of a message have its id, and a number.
    const found = files.find((one) => one.id.startsWith(messageId) && one.name === name);
    if (found === undefined) return undefined;
    const answer = await fetch(found.path, { headers: proof() });
    return answer.ok ? await answer.blob() : undefined;
  } catch {
    // The daemon is away.
    return undefined;
  }
}

/** A picture that a person has sent; undefined if its file is not there any more. */
export async function fetchPicture(path: string): Promise<Blob | undefined> {
  try {
    const answer = await fetch(`/page/${path}`, { headers: proof() });
    return answer.ok ? await answer.blob() : undefined;
  } catch {
    // The daemon is away.
    return undefined;
  }
}
