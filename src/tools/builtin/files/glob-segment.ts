/** The part of a glob pattern between two slashes. */
export interface Segment {
  /** It is `**`: any names, or none. */
  readonly isStar: boolean;
  /** The name that it stands for, if it is only one. */
  readonly literal: string | undefined;
  matches(name: string): boolean;
}

/** What a pattern says of the next of the items that it is matched with. */
interface Part {
  /** Any number of items, rather than one. */
  readonly isStar: boolean;
}

interface Token extends Part {
  /** Undefined if it stands for more than one character. */
  readonly literal?: string;
  fits(character: string): boolean;
}

const star: Token = { isStar: true, fits: () => true };
const anyCharacter: Token = { isStar: false, fits: () => true };

/** Reads `*`, `?`, `[a-z]`, `[!a]` and escaped characters. What is not closed is taken as it stands. */
export function parseSegment(text: string): Segment {
  const tokens = tokensOf(Array.from(text));
  const letters = tokens.flatMap(({ literal }) => (literal === undefined ? [] : [literal]));
  return {
    isStar: text === '**',
    literal: letters.length === tokens.length ? letters.join('') : undefined,
    matches: (name) => matchesInOrder(tokens, Array.from(name), (token, character) => token.fits(character)),
  };
}

/**
 * Whether the parts fit the items, from the first to the last. Only the last star is tried anew, which is enough, so that it
 * takes at most as many steps as there are pairs of a part and an item.
 */
export function matchesInOrder<P extends Part, Item>(
  parts: readonly P[],
  items: readonly Item[],
  fits: (part: P, item: Item) => boolean,
): boolean {
  let [part, item] = [0, 0];
  let retry: { readonly part: number; readonly item: number } | undefined;
  while (item < items.length) {
    const [wanted, found] = [parts[part], items[item]];
    if (wanted?.isStar === true) {
      retry = { part: part + 1, item };
      part += 1;
    } else if (wanted !== undefined && found !== undefined && fits(wanted, found)) {
      part += 1;
      item += 1;
    } else if (retry === undefined) {
      return false;
    } else {
      // The star takes one item more.
      retry = { part: retry.part, item: retry.item + 1 };
      part = retry.part;
      item = retry.item;
    }
  }
  return parts.slice(part).every(({ isStar }) => isStar);
}

function tokensOf(characters: readonly string[]): readonly Token[] {
  const tokens: Token[] = [];
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? '';
    const end = character === '[' ? endOfClass(characters, index) : undefined;
    if (character === '*') tokens.push(star);
    else if (character === '?') tokens.push(anyCharacter);
    else if (end !== undefined) {
      tokens.push(classOf(characters.slice(index + 1, end)));
      index = end;
    } else if (character === '\\' && index + 1 < characters.length) {
      index += 1;
      tokens.push(literalOf(characters[index] ?? ''));
    } else tokens.push(literalOf(character));
  }
  return tokens;
}

function literalOf(literal: string): Token {
  return { isStar: false, literal, fits: (character) => character === literal };
}

/** A bracket right at the beginning is one of the characters. */
function endOfClass(characters: readonly string[], start: number): number | undefined {
  const first = isNegation(characters[start + 1]) ? start + 2 : start + 1;
  const end = characters.indexOf(']', first + 1);
  return end === -1 ? undefined : end;
}

function isNegation(character: string | undefined): boolean {
  return character === '!' || character === '^';
}

function classOf(content: readonly string[]): Token {
  const negated = isNegation(content[0]);
  const ranges = rangesOf(negated ? content.slice(1) : content);
  return {
    isStar: false,
    fits: (character) => ranges.some(([from, to]) => from <= character && character <= to) !== negated,
  };
}

function rangesOf(content: readonly string[]): readonly (readonly [string, string])[] {
  const ranges: [string, string][] = [];
  for (let index = 0; index < content.length; index++) {
    const from = content[index] ?? '';
    const to = content[index + 2];
    const isRange = content[index + 1] === '-' && to !== undefined;
    ranges.push([from, isRange ? to : from]);
    if (isRange) index += 2;
  }
  return ranges;
}
