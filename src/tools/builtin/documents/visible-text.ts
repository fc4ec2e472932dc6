/**
 * What is read by a model and not seen by a person: controls, bidirectional marks and overrides, zero-width characters, soft
 * hyphens, tags, variation selectors (but the one that makes an emoji coloured). Joiners stay where they join letters or
 * pictographs that need them.
 */
const invisible =
  /[[\p{Cc}\p{Cf}\p{Variation_Selector}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]--[\n\t\r\u200c\u200d\ufe0f]]|(?<=\p{ASCII})[\u200c\u200d\ufe0f]+|[\u200c\u200d]+(?=[\p{ASCII}\u200c\u200d]|$)|^[\u200c\u200d\ufe0f]+|\ufe0f{2,}/gv;

/** The text without characters that nobody sees, with `\n` as its line ends and no more than one empty line on end. */
export function visibleText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(invisible, '')
    .toWellFormed()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '');
}
