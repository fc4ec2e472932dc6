import type { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';

/** A line of the input, or the news that one was too long and was left out. */
export type InputLine = { readonly type: 'line'; readonly text: string } | { readonly type: 'too-long' };

/**
 * The lines of a stream, without their ends (`\n` or `\r\n`). The last one needs none. Reads on only when it is asked
 * for more: never more than a chunk and one line of at most `longest` characters is held. Ends with the stream, when
 * the signal aborts, and when reading fails.
 */
export async function* readLines(input: Readable, longest: number, signal: AbortSignal): AsyncGenerator<InputLine> {
  const decoder = new TextDecoder();
  const rest: Rest = { text: '', isTooLong: false };
  for (;;) {
    const chunk = await nextChunk(input, signal);
    if (signal.aborted) return;
    const text = chunk === undefined ? decoder.decode() : textOf(chunk, decoder);
    for (const line of split(rest, text, longest)) {
      yield line;
      if (signal.aborted) return;
    }
    if (chunk === undefined) break;
  }
  if (rest.isTooLong || rest.text !== '') yield endLine(rest);
}

/** The line that has not ended yet. */
interface Rest {
  text: string;
  isTooLong: boolean;
}

function* split(rest: Rest, text: string, longest: number): Generator<InputLine> {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    add(rest, text.slice(start, end), longest);
    start = end + 1;
    yield endLine(rest);
  }
  add(rest, text.slice(start), longest);
}

function add(rest: Rest, text: string, longest: number): void {
  if (rest.isTooLong) return;
  rest.isTooLong = rest.text.length + text.length > longest;
  rest.text = rest.isTooLong ? '' : rest.text + text;
}

function endLine(rest: Rest): InputLine {
  const { text, isTooLong } = rest;
  rest.text = '';
  rest.isTooLong = false;
  return isTooLong ? { type: 'too-long' } : { type: 'line', text: text.endsWith('\r') ? text.slice(0, -1) : text };
}

function textOf(chunk: unknown, decoder: TextDecoder): string {
  return chunk instanceof Uint8Array ? decoder.decode(chunk, { stream: true }) : String(chunk);
}

/** One chunk, with the stream at rest before and after; undefined at its end. */
function nextChunk(input: Readable, signal: AbortSignal): Promise<unknown> {
  if (signal.aborted || input.readableEnded || input.destroyed) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const settle = (chunk?: unknown): void => {
      input.pause();
      input.off('data', settle).off('end', end).off('close', end).off('error', end);
      signal.removeEventListener('abort', end);
      resolve(chunk);
    };
    const end = (): void => settle();
    input.on('data', settle).on('end', end).on('close', end).on('error', end);
    signal.addEventListener('abort', end);
    input.resume();
  });
}
