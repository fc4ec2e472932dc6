import { randomBytes, timingSafeEqual } from 'node:crypto';

/** No 0/o, 1/l/i: people type these. 30 characters, so that each holds 4.9 bits. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxy';

/** A random identifier of lower-case letters and digits that can be read aloud. 8 characters hold 39 bits, 20 hold 98. */
export function newId(length: number): string {
  let id = '';
  while (id.length < length) {
    for (const byte of randomBytes(length)) {
      // Beyond 240 the remainder would favour some letters.
      if (byte < 240 && id.length < length) id += alphabet.charAt(byte % alphabet.length);
    }
  }
  return id;
}

/** Whether the texts are equal, found out in a time that does not tell where they differ. Their lengths are no secret. */
export function sameSecret(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
