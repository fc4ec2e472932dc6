import type { WorkspaceFactory } from './guard/workspace/workspace.ts';
import type { KeptText } from './shape-output.ts';

export interface ResultFilesDependencies {
  readonly workspaceAt: WorkspaceFactory;
  /** The most that is kept of one result, in bytes: no more than can be read again. */
  readonly maxBytes: number;
  /** How many files a workspace holds; the oldest go. Default 50. */
  readonly maxFiles?: number;
}

/** Keeps what a call had to say, in the workspace that it worked in. Throws if that can't be written. */
export type KeepResult = (
  text: string,
  call: { readonly workspace: string; readonly callId: string },
) => Promise<KeptText>;

/** Where results are kept, from the workspace on. */
const folder = '.keyturn/results';

/** Keeps results in files that the file tools can read, `.keyturn/results/<callId>.txt`. */
export function resultFiles({ workspaceAt, maxBytes, maxFiles = 50 }: ResultFilesDependencies): KeepResult {
  return async (text, { workspace, callId }) => {
    const place = workspaceAt(workspace);
    const bytes = Buffer.from(text);
    const kept = firstCharacters(bytes, maxBytes);
    await place.keepNewest(folder, maxFiles - 1);
    const path = await place.add(`${folder}/${callId.replaceAll(/[^\w-]/g, '_')}.txt`, kept);
    return { path, ...(kept.length < bytes.length ? { first: kept.length } : {}) };
  };
}

/** At most so many bytes, without half a character at the end. */
function firstCharacters(bytes: Buffer, most: number): Buffer {
  if (bytes.length <= most) return bytes;
  let end = most;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}
