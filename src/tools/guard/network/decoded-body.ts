import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { WebError, type WebResponse } from './web-client.ts';

/**
 * Reads a body, decompressed, up to so many bytes, and not what follows: a small answer that grows without end costs no
 * more than a large one. Throws `WebError` if it is packed in a way that we do not know, and what zlib throws.
 */
export async function readDecoded(
  body: Readable,
  encodings: string,
  maxBytes: number,
): Promise<Pick<WebResponse, 'body' | 'truncated'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of decoded(body, encodings)) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes.subarray(0, maxBytes - size));
    size += bytes.length;
    // Leaving the loop ends the stream.
    if (size > maxBytes) break;
  }
  return { body: Buffer.concat(chunks), truncated: size > maxBytes };
}

function decoded(body: Readable, encodings: string): AsyncIterable<Uint8Array> {
  const names = encodings
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > 2) throw new WebError('The answer is compressed more than twice, so it is not read.');
  const decoders = names.reverse().map(decoderOf);
  const last = decoders.at(-1);
  if (last === undefined) return body;
  // Whoever reads the end of it sees its errors.
  pipeline([body, ...decoders], () => {});
  return last;
}

/** Takes what there is of an answer that ends too early, as browsers do. */
function decoderOf(name: string): Transform {
  const lenient = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
  if (name === 'gzip' || name === 'x-gzip') return createGunzip(lenient);
  if (name === 'deflate') return createInflate(lenient);
  if (name === 'br') {
    const operation = constants.BROTLI_OPERATION_FLUSH;
    return createBrotliDecompress({ flush: operation, finishFlush: operation });
  }
  throw new WebError(`The answer is compressed as "${name.slice(0, 40)}", which cannot be read here.`);
}
