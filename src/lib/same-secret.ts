import { timingSafeEqual } from 'node:crypto';

/** Whether the texts are equal, found out in a time that does not tell where they differ. Their lengths are no secret. */
export function sameSecret(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
