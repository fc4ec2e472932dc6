import type { KnownTexts, Span } from './known-texts.ts';

/** A line of `xxd`, `hexdump -C` or `od -tx1`: an offset, and up to 16 bytes in groups of one or two. */
const dumpLine =
  /^[ \t]*[\da-f]{5,16}:?[ \t]+((?:[\da-f]{2}){1,2}(?:[ \t]{1,2}(?:[\da-f]{2}){1,2}){0,15})(?![\da-f]).*$/gim;
const mostDigits = 32;

/**
 * The lines of hex dumps that show one of the texts, which are hexadecimal digits in lower case. They are asked for only if
 * there is such a line.
 */
export function hexDumpSpans(text: string, known: () => KnownTexts): readonly Span[] {
  const lines: Span[] = [];
  const lineOfByte: number[] = [];
  const digits: string[] = [];
  for (const { 0: line, 1: groups = '', index } of text.matchAll(dumpLine)) {
    const own = groups.replaceAll(/\s/g, '').slice(0, mostDigits).toLowerCase();
    for (let byte = 0; byte < own.length / 2; byte++) lineOfByte.push(lines.length);
    lines.push({ start: index, end: index + line.length });
    digits.push(own);
  }
  if (lines.length === 0) return [];
  const lineAt = (digit: number): Span | undefined => lines[lineOfByte[digit >> 1] ?? -1];
  return known()
    .find(digits.join(''))
    .flatMap(({ start, end }) => {
      const [first, last] = [lineAt(start), lineAt(end - 1)];
      return first === undefined || last === undefined ? [] : [{ start: first.start, end: last.end }];
    });
}
