/**
 * The predefined CMaps of PDF, without their tables. A CMap maps the codes of a text to the glyph numbers (CIDs) of a
 * character collection, and another one those to Unicode (ISO 32000-1, 9.7.5.2 and 9.10.3). Only the Unicode counts
 * here, and the codes are Unicode already, or those of a charset: so each character gets a number of our own that no
 * glyph of the collection has, and both maps are made from it. What names glyphs by their true numbers (Identity-H)
 * would need the tables: it comes out as U+FFFD.
 */
import iconv from 'iconv-lite';

/** Stands for a character that cannot be read. */
export const unread = '\ufffd';

/** The text of a CMap by its name, such as `UniGB-UCS2-H` or `Adobe-GB1-UCS2`. */
export function predefinedCMap(name: string): string {
  const collection = /^Adobe-(\w+)-UCS2$/.exec(name)?.[1];
  if (collection !== undefined) return toUnicode(numbersOf(collection === 'Korea1'));
  const entries = entriesOf(name, numbersOf(isKorean(name)));
  return [`/WMode ${name.endsWith('V') ? 1 : 0} def`, ...entries, 'endcmap'].join('\n');
}

function isKorean(name: string): boolean {
  return /^(?:KSC|UniKS)/.test(name);
}

/** Characters from `first` to `last`, the first of which has the number `number`. */
interface Numbers {
  readonly first: number;
  readonly last: number;
  readonly number: number;
}

/** Latin letters have the same numbers in all collections: the widths of their glyphs are looked up by them. */
const latin: Numbers = { first: 0x20, last: 0x7e, number: 1 };
/** Latin, Greek, Cyrillic; punctuation and symbols; radicals, kana, bopomofo; ideographs; compatible and wide forms. */
const common = [
  [0xa0, 0x4ff],
  [0x2000, 0x2bff],
  [0x2e80, 0x33ff],
  [0x4e00, 0x9fff],
  [0xf900, 0xfaff],
  [0xfe10, 0xffef],
] as const;
const rareIdeographs = [0x3400, 0x4dbf] as const;
const hangul = [0xac00, 0xd7a3] as const;
/** Above the glyphs of Adobe-GB1, -CNS1 and -Japan1, and above those of Adobe-Korea1. */
const [lowest, lowestKorean] = [31_000, 20_000] as const;

function numbersOf(korean: boolean): readonly Numbers[] {
  const numbers = [latin];
  let number: number = korean ? lowestKorean : lowest;
  for (const [first, last] of [...common, korean ? hangul : rareIdeographs]) {
    numbers.push({ first, last, number });
    number += last - first + 1;
  }
  return numbers;
}

function hex(code: number, digits = 4): string {
  return `<${code.toString(16).padStart(digits, '0')}>`;
}

function toUnicode(numbers: readonly Numbers[]): string {
  const own = Math.min(...numbers.filter((range) => range !== latin).map(({ number }) => number));
  const none = Array.from({ length: own }, () => hex(unread.charCodeAt(0))).join(' ');
  const ranges = numbers.map(({ first, last, number }) => `${hex(number)} ${hex(number + last - first)} ${hex(first)}`);
  const all = [`<0000> ${hex(own - 1)} [${none}]`, ...ranges];
  return ['1 beginbfrange', ...all, 'endbfrange', 'endcmap'].join('\n');
}

type Spans = readonly (readonly [first: number, last: number])[];

/** The codes of a CMap: of one and of two bytes. `missing`: bits that 7-bit codes lack. */
interface Charset {
  readonly codec: string;
  readonly single: Spans;
  readonly double: Spans;
  readonly missing?: number;
}

const ascii = [[0, 0x80]] as const;
const eightBit = { single: ascii, double: [[0x8140, 0xfefe]] } as const;
const sevenBit = { single: [], double: [[0x2121, 0x7e7e]], missing: 0x8080 } as const;
const shiftJis: Charset = {
  codec: 'cp932',
  single: [...ascii, [0xa0, 0xdf]],
  double: [
    [0x8140, 0x9ffc],
    [0xe040, 0xfcfc],
  ],
};
const eucJp: Charset = {
  codec: 'eucjp',
  single: ascii,
  double: [
    [0x8ea0, 0x8edf],
    [0xa1a1, 0xfefe],
  ],
};

