/*
 * Whether a person's message contains a value. Texts are compared as whole words, numbers as numbers in any spelling,
 * dates and times as such, account and card numbers without their spaces, web addresses exactly. In a text that the
 * model may word itself, everything that could be an account, a number or an address must be said as well.
 */

import { datesIn, momentOf, timesIn } from './said-times.ts';

/** A person's message, ready for comparisons. */
export interface Said {
  /** The message itself. */
  readonly words: string;
  /** In one spelling: see `plainSpelling`. */
  readonly plain: string;
  /** The web addresses, as requests: see `requestOf`. */
  readonly requests: readonly string[];
  readonly numbers: ReadonlySet<number>;
  /** Account, card and phone numbers, without spaces and hyphens. */
  readonly codes: ReadonlySet<string>;
  /** As 2024-05-19. */
  readonly dates: ReadonlySet<string>;
  /** In minutes of the day; with the ends of what begins then, if the message says how long it takes. */
  readonly times: ReadonlySet<number>;
}

export function readWords(words: string): Said {
  const plain = plainSpelling(words);
  return {
    words,
    plain,
    requests: requestsIn(words),
    numbers: new Set([...plain.replaceAll(account, ' ').matchAll(number)].flatMap(([text]) => numberOf(text) ?? [])),
    codes: new Set([...plain.matchAll(code)].map(([text]) => compactCode(text))),
    dates: datesIn(plain),
    times: timesIn(plain),
  };
}

/** Whether the message contains the value. A text of one or two characters is in any message, and is never said. */
export function isSaid(said: Said, value: string): boolean {
  const request = requestOf(value);
  if (request !== undefined) return said.requests.includes(request);
  const plain = plainSpelling(value);
  if (isSpeltOut(said, plain)) return true;
  const moment = momentOf(plain);
  if (moment !== undefined) return said.dates.has(moment.date) && (moment.time ?? said.times.has(moment.minutes));
  if (isCode(plain)) return said.codes.has(compactCode(plain));
  const [, before = '', amount = '', after = ''] = amountAndUnit.exec(plain) ?? [];
  const units = [before, after].filter((unit) => unit !== '');
  return isNumberSaid(said, amount) && units.every((unit) => unitsLike(unit).some((one) => hasUnit(said.plain, one)));
}

/** The same for words that are compared once. */
export function isSaidIn(words: string, value: string): boolean {
  return isSaid(readWords(words), value);
}

export function isNumberSaid(said: Said, text: string): boolean {
  const value = numberOf(text);
  return value !== undefined && said.numbers.has(value);
}

function isSpeltOut({ plain }: Said, value: string): boolean {
  // A number may be a part of a date or of another one.
  if (numberOf(value) !== undefined && value.length < 6) return false;
  const isLong = value.length >= 3 || /^\p{N}+$/u.test(value) || /^\p{Script=Han}{2}$/u.test(value);
  return isLong && standsIn(plain, value);
}

/** Whether a text contains another one as whole words. Both in one spelling. */
export function standsIn(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    if (!isOneWord(text, at - 1, at) && !isOneWord(text, end - 1, end)) return true;
  }
  return false;
}

/** Whether both characters belong to one word. Han characters are words of their own. */
function isOneWord(text: string, left: number, right: number): boolean {
  return [left, right].every((index) => {
    const [character = ''] = index < 0 ? [] : text.slice(index);
    return (
      /[\p{L}\p{N}_]/u.test(character) && !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(character)
    );
  });
}

/** One spelling for what looks the same: width, case, hyphens, quotes, dots and spaces; nothing that is not seen. */
export function plainSpelling(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}|\ufe0f|\ufe0e/gu, '')
    .toLowerCase()
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/[\u2018\u2019\u02bc]/g, "'")
    .replaceAll(/[\u2024\u2027\u00b7\u2219\u2022\u22c5\u30fb\ufe52\u2e31]|(?<=[a-z\d])[\u3002\uff61](?=[a-z\d])/gu, '.')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** A number as people write it: `1,234.50`, `1.234,50`, `98,70`, `1e4`. Not a part of a word, a date or an address. */
