/** Where a page begins and ends in a text, in UTF-16 units. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * One page of the text, counted from 1, and how many there are. A page has at most so many characters, and ends at a
 * paragraph, else at a line, else at a word, if there is one in its last half. `text` is undefined for a page that is not there.
 */
export function pageOf(
  text: string,
  page: number,
  pageChars: number,
): { readonly text: string | undefined; readonly total: number } {
  const stretches = stretchesOf(text, pageChars);
  const stretch = stretches[page - 1];
  return {
    text: stretch === undefined ? undefined : text.slice(stretch.start, stretch.end).trimEnd().replace(/^\n+/, ''),
    total: stretches.length,
  };
}

function stretchesOf(text: string, pageChars: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOfPage(text, start, pageChars);
    stretches.push({ start, end });
    start = end;
  }
  return stretches.length === 0 ? [{ start: 0, end: 0 }] : stretches;
}

function endOfPage(text: string, start: number, pageChars: number): number {
  if (text.length - start <= pageChars) return text.length;
  const limit = start + pageChars;
  const least = start + Math.floor(pageChars / 2);
  for (const mark of ['\n\n', '\n', ' ']) {
    const found = text.lastIndexOf(mark, limit - mark.length);
    if (found >= least) return found + mark.length;
  }
  const last = text.charCodeAt(limit - 1);
  // Not between the halves of a character.
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
}
