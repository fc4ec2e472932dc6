import { decodeText, looksLikeText } from '../documents/decode-text.ts';

/** The text of an answer, in the charset that it is in; undefined if it is none. It may be cut within a character. */
export function bodyText(body: Buffer, contentType: string): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([\w:.-]+)/i.exec(contentType)?.[1];
  return isTextType.test(contentType) || looksLikeText(body) ? decodeText(body, charset) : undefined;
}

const isTextType = /^(?:text\/|application\/(?:[\w.-]*\+)?(?:json|xml|javascript|x-www-form-urlencoded|yaml))/i;
