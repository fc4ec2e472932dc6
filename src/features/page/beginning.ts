import { oneLine } from '../../lib/plain-text.ts';

/** The beginning of a text, on one line. Undefined: there is nothing. */
export function beginning(text: string | undefined, most: number): string | undefined {
  const line = oneLine((text ?? '').slice(0, 4 * most).toWellFormed(), Number.POSITIVE_INFINITY);
  return Array.from(line).slice(0, most).join('') || undefined;
}
