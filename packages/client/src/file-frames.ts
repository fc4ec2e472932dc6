import type { Json } from './json.ts';

/** A file to send to the server. */
export interface OutgoingFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly mediaType?: string | undefined;
  /** With extension, without a folder. */
  readonly name?: string | undefined;
}

/** In bytes: base64 and the rest of the frame stay below 1 MiB. */
const largestPiece = 600_000;

/** The frame with its files under `key`: their pieces come before it, each as a `chunk`. */
export function* framesWith(files: readonly OutgoingFile[], chunk: Json, frame: Json, key: string): Generator<Json> {
  for (const [number, { bytes }] of files.entries()) {
    const count = Math.max(1, Math.ceil(bytes.length / largestPiece));
    for (let index = 0; index < count; index += 1) {
      const piece = bytes.subarray(index * largestPiece, (index + 1) * largestPiece);
      yield { ...chunk, part: `${number}`, index, data: base64(piece), last: index === count - 1 };
    }
  }
  const items = files.map(({ type, mediaType, name }, number) => ({
    type,
    part: `${number}`,
    media_type: mediaType,
    name,
  }));
  yield files.length === 0 ? frame : { ...frame, [key]: items };
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  // A function call takes a limited number of arguments.
  for (let start = 0; start < bytes.length; start += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(binary);
}
