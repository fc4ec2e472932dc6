/** Runs of letters in scripts without spaces between words, or whose words are searched by prefix. */
const unspaced =
  /[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]&&[\p{L}\p{M}]]+/v;
const runs = new RegExp(unspaced.source, 'gv');
const words = /[\p{L}\p{N}\p{M}]+/gu;
const marks = /\p{M}+/gu;
/** More than a person searches for; each term costs time. */
const mostTerms = 40;

/** The text for a full-text index: in unspaced scripts, each letter and each pair of neighbours becomes a word. */
export function indexedText(text: string): string {
  return text.normalize('NFKC').replace(runs, (run) => ` ${[...lettersOf(run), ...pairsOf(run)].join(' ')} `);
}

/** The terms for a search in this index: distinct words of letters and digits, at most 40. */
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

/** Without vowel signs and tones, at which an index would split words. */
function lettersOf(run: string): readonly string[] {
  return Array.from(run.replace(marks, ''));
}
