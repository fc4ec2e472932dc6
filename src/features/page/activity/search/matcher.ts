/* How words are found in texts, in any language: as they stand, without regard to case. */

/** Where something is found: beginning and end, in UTF-16 code units. */
export type Range = readonly [number, number];

/** Whether texts have these words, each of them somewhere. Undefined without words: any have. */
export function matcherOf(words: string | undefined): ((texts: readonly string[]) => boolean) | undefined {
  const wanted = wantedIn(words ?? '');
  if (wanted.length === 0) return undefined;
  return (texts) => {
    const folded = texts.map(folds);
    return wanted.every((one) => folded.some((text) => text.includes(one)));
  };
}

/** What is looked for: the words between spaces, ten at most. */
export function wantedIn(words: string): readonly string[] {
  const found = words.normalize('NFC').split(/\s+/).filter(Boolean).slice(0, mostWords);
  return [...new Set(found.map(folds))];
}

const mostWords = 10;

/** All places of a text where one of these stands; empty if one of them is missing. */
export function rangesOf(text: string, wanted: readonly string[]): readonly Range[] {
  const folded = folds(text);
  const places = wanted.map((one) => placesOf(folded, one));
  return places.some((found) => found.length === 0) ? [] : joined(places.flat());
}

/** In small letters, as long as before: a letter that would become longer stays as it is. */
function folds(text: string): string {
  const small = text.toLowerCase();
  if (small.length === text.length) return small;
  return Array.from(text, (letter) => {
    const folded = letter.toLowerCase();
    return folded.length === letter.length ? folded : letter;
  }).join('');
}

/** So many places of a word are shown. */
const mostPlaces = 50;

function placesOf(text: string, word: string): readonly Range[] {
  const places: Range[] = [];
  for (let at = text.indexOf(word); at !== -1 && places.length < mostPlaces; at = text.indexOf(word, at + word.length))
    places.push([at, at + word.length]);
  return places;
}

/** In their order; those that overlap or touch are one. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const sorted = ranges.toSorted(([one], [other]) => one - other);
  const found: Range[] = [];
  for (const [from, to] of sorted) {
    const last = found.at(-1);
    if (last === undefined || from > last[1]) found.push([from, to]);
    else found[found.length - 1] = [last[0], Math.max(last[1], to)];
  }
  return found;
}

/** So much of a long text is shown, and what is found within it. */
export function excerptOf(text: string, ranges: readonly Range[], longest: number): { text: string; found: Range[] } {
  const first = ranges[0]?.[0] ?? 0;
  const start = text.length <= longest ? 0 : wholeAt(text, Math.max(0, first - Math.floor(longest / 4)));
  const end = wholeAt(text, Math.min(text.length, start + longest));
  const found = ranges
    .filter(([from, to]) => from >= start && to <= end)
    .map(([from, to]): Range => [from - start, to - start]);
  return { text: text.slice(start, end), found };
}

/** The same place, or the one before if it is within a character. */
function wholeAt(text: string, place: number): number {
  const unit = text.charCodeAt(place);
  return unit >= 0xdc00 && unit <= 0xdfff && place > 0 ? place - 1 : place;
}
