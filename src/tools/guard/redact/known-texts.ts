/** A part of a text, from `start` to before `end`, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** The kind of secret, if known. */
  readonly kind?: string;
}

interface KnownText {
  readonly text: string;
  /** It is matched across blanks and line ends, since encoders wrap lines. `text` is without them then. */
  readonly isLoose: boolean;
}

/** Shorter ones would match columns of numbers if blanks were skipped. */
const shortestLoose = 12;
/** The most blanks that are skipped at one place of a loose text. */
const mostBlanks = 80;
/** How many characters identify a text: the key has 16 bits, and each character shifts it by 4. */
const windowLength = 4;

/** Finds the longest match at every place where one begins. Matches may overlap. */
export type TextFinder = (text: string) => readonly Span[];

/** Finds many texts in one pass. Texts of fewer than 4 characters, without blanks, are ignored. */
export function textFinder(texts: readonly string[]): TextFinder {
  const long = [...new Set(texts)].filter((text) => packed(text).length >= windowLength);
  /** Texts that begin with the same window. */
  const groups = [...Map.groupBy(long, keyOf)].map(([key, group]) => {
    const known = group.map((text): KnownText => {
      const isLoose = packed(text).length >= shortestLoose;
      return { text: isLoose ? packed(text) : text.trim(), isLoose };
    });
    // Many spellings of a secret are the same without blanks.
    return { key, known: [...new Map(known.map((each) => [each.text, each])).values()] };
  });
  /** For each key the number of its group, counted from 1; 0 if there is none. */
  const places = new Uint16Array(0x1_0000);
  for (const [index, { key }] of groups.entries()) places[key] = index + 1;
  return (text) => {
    if (groups.length === 0) return [];
    const spans: Span[] = [];
    const starts = new Uint32Array(windowLength);
    let key = 0;
    let count = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (isBlank(code)) continue;
      key = shifted(key, code);
      starts[count % windowLength] = at;
      count += 1;
      const group = groups[(places[key] ?? 0) - 1];
      if (group === undefined || count < windowLength) continue;
      const start = starts[count % windowLength] ?? 0;
      const end = Math.max(...group.known.map((known) => endOf(known, text, start)));
      if (end > start) spans.push({ start, end });
    }
    return spans;
  };
}

function packed(text: string): string {
  return text.replaceAll(/[\0-\u0020]/g, '');
}

function keyOf(text: string): number {
  const characters = packed(text);
  return Array.from({ length: windowLength }, (_, at) => characters.charCodeAt(at)).reduce(shifted, 0);
}

function shifted(key: number, code: number): number {
  return ((key << 4) ^ code) & 0xffff;
}

function isBlank(code: number): boolean {
  return code <= 0x20;
}

/** Where the known text ends if it begins at `start`; otherwise `start`. */
function endOf({ text: known, isLoose }: KnownText, text: string, start: number): number {
  let at = start;
  for (let index = 0; index < known.length; index++) {
    const most = at + mostBlanks;
    while (isLoose && at < most && isBlank(text.charCodeAt(at))) at += 1;
    if (text.charCodeAt(at) !== known.charCodeAt(index)) return start;
    at += 1;
  }
  return at;
}
