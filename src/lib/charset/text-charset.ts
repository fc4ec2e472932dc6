// biome-ignore-all lint/suspicious/noControlCharactersInRegex: they are what is looked for
/**
 * The charset of a text by its bytes: by a byte order mark, else UTF-8 if it is that, else UTF-16 if every second byte
 * is zero, else the charset in which it is the likeliest text. What a page declares makes that charset likelier, no
 * more: headers and templates are often wrong. What is no text in any charset has none.
 */
import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { type Charset, charsetOf, legacyCharsets, utf8, utf16be, utf16le, utf32be, utf32le } from './charsets.ts';
import { textCost } from './text-cost.ts';

export interface CharsetText {
  /** With its byte order mark, if it has one. What cannot be decoded is U+FFFD. */
  readonly text: string;
  /** As people call it: `UTF-8`, `GBK`, `windows-1252`. */
  readonly charset: string;
  /** Another charset is nearly as likely. */
  readonly isGuess: boolean;
}

/** How much of a text its charset is guessed from, in bytes. */
const sampleBytes = 2048;

/** The text of these bytes, or undefined if they are no text. `declared`: labels of charsets that somebody has named for it. */
export function readText(bytes: Buffer, declared: readonly string[] = []): CharsetText | undefined {
  const named = declared.map(charsetOf).filter((charset) => charset !== undefined);
  const marked = charsetByMark(bytes);
  if (marked !== undefined) return asText(bytes, marked);
  if (bytes.includes(0)) {
    const wide = charsetByZeros(bytes);
    return wide === undefined ? undefined : asText(bytes, wide);
  }
  const whole = withoutHalf(bytes);
  if (isUtf8(whole)) return plainText(whole, named);
  if (isForeign(bytes)) return undefined;
  return guessed(bytes, named);
}

/** Whether the text was read without loss: written back, it has the same bytes. */
export function isExact(bytes: Buffer, { text, charset }: CharsetText): boolean {
  const written = writeText(text, charset);
  return Buffer.isBuffer(written) && written.equals(bytes);
}

/** The bytes of a text in the charset; or the first character that it does not have. */
export function writeText(text: string, charset: string): Buffer | { readonly impossible: string } {
  const { codec } =
    [...legacyCharsets, utf8, utf16le, utf16be, utf32le, utf32be].find(({ name }) => name === charset) ?? utf8;
  if (codec === 'utf-16le') return Buffer.from(text, 'utf16le');
  const bytes = encode(text, codec);
  if (decode(bytes, codec) === text) return bytes;
  for (const character of text) {
    if (decode(encode(character, codec), codec) !== character) return { impossible: character };
  }
  return { impossible: text.slice(0, 1) };
}

function encode(text: string, codec: string): Buffer {
  return iconv.encode(text, codec, { addBOM: false });
}

function decode(bytes: Buffer, codec: string): string {
  return iconv.decode(bytes, codec, { stripBOM: false });
}

function charsetByMark(bytes: Buffer): Charset | undefined {
  const start = bytes.toString('hex', 0, 4);
  if (start.startsWith('efbbbf')) return utf8;
  if (start === 'fffe0000') return utf32le;
  if (start === '0000feff') return utf32be;
  if (start.startsWith('fffe')) return utf16le;
  return start.startsWith('feff') ? utf16be : undefined;
}

/** The text, unless it is none: a file may begin like a byte order mark by chance. */
function asText(bytes: Buffer, charset: Charset): CharsetText | undefined {
  const text = decode(bytes, charset.codec);
  const sample = text.slice(0, sampleBytes);
  const odd = sample.match(/[\p{Co}\p{Cn}\p{Cs}\ufffd]|(?![\t\n\v\f\r\u001b])[\p{Cc}]/gu)?.length ?? 0;
  if (odd > sample.length / 200) return undefined;
  return { text, charset: charset.name, isGuess: false };
}

/** Without the character that the end has halved, as in the beginning of a longer text. */
function withoutHalf(bytes: Buffer): Buffer {
  for (let length = 1; length <= 3; length += 1) {
    const lead = bytes[bytes.length - length] ?? 0;
    if (lead < 0x80) break;
    if (lead < 0xc0) continue;
    const isHalf = length < (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2);
    const whole = bytes.subarray(0, bytes.length - length);
    return isHalf && whole.some((byte) => byte > 127) ? whole : bytes;
  }
  return bytes;
}

