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

/** The pieces of a file, as fields of frames. */
export function* piecesOf(part: string, bytes: Uint8Array): Generator<Json> {
  const count = Math.max(1, Math.ceil(bytes.length / largestPiece));
  for (let index = 0; index < count; index += 1) {
    const piece = bytes.subarray(index * largestPiece, (index + 1) * largestPiece);
    yield { part, index, data: base64(piece), last: index === count - 1 };
  }
}

/** The item that refers to a file whose pieces were sent before. */
export function itemOf(part: string, { type, mediaType, name }: OutgoingFile): Json {
  return {
    type,
    part,
    ...(mediaType === undefined ? {} : { media_type: mediaType }),
    ...(name === undefined ? {} : { name }),
  };
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  // A function call takes a limited number of arguments.
  for (let start = 0; start < bytes.length; start += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(binary);
}