const charsets: readonly (readonly [names: RegExp, charset: Charset])[] = [
  [/^GB(?:K|Kp|pc)?-EUC-[HV]$|^GBK2K-[HV]$/, { codec: 'gbk', ...eightBit }],
  [/^GB-[HV]$/, { codec: 'gbk', ...sevenBit }],
  [/^(?:B5pc|ETen-B5|ETenms-B5|ETHK-B5|HKscs-B5)-[HV]$/, { codec: 'big5hkscs', ...eightBit }],
  [/^KSC(?:ms|pc)?-(?:EUC|UHC)-(?:HW-)?[HV]$/, { codec: 'cp949', ...eightBit }],
  [/RKSJ-[HV]$/, shiftJis],
  [/^EUC-[HV]$/, eucJp],
  [/^[HV]$/, { codec: 'eucjp', ...sevenBit }],
  [/^KSC-[HV]$/, { codec: 'cp949', ...sevenBit }],
];

const unknown: Charset = { codec: 'latin1', single: [[0, 0xff]], double: [] };

/** The codes of a CMap, with the number of each. One that is not known here has the number of no character for all. */
function entriesOf(name: string, numbers: readonly Numbers[]): readonly string[] {
  const unicode = /-(UCS2|UTF16|UTF32)-(?:HW-)?[HV]$/.exec(name)?.[1];
  if (unicode !== undefined) return unicodeEntries(unicode, numbers);
  const charset = charsets.find(([names]) => names.test(name))?.[1];
  if (charset === undefined) return charsetEntries(unknown, []);
  return charsetEntries(charset, numbers);
}

function codespace(spans: Spans, digits: number): string {
  const ranges = spans.map(([first, last]) => `${hex(first, digits)} ${hex(last, digits)}`);
  return `1 begincodespacerange ${ranges.join(' ')} endcodespacerange`;
}

function unicodeEntries(form: string, numbers: readonly Numbers[]): readonly string[] {
  const digits = form === 'UTF32' ? 8 : 4;
  const ranges = numbers.map(({ first, last, number }) => `${hex(first, digits)} ${hex(last, digits)} ${number}`);
  const pairs = [
    [0, 0xd7ff],
    [0xe000, 0xffff],
  ] as const;
  return [
    codespace(form === 'UTF16' ? pairs : [[0, form === 'UTF32' ? 0x10ffff : 0xffff]], digits),
    ...(form === 'UTF16' ? [codespace([[0xd800dc00, 0xdbffdfff]], 8)] : []),
    '1 begincidrange',
    ...ranges,
    'endcidrange',
  ];
}

function charsetEntries(
  { codec, single, double, missing = 0 }: Charset,
  numbers: readonly Numbers[],
): readonly string[] {
  const entry = (bytes: readonly number[], code: string): string => {
    const text = iconv.decode(Buffer.from(bytes), codec);
    return `${code} ${text.length === 1 ? numberOf(text.charCodeAt(0), numbers) : 0}`;
  };
  return [
    ...(single.length === 0 ? [] : [codespace(single, 2)]),
    ...(double.length === 0 ? [] : [codespace(double, 4)]),
    '1 begincidchar',
    ...codesIn(single).map((code) => entry([code], hex(code, 2))),
    ...codesIn(double)
      .filter((code) => (code & 0xff) >= 0x21)
      .map((code) => entry([(code | missing) >> 8, (code | missing) & 0xff], hex(code))),
    'endcidchar',
  ];
}

function codesIn(spans: Spans): readonly number[] {
  return spans.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index));
}

/** 0 for a character without a number. */
function numberOf(code: number, numbers: readonly Numbers[]): number {
  const range = numbers.find(({ first, last }) => first <= code && code <= last);
  return range === undefined ? 0 : range.number + code - range.first;
}
