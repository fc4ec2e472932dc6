/**
 * The last place at or before `offset` that cuts no grapheme: no emoji of several parts, no letter with its accents.
 * `from` is such a place. Looks only at the text near the offset.
 */
export function graphemeFloor(text: string, from: number, offset: number): number {
  if (offset >= text.length || beginsGrapheme(text, offset)) return offset;
  const start = knownStart(text, from, offset);
  const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(
    text.slice(start, offset + reach),
  );
  return start + (segments.containing(offset - start)?.index ?? 0);
}

/** Behind the code point that begins at `offset`. */
export function codePointEnd(text: string, offset: number): number {
  return offset + ((text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1);
}

/** How far to look, in UTF-16 units: more than any real grapheme has. */
const reach = 128;

/** How far to look in a text of nothing but emoji or accents. */
const longReach = 4096;

function knownStart(text: string, from: number, offset: number): number {
  for (let start = offset; start > Math.max(from, offset - reach); start -= 1) {
    if (beginsGrapheme(text, start)) return start;
  }
  return Math.max(from, offset - longReach);
}

/** Whether a new grapheme surely begins here: before ASCII and before most of Chinese, Japanese and Korean. */
function beginsGrapheme(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  if (code < 0x80) return true;
  return (code >= 0x30a1 && code <= 0x30fe) || (code >= 0x3400 && code <= 0x9fff);
}
