import { ResultWithFiles } from './device-tool.ts';
import { itemOf, piecesOf } from './file-frames.ts';
import type { Json } from './json.ts';

/** What a handler has returned, as frames: the files in pieces first, the result last. */
export function* resultFrames(id: string, result: unknown): Generator<Json> {
  const { output, files } = result instanceof ResultWithFiles ? result : { output: result, files: [] };
  for (const [number, { bytes }] of files.entries())
    for (const piece of piecesOf(`${number}`, bytes)) yield { type: 'tool_result_chunk', id, ...piece };
  const content = files.map((file, number) => itemOf(`${number}`, file));
  const said = { type: 'tool_result', id, output: jsonOf(output), success: true };
  yield content.length === 0 ? said : { ...said, content };
}

/** What a handler has thrown, as a frame. */
export function errorFrame(id: string, thrown: unknown): Json {
  const message = thrown instanceof Error && thrown.message !== '' ? thrown.message : 'Handler threw exception';
  return { type: 'tool_error', id, error: message.slice(0, 10_000), success: false };
}

/** What a handler has returned, as the frame holds it: nothing is an empty text. */
function jsonOf(output: unknown): unknown {
  return output === undefined ? '' : output;
}
