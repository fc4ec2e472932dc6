import iconv from 'iconv-lite';
import type { Charset } from './charsets.ts';
import { letters, words } from './letters.ts';

/**
 * How unlikely a text is that comes out of a charset, in bits: less is likelier. A character costs about what it would
 * in a code made for the languages of that charset; what does not occur in writing costs most.
 */
export function textCost(text: string, charset: Charset): number {
  const { costs, isAlphabet } = costsOf(charset);
  const isWide = isWideCharset(charset);
  let [total, run, before] = [0, 0, ' '];
  const counts = { letter: 0, ascii: 0 };
  for (const character of text) {
    const [kind, last] = [kindOf(character), kindOf(before)];
    total += characterCost(character, kind, costs, charset);
    if (kind === 'letter') counts.letter += 1;
    if (kind === 'ascii-letter') counts.ascii += 1;
    const isCapital = kind === 'letter' && isUpper(character);
    if (isCapital) total += isUpper(before) ? 0.3 : last === 'letter' ? 6 : 1.5;
    // Writing systems change between words. What is wrongly decoded changes within them.
    if (mixed(kind, last, isAlphabet) || mixed(last, kind, isAlphabet)) total += isAlphabet ? 7 : 4;
    if (/\p{M}/u.test(character) && last !== 'letter') total += 8;
    // These end a word.
    if (kind === 'letter' && 'ςךםןףץةى'.includes(before)) total += 8;
    // These stand between words.
    if (kind === 'ascii-letter' && last === 'mark' && !isWide && !'’“„«‘·¿¡–—…”»°©®'.includes(before)) total += 5;
    if (/[¿¡]/.test(character) && last !== 'ascii' && last !== 'mark') total += 8;
    if (kind === 'ascii-letter' && isUpper(character) && last === 'letter' && !isUpper(before)) total += 6;
    run = kind === 'letter' ? run + 1 : 0;
    // Accents come one by one.
    if (!isAlphabet && !isWide && run > 1) total += run === 2 ? 3 : 8;
    before = character;
  }
  // A word of another alphabet in a text of Latin letters is seldom.
  if (isAlphabet && counts.letter <= counts.ascii / 4) total += 10;
  return total - 16 * frequentWords(text, charset);
}

/** How many frequent words of the charset's languages stand in the text, up to ten. */
function frequentWords(text: string, { languages, codec }: Charset): number {
  // Too much of UTF-8 would be found by chance: it has all languages.
  if (codec === 'utf8' || text.length > 200) return 0;
  const lower = text.toLowerCase();
  const known = languages.flatMap((language) => words[language]?.split(/\s/) ?? []);
  return Math.min(10, known.filter((word) => lower.includes(word)).length);
}

function isWideCharset({ common, codec }: Charset): boolean {
  return common !== undefined || codec === 'cp949' || codec.startsWith('utf');
}

type Kind = 'ascii-letter' | 'ascii' | 'letter' | 'ideograph' | 'kana' | 'hangul' | 'mark' | 'control' | 'odd';

function kindOf(character: string): Kind {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) {
    if (/[a-z]/i.test(character)) return 'ascii-letter';
    return code < 0x20 && code !== 0x1b && (code < 8 || code > 13) ? 'control' : 'ascii';
  }
  if ((code >= 0x3400 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff) || code >= 0x20000) return 'ideograph';
  if ((code >= 0x3041 && code <= 0x30ff) || (code >= 0xff66 && code <= 0xff9d)) return 'kana';
  if ((code >= 0xac00 && code <= 0xd7af) || (code >= 0x3131 && code <= 0x318e)) return 'hangul';
  if (/[\p{L}\p{M}]/u.test(character)) return 'letter';
  return /[\p{C}\ufffd]/u.test(character) && character !== '\u00ad' && character !== '\ufeff' ? 'odd' : 'mark';
}

function mixed(one: Kind, other: Kind, isAlphabet: boolean): boolean {
  if (one !== 'ascii-letter') return false;
  return other === 'ideograph' || other === 'kana' || other === 'hangul' || (isAlphabet && other === 'letter');
}

function characterCost(character: string, kind: Kind, costs: ReadonlyMap<string, number>, charset: Charset): number {
  const known = costs.get(character.toLowerCase());
  if (known !== undefined) return known;
  switch (kind) {
    case 'ascii-letter':
    case 'ascii':
      return 4.5;
    case 'letter':
      // Most scripts have three bytes a letter in UTF-8. Two of another charset may look like two bytes.
      return charset.codec === 'utf8' && character < '\u0800' ? 24 : 13;
    case 'ideograph':
      return ideographCost(character, charset);
    case 'kana':
      return 17;
    case 'hangul':
      return charset.codec === 'cp949' ? hangulCost(character, charset) : 25;
    case 'mark':
      return 13;
    case 'control':
    case 'odd':
      return 28;
  }
}

function ideographCost(character: string, { codec, common }: Charset): number {
  if (common === undefined) return 19;
  const [first = 0, second = 0] = iconv.encode(character, codec);
  if (first >= common[0] && first <= common[1] && (codec !== 'gbk' || second >= 0xa1)) return 14;
  return codec === 'gbk' && second < 0xa1 ? 21 : 18;
}

function hangulCost(character: string, { codec }: Charset): number {
  const [first = 0, second = 0] = iconv.encode(character, codec);
  return first >= 0xb0 && first <= 0xc8 && second >= 0xa1 ? 13 : 18;
}

function isUpper(character: string): boolean {
  return character !== character.toLowerCase();
}

const wideMarks = '，。、：（）“”；！？《》「」・·—…【】『』’‘～％＋－＝／０１２３４５６７８９〈〉￥';
const narrowMarks = '\u00a0’“”–—…‘°€«»§„©®²³½·´£¡¿•™№±×µ¼¾¹ºª‚‹›¦¬\u00ad¨¸';

/** The cost of each character of the languages by its rank. */
function costsOf(charset: Charset) {
  const { languages, codec } = charset;
  const costs = new Map<string, number>();
  const isWide = isWideCharset(charset);
  const add = (text: string, costOf: (rank: number) => number): void => {
    const characters = [...new Set(text.replaceAll(/[\n ]/g, ''))];
    for (const [rank, character] of characters.entries()) {
      const cost = costOf(rank);
      if (cost < (costs.get(character) ?? Number.POSITIVE_INFINITY)) costs.set(character, cost);
    }
  };
  if (codec === 'utf8') add(narrowMarks, (rank) => zipf(rank) + 2);
  add(isWide ? wideMarks : narrowMarks, (rank) => zipf(rank) + 2);
  for (const language of languages) {
    const isShort = letters[language].length < 100;
    add(letters[language], (rank) =>
      latin.has(language) ? zipf(rank + 5) + 1.5 : isShort ? 3.2 + rank * 0.2 : zipf(rank),
    );
  }
  return { costs, isAlphabet: !isWide && !languages.some((language) => latin.has(language)) };
}

/** Of some hundred characters, in bits. */
function zipf(rank: number): number {
  return Math.log2((rank + 3) / 0.15);
}

const latin: ReadonlySet<string> = new Set([
  'westEuropean',
  'polish',
  'czech',
  'hungarian',
  'balkan',
  'turkish',
  'baltic',
  'vietnamese',
]);
