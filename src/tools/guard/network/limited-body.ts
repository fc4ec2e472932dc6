import { WebError } from './web-client.ts';

export interface BodyLimit {
  readonly maxBytes: number;
  /** It is a stream of events, which may go on for ever: each of them is counted by itself. */
  readonly perEvent: boolean;
}

/** The bytes as they come. Throws `WebError` when there are too many. Leaving it ends the source. */
export async function* limitedBody(
  source: AsyncIterable<Uint8Array>,
  { maxBytes, perEvent }: BodyLimit,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  let before = '';
  for await (const chunk of source) {
    size += chunk.length;
    if (perEvent) {
      const text = before + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
      const end = endOfEvents(text);
      if (end !== undefined) size = text.length - end;
      before = text.slice(-2);
    }
    if (size > maxBytes) throw new WebError(`It sent more than ${maxBytes} bytes at once.`);
    yield chunk;
  }
}

/** Where the last event ends that does: behind an empty line. */
function endOfEvents(text: string): number | undefined {
  const ends = ['\n\n', '\r\r', '\n\r\n'].flatMap((mark) => {
    const at = text.lastIndexOf(mark);
    return at === -1 ? [] : [at + mark.length];
  });
  return ends.length === 0 ? undefined : Math.max(...ends);
}
