/**
 * The bytes as text: by their byte order mark, else by the charset that they are said to be in, else as UTF-8, else as
 * windows-1252, which can read anything. An unknown charset counts as none.
 */
export function decodeText(bytes: Uint8Array, charset?: string): string {
  const marked = markedCharset(bytes);
  if (marked !== undefined) return new TextDecoder(marked).decode(bytes);
  const decoder = decoderOf(charset);
  if (decoder !== undefined && decoder.encoding !== 'utf-8') return decoder.decode(bytes);
  return decodeUtf8(bytes) ?? new TextDecoder('windows-1252').decode(bytes);
}

/** Whether it is UTF-8 and holds no NUL. Its last character may be cut. */
export function looksLikeText(bytes: Uint8Array): boolean {
  return !bytes.includes(0) && decodeUtf8(bytes) !== undefined;
}

function markedCharset(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

function decoderOf(charset: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  if (charset === undefined) return undefined;
  try {
    return new TextDecoder(charset);
  } catch (cause) {
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}

/** Undefined if it is none. What was cut off in the middle of its last character still is. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch (cause) {
    if (cause instanceof TypeError) return undefined;
    throw cause;
  }
}