/** UTF-8, or the seven-bit Japanese charset, or what was declared if the few bytes fit that better. */
function plainText(bytes: Buffer, named: readonly Charset[]): CharsetText {
  if (bytes.includes('\u001b$')) {
    const text = new TextDecoder('iso-2022-jp').decode(bytes);
    if (/\p{Script=Han}|\p{Script=Hiragana}/u.test(text) && !text.includes('\ufffd'))
      return { text, charset: 'ISO-2022-JP', isGuess: false };
  }
  const asUtf8 = { text: bytes.toString('utf8'), charset: 'UTF-8', isGuess: false };
  // Some bytes are UTF-8 by chance, if they are few.
  const high = sampleOf(bytes).filter((byte) => byte > 127).length;
  const isDoubtful = high > 0 && high <= (named.some((charset) => charset !== utf8) ? 30 : 6);
  const likeliest = isDoubtful ? guessed(bytes, named) : undefined;
  return likeliest === undefined || likeliest.charset === 'UTF-8' ? asUtf8 : likeliest;
}

/** UTF-16 without a mark: its zeros are every second byte, on one side. */
function charsetByZeros(bytes: Buffer): Charset | undefined {
  if (bytes.length % 2 === 1) return undefined;
  const sides = [0, 0];
  const sample = bytes.subarray(0, sampleBytes);
  for (const [index, byte] of sample.entries()) if (byte === 0) sides[index % 2] = (sides[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = sides;
  if (Math.min(even, odd) > Math.max(even, odd) * 0.6) return undefined;
  const charset = even > odd ? utf16be : utf16le;
  const text = decode(sample, charset.codec);
  // Two bytes of something else are a rare character more often than a usual one.
  const isWritten = /^[\t\n\r\u0020-\u007e\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]*$/u.test(text);
  return isWritten && textCost(text, charset) < 11 * text.length ? charset : undefined;
}

/** Known formats that are no text, though they may have no zero byte; and what has the controls of no text. */
function isForeign(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, 8);
  if (/^(?:%PDF|\x89PNG|\xff\xd8\xff|GIF8|RIFF|PK\x03\x04|\x1f\x8b|BZh|\xfd7zXZ|\x28\xb5\x2f\xfd|\x7fELF)/.test(start))
    return true;
  const sample = bytes.subarray(0, sampleBytes);
  const controls = sample.filter((byte) => byte < 32 && (byte < 8 || byte > 13) && byte !== 27 && byte !== 26).length;
  return controls > sample.length / 500;
}

/** How much of one line is looked at, and how much of it before its first byte that is not ASCII. */
const mostOfALine = 512;
const mostBefore = 40;

/** Parts of the lines that are not ASCII: where a line begins, so does a character. Empty if there are none. */
function sampleOf(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  let [length, at] = [0, 0];
  while (length < sampleBytes && at < bytes.length) {
    const first = firstHigh(bytes, at);
    if (first === bytes.length) break;
    const start = Math.max(at, bytes.subarray(0, first).lastIndexOf(10) + 1, first - mostBefore);
    const lineEnd = bytes.indexOf(10, first);
    const end = Math.min(lineEnd === -1 ? bytes.length : lineEnd + 1, first + mostOfALine);
    parts.push(bytes.subarray(start, end));
    length += end - start;
    at = lineEnd === -1 ? bytes.length : lineEnd + 1;
  }
  return Buffer.concat(parts);
}

/** Where the first byte from here on is that is not ASCII. */
function firstHigh(bytes: Buffer, from: number): number {
  let at = from;
  while ((bytes[at] ?? 128) < 128) at += 1;
  return at;
}

/** How much likelier a declared charset is, in bits. */
const trust = 12;

function cost(text: string, charset: Charset, named: readonly Charset[]): number {
  // Much of it is no character there.
  if (text.split('\ufffd').length > 3 + text.length / 40) return Number.POSITIVE_INFINITY;
  const bonus = named.filter((each) => each === charset).length * trust;
  return textCost(text, charset) + (charset.rarity ?? 20) - bonus;
}

/** Less than this difference in bits is no certainty. */
const leastMargin = 10;

function guessed(bytes: Buffer, named: readonly Charset[]): CharsetText | undefined {
  const sample = sampleOf(bytes);
  const wide = bytes.length % 2 === 0 ? [utf16le, utf16be] : [];
  const candidates = [...legacyCharsets.filter(({ rarity }) => rarity !== undefined), ...wide, utf8, ...named];
  const judged = [...new Set(candidates)]
    .map((charset) => {
      const part = charset.codec.startsWith('utf-16') ? bytes.subarray(0, sampleBytes) : sample;
      const all = decode(part, charset.codec);
      // The last character of a sample may be cut.
      const text = part.length < bytes.length ? all.replace(/\ufffd$/, '') : all;
      return { charset, text, cost: cost(text, charset, named) };
    })
    .sort((one, other) => one.cost - other.cost);
  const [best] = judged;
  if (best === undefined || best.cost > 5 + sample.length * 9) return undefined;
  const rival = judged.find(({ text }) => text !== best.text);
  return inCharset(bytes, best.charset, rival !== undefined && rival.cost - best.cost < leastMargin);
}

function inCharset(bytes: Buffer, charset: Charset, isGuess: boolean): CharsetText {
  return { text: decode(bytes, charset.codec), charset: charset.name, isGuess };
}
