import type { JsonObject } from '../lib/json.ts';
import type { DeviceResult, ResultChunk } from '../tools/sources/remote/device-link.ts';
import type { FilePiece } from '../tools/sources/remote/file-parts.ts';

/**
 * What a `tool_result` or `tool_error` frame says of which call; undefined where it names none. A result counts as a
 * success unless it says otherwise, an error never does.
 */
export function resultOf({ type, id, output, success, error, content }: JsonObject): DeviceResult | undefined {
  if (typeof id !== 'string' || id === '') return undefined;
  const reason = typeof error === 'string' ? error : undefined;
  if (type === 'tool_error') {
    const words = reason ?? 'Unknown error';
    return { id, success: false, output: words, error: words };
  }
  return {
    id,
    success: success !== false,
    output: output ?? '',
    ...(reason === undefined ? {} : { error: reason }),
    ...(Array.isArray(content) ? { content: [...content] } : {}),
  };
}

/** What a `tool_result_chunk` frame brings; undefined where it does not say of what. */
export function chunkOf(frame: JsonObject): ResultChunk | undefined {
  const piece = pieceOf(frame);
  const { id } = frame;
  return typeof id === 'string' && id !== '' && piece !== undefined ? { id, ...piece } : undefined;
}

/** The piece of a file that a frame holds; undefined if it is none. */
export function pieceOf({ part, index, data, last }: JsonObject): FilePiece | undefined {
  if (typeof part !== 'string' || typeof data !== 'string') return undefined;
  if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0) return undefined;
  return { part, index, data, last: last === true };
}
