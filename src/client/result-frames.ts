import { ResultWithFiles } from './device-tool.ts';
import type { Json } from './json.ts';

/** In bytes: as base64, with what stands around it, that is a frame below 1 MiB. */
const largestPiece = 600_000;

/** What a handler has returned, as frames: the files in pieces first, the result last. */
export function* resultFrames(id: string, result: unknown): Generator<Json> {
  const { output, files } = result instanceof ResultWithFiles ? result : { output: result, files: [] };
  const content: Json[] = [];
  for (const [number, { type, bytes, mediaType, name }] of files.entries()) {
    const part = `${number}`;
    yield* pieces(id, part, bytes);
    content.push({
      type,
      part,
      ...(mediaType === undefined ? {} : { media_type: mediaType }),
      ...(name === undefined ? {} : { name }),
    });
  }
  const said = { type: 'tool_result', id, output: jsonOf(output), success: true };
  yield content.length === 0 ? said : { ...said, content };
}

/** What a handler has thrown, as a frame. */
export function errorFrame(id: string, thrown: unknown): Json {
  const message = thrown instanceof Error && thrown.message !== '' ? thrown.message : 'Handler threw exception';
  return { type: 'tool_error', id, error: message.slice(0, 10_000), success: false };
}

function* pieces(id: string, part: string, bytes: Uint8Array): Generator<Json> {
  const count = Math.max(1, Math.ceil(bytes.length / largestPiece));
  for (let index = 0; index < count; index += 1) {
    const piece = bytes.subarray(index * largestPiece, (index + 1) * largestPiece);
    yield { type: 'tool_result_chunk', id, part, index, data: base64(piece), last: index === count - 1 };
  }
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  // A function takes only so many arguments.
  for (let start = 0; start < bytes.length; start += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(binary);
}

/** What a handler has returned, as the frame holds it: nothing is an empty text. */
function jsonOf(output: unknown): unknown {
  return output === undefined ? '' : output;
}