const number =
  /(?<![\p{Script=Latin}\p{N}_]|\p{N}[.,:/-])-?\d{1,20}(?:[.,']\d{1,20}){0,8}(?:e[+-]?\d{1,3})?(?=$|[^\p{Script=Latin}\p{N}_]|(?:eur|usd|gbp|chf|cny|rmb|jpy)(?![a-z\d]))/gu;

/** The value of a number in any spelling. Undefined for other texts, and for those with leading zeros, which are codes. */
export function numberOf(text: string): number | undefined {
  const bare = text.replaceAll("'", '').replace(/^\+/, '');
  if (/^-?0\d/.test(bare)) return undefined;
  if (/^0x[\da-f]{1,12}$/.test(bare) || /^-?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?$/.test(bare)) return Number(bare);
  // The last separator is the decimal one, unless three digits follow it and it is a comma or stands there twice.
  const [, whole = '', mark = '', rest = ''] = /^(-?\d{1,20}(?:[.,]\d{1,20}){0,8})([.,])(\d{1,20})$/.exec(bare) ?? [];
  if (mark === '') return undefined;
  const isGroup = rest.length === 3 && (whole.includes(mark) || mark === ',') && !(mark === ',' && whole.includes('.'));
  const plain = isGroup ? bare.replaceAll(/[.,]/g, '') : `${whole.replaceAll(/[.,]/g, '')}.${rest}`;
  return Number(plain);
}

/** Account numbers (IBAN), and digits in groups. */
const iban = '[a-z]{2}\\d{2}(?: ?[a-z\\d]{4}){2,7}(?: ?[a-z\\d]{1,4})?';
const groups = '\\+?\\d{2,6}(?:[ -]\\d{2,6}){1,8}';
const code = new RegExp(`(?<![\\p{L}\\p{N}])(?:${iban}|${groups})(?![\\p{L}\\p{N}])`, 'gu');
/** Its groups of digits are no sums. */
const account = new RegExp(`(?<![\\p{L}\\p{N}])${iban}(?![\\p{L}\\p{N}])`, 'gu');
const wholeCode = new RegExp(`^(?:${iban}|${groups})$`, 'u');

/** Whether a text in plain spelling is an account, a card or digits in groups. */
export function isCode(plain: string): boolean {
  return wholeCode.test(plain);
}

/** A code without its spaces and hyphens. */
export function compactCode(text: string): string {
  return text.replaceAll(/[ -]/g, '');
}

const amountAndUnit = /^(\p{Sc}|[a-z%]{0,12}) ?([+-]?[\d.,'e+x]{1,40}) ?(\p{Sc}|[a-z%]{0,12})$/u;

/** The other names of a unit. */
function unitsLike(unit: string): readonly string[] {
  const currencies = [
    ['€', 'eur', 'euro', 'euros'],
    ['$', 'usd', 'dollar', 'dollars'],
    ['£', 'gbp', 'pound', 'pounds'],
    ['¥', 'cny', 'rmb', 'yuan', '元', 'jpy', 'yen'],
  ];
  return currencies.find((names) => names.includes(unit)) ?? [unit];
}

function hasUnit(plain: string, unit: string): boolean {
  return /^[a-z]/.test(unit) ? new RegExp(`(?<![a-z])${unit}(?![a-z])`).test(plain) : plain.includes(unit);
}

/** What requesting an address tells its host: the URL without scheme and fragment. Undefined for other texts. */
export function requestOf(text: string): string | undefined {
  const url = /^\s*https?:/i.test(text) ? URL.parse(text) : null;
  return url === null ? undefined : url.href.slice(url.protocol.length).replace(/#.*$/s, '');
}

/** Whether the message contains this very web address, with a scheme or without; a full stop behind it is none of it. */
export function isAddressSaid(said: Said, address: string): boolean {
  const spelled = [address, address.replace(/[.,;:!?)\]*_…]{1,20}$/, '')];
  return spelled.some((one) => {
    // A page that is opened can read what stands behind the #.
    if (one.includes('#') && !said.words.split(/[\s<>"'()]+/).includes(one)) return false;
    const request = requestOf(/^https?:/i.test(one) ? one : `http://${one}`);
    return request !== undefined && said.requests.includes(request);
  });
}

/** The requests of all addresses in a text: with or without scheme, in brackets, or at the end of a sentence. */
function requestsIn(words: string): readonly string[] {
  const pieces = words.split(/\s+/).flatMap((word) => [word, ...word.split(/[<>"'`()[\]{}|]+/)]);
  const spelled = pieces
    .filter((piece) => /[.:/]/.test(piece))
    .flatMap((piece) => [piece, piece.replace(/[.,;:!?…*_~]{1,20}$/, '')]);
  return spelled.flatMap((piece) => requestOf(/^https?:/i.test(piece) ? piece : `http://${piece}`) ?? []);
}
