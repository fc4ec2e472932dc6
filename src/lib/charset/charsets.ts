import type { Language } from './letters.ts';

/** A charset as it is guessed, read and written. */
export interface Charset {
  /** As people and programs call it. */
  readonly name: string;
  /** The name of the WHATWG encoding standard, which its labels lead to. */
  readonly standard: string;
  /** iconv-lite's name of it. */
  readonly codec: string;
  /** What is usually written in it. */
  readonly languages: readonly Language[];
  /** How seldom it is met, in bits. Those that are never guessed have none. */
  readonly rarity?: number;
  /** The first bytes of its common ideographs. */
  readonly common?: readonly [number, number];
}

const allLanguages: readonly Language[] = [
  'simplified',
  'traditional',
  'kana',
  'kanji',
  'hangul',
  'russian',
  'ukrainian',
  'southSlavic',
  'greek',
  'hebrew',
  'arabic',
  'thai',
  'westEuropean',
  'polish',
  'czech',
  'hungarian',
  'balkan',
  'turkish',
  'baltic',
  'vietnamese',
];

/** Those that have two bytes for an ideograph. GBK stands before GB18030, which has all of its characters. */
const eastAsian: readonly Charset[] = [
  of('GBK', 'gbk', 'gbk', ['simplified'], 0, [0xb0, 0xd7]),
  of('GB18030', 'gb18030', 'gb18030', ['simplified'], 6, [0xb0, 0xd7]),
  of('Big5', 'big5', 'big5hkscs', ['traditional'], 1, [0xa4, 0xc6]),
  of('Shift_JIS', 'shift_jis', 'shift_jis', ['kana', 'kanji'], 1, [0x88, 0x97]),
  of('EUC-JP', 'euc-jp', 'eucjp', ['kana', 'kanji'], 3, [0xb0, 0xcf]),
  of('EUC-KR', 'euc-kr', 'cp949', ['hangul'], 1),
];

const oneByte: readonly Charset[] = [
  of('windows-1252', 'windows-1252', 'windows1252', ['westEuropean'], 0),
  of('windows-1251', 'windows-1251', 'windows1251', ['russian', 'ukrainian', 'southSlavic'], 1),
  of('KOI8-R', 'koi8-r', 'koi8r', ['russian'], 3),
  of('KOI8-U', 'koi8-u', 'koi8u', ['ukrainian'], 5),
  of('IBM866', 'ibm866', 'cp866', ['russian'], 7),
  of('ISO-8859-5', 'iso-8859-5', 'iso88595', ['russian', 'ukrainian', 'southSlavic'], 7),
  of('windows-1250', 'windows-1250', 'windows1250', ['polish', 'czech', 'hungarian', 'balkan'], 4),
  of('ISO-8859-2', 'iso-8859-2', 'iso88592', ['polish', 'czech', 'hungarian', 'balkan'], 5),
  of('windows-1253', 'windows-1253', 'windows1253', ['greek'], 3),
  of('ISO-8859-7', 'iso-8859-7', 'iso88597', ['greek'], 5),
  of('windows-1254', 'windows-1254', 'windows1254', ['turkish'], 4),
  of('windows-1255', 'windows-1255', 'windows1255', ['hebrew'], 3),
  of('windows-1256', 'windows-1256', 'windows1256', ['arabic'], 3),
  of('windows-1257', 'windows-1257', 'windows1257', ['baltic'], 5),
  of('windows-874', 'windows-874', 'windows874', ['thai'], 6),
  of('ISO-8859-15', 'iso-8859-15', 'iso885915', ['westEuropean'], 8),
  ...[
    ['windows-1258', 'windows1258'],
    ['ISO-8859-3', 'iso88593'],
    ['ISO-8859-4', 'iso88594'],
    ['ISO-8859-6', 'iso88596'],
    ['ISO-8859-8', 'iso88598'],
    ['ISO-8859-10', 'iso885910'],
    ['ISO-8859-13', 'iso885913'],
    ['ISO-8859-14', 'iso885914'],
    ['ISO-8859-16', 'iso885916'],
    ['macintosh', 'macroman'],
    ['x-mac-cyrillic', 'maccyrillic'],
  ].map(([name = '', codec = '']) => of(name, name.toLowerCase(), codec, ['westEuropean', 'vietnamese'])),
];

export const utf8 = of('UTF-8', 'utf-8', 'utf8', allLanguages, 0);
/** With and without a byte order mark: their text keeps it as its first character. */
export const utf16le = of('UTF-16LE', 'utf-16le', 'utf-16le', allLanguages, 8);
export const utf16be = of('UTF-16BE', 'utf-16be', 'utf-16be', allLanguages, 8);
export const utf32le = of('UTF-32LE', 'utf-32le', 'utf-32le', []);
export const utf32be = of('UTF-32BE', 'utf-32be', 'utf-32be', []);

export const legacyCharsets: readonly Charset[] = [...eastAsian, ...oneByte];

/** Names that people and programs of Windows use, and the standard does not know. */
const otherLabels: Readonly<Record<string, string>> = {
  cp936: 'gbk',
  ms936: 'gbk',
  'windows-936': 'gbk',
  cp949: 'euc-kr',
  ms949: 'euc-kr',
  uhc: 'euc-kr',
  cp932: 'shift_jis',
  'windows-932': 'shift_jis',
  cp950: 'big5',
  'x-user-defined': 'windows-1252',
  'utf-16': 'utf-16le',
  utf8mb4: 'utf-8',
  'utf-8859-1': 'windows-1252',
  ansi: 'windows-1252',
};

/** The charset that a label means, as browsers read it: `gb2312` is GBK, `latin1` windows-1252. */
export function charsetOf(label: string): Charset | undefined {
  const written = label.trim().toLowerCase();
  const standard = Object.hasOwn(otherLabels, written) ? otherLabels[written] : standardName(written);
  return [...legacyCharsets, utf8, utf16le, utf16be].find((charset) => charset.standard === standard);
}

function standardName(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch (cause) {
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}

function of(
  name: string,
  standard: string,
  codec: string,
  languages: readonly Language[],
  rarity?: number,
  common?: readonly [number, number],
): Charset {
  return { name, standard, codec, languages, rarity, common };
}
