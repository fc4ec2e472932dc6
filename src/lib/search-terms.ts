/** Scripts whose words do not stand apart, or are found by their beginnings: runs of their letters. */
const unspaced =
  /[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]&&[\p{L}\p{M}]]+/v;
const runs = new RegExp(unspaced.source, 'gv');
const words = /[\p{L}\p{N}\p{M}]+/gu;
const marks = /\p{M}+/gu;
/** More than a person ever asks for; a search takes its time for each. */
const mostTerms = 40;

/**
 * The text as an index of words is to have it: where words do not stand apart, each letter and each pair of neighbours is a
 * word. Everything else is as it was.
 */
export function indexedText(text: string): string {
  return text.normalize('NFKC').replace(runs, (run) => ` ${[...lettersOf(run), ...pairsOf(run)].join(' ')} `);
}

/**
 * What to look for in such an index: words of letters and digits alone, each once, at most 40. Empty where the text holds
 * none.
 */
export function searchTerms(text: string): readonly string[] {
  const spread = text.normalize('NFKC').replace(runs, (run) => {
    const pairs = pairsOf(run);
    return ` ${(pairs.length > 0 ? pairs : lettersOf(run)).join(' ')} `;
  });
  return [...new Set(spread.match(words) ?? [])].slice(0, mostTerms);
}

function pairsOf(run: string): readonly string[] {
  const letters = lettersOf(run);
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}

/** Without vowel signs and tones: an index of words would break at them. */
function lettersOf(run: string): readonly string[] {
  return Array.from(run.replace(marks, ''));
}
