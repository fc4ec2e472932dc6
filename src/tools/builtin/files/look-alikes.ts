/** Finds a text whose characters differ from those in a file, though they look or mean the same. Pure. */

/** A text that looks like the wanted one. */
export interface LookAlike {
  /** Where it stands in the content, from `start` up to `end`. */
  readonly start: number;
  readonly end: number;
  /** In what it differs, for a sentence: `quotation marks`. */
  readonly differences: readonly string[];
  /** Readers cannot tell the two apart. */
  readonly isHidden: boolean;
}

/**
 * The first place in the content that differs from the wanted text only in such characters; undefined if there is none.
 * Names as few differences as there can be. For contents of up to some million characters.
 */
export function findLookAlike(content: string, wanted: string): LookAlike | undefined {
  for (const allowed of [faithful, kinds]) {
    const found = findFolded(content, wanted, allowed);
    if (found === undefined) continue;
    const text = content.slice(found.start, found.end);
    const needed = neededFor(text, wanted, allowed);
    const isHidden = needed.some(({ hides }) => hides) || /[^\S \t\r\n]/.test(text);
    return { ...found, differences: needed.map(({ name }) => name), isHidden };
  }
  return undefined;
}

/** The fewest kinds for which these texts are the same. */
function neededFor(text: string, wanted: string, allowed: readonly Kind[]): readonly Kind[] {
  let needed = allowed;
  for (const kind of allowed) {
    const fewer = needed.filter((one) => one !== kind);
    if (folded(text, fewer).text === folded(wanted, fewer).text) needed = fewer;
  }
  return needed;
}

interface Kind {
  readonly name: string;
  readonly hides?: true;
  /** What the character counts as; empty if it does not count. */
  fold(character: string): string;
}

/** From the one after which two texts may mean different things to the one that changes nothing. */
const kinds: readonly Kind[] = [
  { name: 'letters that look the same', hides: true, fold: (one) => alphabets.get(one) ?? one },
  { name: 'capital or small letters', fold: (one) => one.toLowerCase() },
  { name: 'accents', fold: (one) => one.normalize('NFD').replace(/[\p{M}]/gu, '') },
  { name: 'widths or forms of characters', fold: (one) => punctuation.get(one) ?? one.normalize('NFKD') },
  { name: 'invisible characters', hides: true, fold: (one) => one.replace(/[\p{Cf}\p{Variation_Selector}]/gu, '') },
  { name: 'composed or decomposed characters', hides: true, fold: (one) => one.normalize('NFD') },
  { name: 'ellipses', fold: (one) => (/[…⋯‥]/.test(one) ? '...' : one) },
  { name: 'dashes', fold: (one) => (/[\p{Pd}−⁃]/u.test(one) ? '-' : one) },
  { name: 'quotation marks', fold: (one) => one.replace(quotes, "'") },
  { name: 'spaces or line ends', fold: (one) => one.replace(/\s/g, '') },
];

/** Those that do not change which words these are. */
const faithful = kinds.slice(kinds.findIndex(({ name }) => name === 'invisible characters'));

/** Quotation marks, apostrophes, primes and accents that stand for them. */
const quotes = /["'`´\u02b9-\u02bc\u02ee“”„‟‘’‚‛«»‹›′″‴‵‶❛❜❝❞「」『』﹁﹂﹃﹄〝〞〟＂＇｀｢｣]/g;

/** Chinese and Japanese punctuation that has no compatible form. */
const punctuation: ReadonlyMap<string, string> = new Map([
  ['。', '.'],
  ['、', ','],
  ['【', '['],
  ['】', ']'],
  ['〔', '['],
  ['〕', ']'],
  ['《', '<'],
  ['》', '>'],
  ['〈', '<'],
  ['〉', '>'],
  ['・', '·'],
  ['〜', '~'],
]);

/** Cyrillic and Greek letters, by the Latin ones that look the same. */
const alphabets: ReadonlyMap<string, string> = new Map(
  [
    ['АВЕЅІЈКМНОРСТУХаеіјорсѕухһ', 'ABESIJKMHOPCTYXaeijopcsyxh'],
    ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο', 'ABEZHIKMNOPTYXo'],
  ].flatMap(([foreign = '', latin = '']) => Array.from(foreign, (one, index) => [one, latin.charAt(index)] as const)),
);

function findFolded(content: string, wanted: string, active: readonly Kind[]) {
  const needle = folded(wanted, active).text;
  if (needle === '') return undefined;
  const { text, offsets } = folded(content, active);
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
    const [start, last] = [offsets[at], offsets[at + needle.length - 1]];
    if (start === undefined || last === undefined) return undefined;
    const next = at + needle.length;
    const isWhole = offsets[at - 1] !== start && offsets[next] !== last && !joining.test(text.slice(next, next + 1));
    if (isWhole) return { start, end: last + String.fromCodePoint(content.codePointAt(last) ?? 0).length };
  }
  return undefined;
}

/** Belongs to the character before it: an accent, or the rest of a Korean syllable. */
const joining = /[\p{M}\u1160-\u11ff]/u;

/** The text as these kinds see it. `offsets`: where each unit of it comes from. */
function folded(written: string, active: readonly Kind[]) {
  const known = new Map<number, string>();
  const offsets: number[] = [];
  const merges = active.some(({ name }) => name === 'dashes');
  let text = '';
  for (let at = 0; at < written.length; at += 1) {
    const code = written.codePointAt(at) ?? 0;
    const part = known.get(code) ?? fold(String.fromCodePoint(code), active);
    known.set(code, part);
    // Two hyphens are typed for a dash.
    const isSame = merges && part === '-' && text.endsWith('-');
    for (let unit = 0; unit < part.length && !isSame; unit += 1) offsets.push(at);
    if (!isSame) text += part;
    if (code > 0xffff) at += 1;
  }
  return { text, offsets };
}

function fold(character: string, active: readonly Kind[]): string {
  return active.reduceRight((text, kind) => Array.from(text, kind.fold).join(''), character);
}
