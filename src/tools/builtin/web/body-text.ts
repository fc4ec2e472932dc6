import { decodeText } from '../documents/decode-text.ts';

/** The text of an answer, in the charset that it is in; undefined if it is none. It may be cut within a character. */
export function bodyText(body: Buffer, contentType: string): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([\w:.-]+)/i.exec(contentType)?.[1];
  return isTextType.test(contentType) || looksLikeText(body) ? decodeText(body, charset) : undefined;
}

const isTextType = /^(?:text\/|application\/(?:[\w.-]*\+)?(?:json|xml|javascript|x-www-form-urlencoded|yaml))/i;

function looksLikeText(body: Buffer): boolean {
  if (body.subarray(0, 8_000).includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(body, { stream: true });
    return true;
  } catch (cause) {
    if (cause instanceof TypeError) return false;
    throw cause;
  }
}
