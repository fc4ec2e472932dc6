import { randomBytes, timingSafeEqual } from 'node:crypto';

/** People type these, so no 0/o or 1/l/i. 30 characters: 4.9 bits each. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxy';

/** A random id of lower-case letters and digits that can be read aloud. 8 characters hold 39 bits, 20 hold 98. */
export function newId(length: number): string {
  let id = '';
  while (id.length < length) {
    for (const byte of randomBytes(length)) {
      // From 240 on, the remainder would favour some letters.
      if (byte < 240 && id.length < length) id += alphabet.charAt(byte % alphabet.length);
    }
  }
  return id;
}

/** Compares in constant time. The lengths are not secret. */
export function sameSecret(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
