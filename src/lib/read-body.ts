/**
 * The body of a response, or `too-large` beyond `maxBytes`: the rest is not read, and the connection is closed. Throws
 * what `fetch` throws when the connection breaks or the request is aborted.
 */
export async function readBody({ headers, body }: Response, maxBytes: number): Promise<Uint8Array | 'too-large'> {
  if (Number(headers.get('content-length') ?? 0) > maxBytes) {
    await body?.cancel();
    return 'too-large';
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (size > maxBytes) return 'too-large';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
