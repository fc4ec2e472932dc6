import { ResultWithFiles } from './device-tool.ts';
import { itemOf, piecesOf } from './file-frames.ts';
import type { Json } from './json.ts';

/** The frames of a handler's result: files in pieces first, the result last. */
export function* resultFrames(id: string, result: unknown): Generator<Json> {
  const { output, files } = result instanceof ResultWithFiles ? result : { output: result, files: [] };
  for (const [number, { bytes }] of files.entries())
    for (const piece of piecesOf(`${number}`, bytes)) yield { type: 'tool_result_chunk', id, ...piece };
  const content = files.map((file, number) => itemOf(`${number}`, file));
  const said = { type: 'tool_result', id, output: jsonOf(output), success: true };
  yield content.length === 0 ? said : { ...said, content };
}

/** The frame of a handler's error. */
export function errorFrame(id: string, thrown: unknown): Json {
  const message = thrown instanceof Error && thrown.message !== '' ? thrown.message : 'Handler threw exception';
  return { type: 'tool_error', id, error: message.slice(0, 10_000), success: false };
}

/** The output for the frame: `undefined` becomes an empty text. */
function jsonOf(output: unknown): unknown {
  return output === undefined ? '' : output;
}
